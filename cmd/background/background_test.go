package background

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// sleeping is a server that says something and then serves nobody.
var sleeping = Command{Program: "/bin/sh", Args: []string{"-c", "echo listening; sleep 600"}, Address: "http://127.0.0.1:1"}

func always(context.Context) bool { return true }

func TestStart_runsUntilItIsStopped(t *testing.T) {
	d := Dir(t.TempDir())
	if _, err := d.Signal(os.Interrupt); err == nil {
		t.Error("a server that was never started was signalled")
	}
	r, err := d.Start(t.Context(), sleeping, func(context.Context) bool { return len(d.tail(1)) > 0 })
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

func TestCopyLog_lastLinesAndWhatComes(t *testing.T) {
	d := Dir(t.TempDir())
	if err := os.WriteFile(d.Log(), []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for lines, want := range map[int]string{0: "", 1: "three\n", 2: "two\nthree\n", 9: "one\ntwo\nthree\n"} {
		var b bytes.Buffer
		if err := d.CopyLog(t.Context(), &b, lines, false); err != nil || b.String() != want {
			t.Errorf("%d lines: %q %v", lines, b.String(), err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // a hang guard
	defer cancel()
	r, w := io.Pipe()
	go func() { _ = d.CopyLog(ctx, w, 1, true) }()
	for _, line := range []string{"three\n", "four\n"} {
		got := make([]byte, len(line))
		if _, err := io.ReadFull(r, got); err != nil || string(got) != line {
			t.Fatalf("%q %v", got, err)
		}
		f, err := os.OpenFile(d.Log(), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteString("four\n")
		_ = f.Close()
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
