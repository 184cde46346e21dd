package background

import (
	"context"
	"encoding/xml"
	"errors"
	"os"
	"strings"
	"testing"
)

// sleeping is a server that says something and then serves nobody.
var sleeping = Command{Program: "/bin/sh", Args: []string{"-c", "echo listening; exec sleep 600"}, Address: "http://127.0.0.1:1"}

func always(context.Context) bool { return true }

func TestStart_runsUntilItIsStopped(t *testing.T) {
	d := Dir(t.TempDir())
	if _, err := d.Stop(t.Context()); err == nil {
		t.Error("a server that was never started was signalled")
	}
	r, err := d.Start(t.Context(), sleeping, func(context.Context) bool { said, _ := d.Tail(1); return len(said) > 0 })
	if err != nil {
		t.Fatal(err)
	}
	if running, ok := d.Running(); !ok || running.PID != r.PID || running.Address != sleeping.Address {
		t.Errorf("%+v %v", running, ok)
	}
	if _, err := d.Start(t.Context(), sleeping, always); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second one: %v", err)
	}
	if _, err := d.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := d.Running(); ok {
		t.Error("it runs on")
	}
	if last, ok := d.Last(); !ok || len(last.Args) != 2 {
		t.Errorf("how it was started is forgotten: %+v", last)
	}
}

func TestStart_whatEndsAtOnceSaysWhy(t *testing.T) {
	d := Dir(t.TempDir())
	c := Command{Program: "/bin/sh", Args: []string{"-c", "echo no such model >&2; exit 3"}}
	_, err := d.Start(t.Context(), c, func(context.Context) bool { return false })
	if err == nil || !strings.Contains(err.Error(), "no such model") || !strings.Contains(err.Error(), "exit status 3") {
		t.Error(err)
	}
}

func TestStart_whoGivesUpWaitingLeavesItRunning(t *testing.T) {
	d := Dir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	_, err := d.Start(ctx, sleeping, func(context.Context) bool { cancel(); return false })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := d.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// Another process may have got the number meanwhile.
func TestRunning_isNotAnotherProcess(t *testing.T) {
	d := Dir(t.TempDir())
	if err := d.write(Record{PID: os.Getpid(), Created: 1}); err != nil {
		t.Fatal(err)
	}
	if _, ok := d.Running(); ok {
		t.Error("this test was taken for the server")
	}
}

func TestTail_isTheLastLines(t *testing.T) {
	d := Dir(t.TempDir())
	for text, wants := range map[string][]string{
		"one\ntwo\nthree\n": {"", "three", "two\nthree", "one\ntwo\nthree", "one\ntwo\nthree"},
		"cut":               {"", "cut", "cut"},
		"":                  {"", "", ""},
	} {
		if err := os.WriteFile(d.Log(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for lines, want := range wants {
			if got, err := d.Tail(lines); err != nil || string(got) != want {
				t.Errorf("%d lines of %q: %q %v", lines, text, got, err)
			}
		}
	}
}

func TestUnit_runsTheSameServer(t *testing.T) {
	c := Command{Program: "/opt/my tenon", Args: []string{"serve", "--alias=a<b", "100%.gguf"}}
	u, err := NewUnit("linux", "/home/me", false, c, "")
	if err != nil || u.Path != "/home/me/.config/systemd/user/tenon.service" || !strings.Contains(u.Text, "ExecStart=\"/opt/my tenon\" serve --alias=a<b 100%%.gguf\n") || !strings.Contains(u.Text, "WantedBy=default.target") {
		t.Errorf("%+v %v", u, err)
	}
	if u, err := NewUnit("linux", "/root", true, c, ""); err != nil || u.Path != "/etc/systemd/system/tenon.service" || !strings.Contains(u.Text, "multi-user.target") {
		t.Errorf("%+v %v", u, err)
	}
	u, err = NewUnit("darwin", "/Users/me", false, c, "/tmp/log")
	var plist struct {
		Dict struct {
			Array struct {
				Strings []string `xml:"string"`
			} `xml:"array"`
		} `xml:"dict"`
	}
	if err != nil || xml.Unmarshal([]byte(u.Text), &plist) != nil || len(plist.Dict.Array.Strings) != 4 || plist.Dict.Array.Strings[2] != "--alias=a<b" {
		t.Errorf("%+v %v", u, err)
	}
	if _, err := NewUnit("plan9", "", false, c, ""); err == nil {
		t.Error("accepted")
	}
}
