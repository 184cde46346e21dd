package builtin

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenon/engine/sandbox"
	"tenon/server/agent"
)

// confined skips where the kernel cannot confine commands.
func confined(t *testing.T, tool agent.Tool) {
	t.Helper()
	if r := run(t, tool, map[string]any{"command": "echo well"}); r.Text != "well\n" {
		t.Skipf("commands cannot be confined here: %+v", r)
	}
}

func shell(t *testing.T, p place) agent.Tool {
	tool := made(t, "execute_command", func(s Settings) {
		c := s.(*executeCommand)
		c.Folder, c.Shell = p.root, true
	})
	confined(t, tool)
	return tool
}

// hostileCommands try to read, write, reach or leave something outside. SECRET, ROOT, PORT and
// PARENT stand for what they say.
var hostileCommands = []string{
	"cat SECRET/key", "cat ../secret/key", "cat out/key", "cat abs", "cat twice", "ls SECRET", "cat /etc/shadow", "cat /proc/PARENT/environ", "cat /proc/PARENT/cmdline",
	"cat /proc/PARENT/maps", "ls /proc/PARENT/fd", "cat /proc/1/environ", "cat /proc/*/environ", "env", "set", "export -p", "cat /proc/self/environ",
	"ln SECRET/key ROOT/hard && cat ROOT/hard", "ln -s SECRET/key l2; cat l2", "cp SECRET/key .", "tar c SECRET", "dd if=SECRET/key", "head -c 20 SECRET/key", "grep -r OPEN SECRET",
	"find SECRET -type f -exec cat {} +", "cd SECRET && cat key", "cd / && cat SECRET/key", "sh -c 'cat SECRET/key'", "exec cat SECRET/key", ". SECRET/key",
	"echo x > SECRET/new", "echo x >> SECRET/key", "rm SECRET/key", "rm -rf SECRET", "mv SECRET/key SECRET/k2", "mkdir SECRET/d", "touch SECRET/t", "chmod 0777 SECRET", "chown 0 SECRET/key",
	"truncate -s 0 SECRET/key", "ln -s x SECRET/l", "mv ROOT/a.txt SECRET/", "cp a.txt SECRET/", "install a.txt SECRET/b", "sed -i s/S/T/ SECRET/key", "echo x > /etc/tenon-test", "echo x > /tmp/tenon-test-escape",
	"echo x > /dev/shm/tenon-test", "mkfifo SECRET/f", "mount --bind SECRET ROOT/sub && cat ROOT/sub/key", "chroot / cat SECRET/key", "unshare -r cat SECRET/key", "nsenter -t 1 -m cat SECRET/key",
	"kill -9 PARENT", "kill -TERM -1", "kill -STOP PARENT", "pkill -9 builtin.test", "renice -n 19 -p PARENT", "prlimit --pid PARENT --nofile=1",
	"curl -s http://127.0.0.1:PORT/", "wget -q -t 1 -T 2 -O- http://127.0.0.1:PORT/", "bash -c 'echo hi > /dev/tcp/127.0.0.1/PORT'", "python3 -c \"import socket; socket.create_connection(('127.0.0.1',PORT))\"",
	"python3 -c \"import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x',('127.0.0.1',PORT))\"", "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(\"127.0.0.1:PORT\") or die'",
	"python3 -c \"print(open('SECRET/key').read())\"", "python3 -c \"import os; os.setsid(); print(open('SECRET/key').read())\"", "python3 -c \"import os; print(os.listdir('SECRET'))\"",
	"python3 -c \"import os; os.link('SECRET/key','k'); print(open('k').read())\"", "python3 -c \"import ctypes; print(ctypes.CDLL(None).ptrace(16,PARENT,0,0)==0 and 'SESAME-OPEN')\"",
	"perl -e 'open F,\"SECRET/key\"; print <F>'", "sudo cat SECRET/key", "su -c 'cat SECRET/key'", "setsid sleep 98765", "nohup sleep 98765 & true", "(sleep 98765 &) ; true", "sleep 98765 & disown; true",
	"setsid nohup sleep 98765 > /dev/null 2>&1 & true", "python3 -c \"import os,time; os.fork() or os.setpgid(0,0); time.sleep(98765)\" & true", "bash -c 'set -m; sleep 98765 &'", "at now -f a.txt", "crontab a.txt", "echo 'cat SECRET/key' | sh",
	"cat < SECRET/key", "read x < SECRET/key; echo $x", "exec 3< SECRET/key; cat <&3", "cat /proc/self/fd/3 /proc/self/fd/4 /proc/self/fd/5", "cat /proc/self/root/SECRET/key", "cat /proc/self/cwd/../secret/key", "ls -laR ..",
	"cat /dev/mem", "cat /dev/sda", "cat /root/.ssh/id_rsa /root/.bash_history", "ls /root /home", "echo core > /proc/sys/kernel/core_pattern", "dmesg", "insmod a.txt", "mknod d c 1 1 && cat d", "strace -p PARENT", "gdb -p PARENT", "LD_PRELOAD=SECRET/key ls",
}

// S2-13: no command reaches what is outside.
func TestCommand_hostileCommandsReachNothingOutside(t *testing.T) {
	if len(hostilePaths)+len(hostileCommands) < 150 {
		t.Fatal("some have gone")
	}
	t.Setenv("TENON_API_KEY", sesame)
	t.Setenv("HF_TOKEN", sesame)
	t.Setenv("OPENAI_API_KEY", sesame)
	p := newPlace(t)
	tool := shell(t, p)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	reached := make(chan string, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached <- c.RemoteAddr().String()
			_ = c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	words := strings.NewReplacer("SECRET", p.secret, "ROOT", p.root, "PORT", port, "PARENT", fmt.Sprint(os.Getpid()))
	for _, command := range hostileCommands {
		r := run(t, tool, map[string]any{"command": words.Replace(command)})
		if strings.Contains(r.Text, sesame) {
			t.Errorf("%s read the secret: %q", command, r.Text)
		}
		p.untouched(t, command)
	}
	for _, f := range []string{"/etc/tenon-test", "/tmp/tenon-test-escape", "/dev/shm/tenon-test"} {
		if _, err := os.Stat(f); err == nil {
			t.Errorf("%s was written", f)
		}
	}
	select {
	case from := <-reached:
		t.Error("a command reached the network from", from)
	default:
	}
	if left := running("98765"); left != "" {
		t.Error("a command left something running:", left)
	}
}

// running finds a process that has the word among its arguments.
func running(word string) string {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range all {
		line, _ := os.ReadFile(f)
		status, _ := os.ReadFile(filepath.Dir(f) + "/stat")
		if strings.Contains(string(line), word) && !strings.Contains(string(status), ") Z ") {
			return f + ": " + strings.ReplaceAll(string(line), "\x00", " ")
		}
	}
	return ""
}

func TestCommand_worksInItsFolder(t *testing.T) {
	p := newPlace(t)
	tool := shell(t, p)
	for command, want := range map[string]string{
		"cat a.txt":                         "hello",
		"echo new > sub/n && cat sub/n":     "new\n",
		"pwd":                               p.root + "\n",
		"printf x > $TMPDIR/t; cat $HOME/t": "x",
		"sleep 1000 & kill $!; echo ended":  "ended\n",
		"ls | sort | head -1":               "a.txt\n",
	} {
		if r := run(t, tool, map[string]any{"command": command}); r.Failed || r.Text != want {
			t.Errorf("%s: %+v", command, r)
		}
	}
	if r := run(t, tool, map[string]any{"command": "echo oh >&2; exit 7"}); !r.Failed || r.Exit != 7 || !strings.HasPrefix(r.Text, "oh\n") {
		t.Errorf("%+v", r)
	}
	if os.Geteuid() == 0 {
		if r := run(t, tool, map[string]any{"command": "id -u"}); r.Text != "12345\n" {
			t.Errorf("root's commands run as %q", r.Text)
		}
	}
}

func TestCommand_outputIsBoundedAndKeepsItsEnd(t *testing.T) {
	p := newPlace(t)
	tool := shell(t, p)
	r := run(t, tool, map[string]any{"command": "echo first; yes | head -c 3000000; echo; echo last"})
	if len(r.Text) > 65<<10 || r.Cut < 2_900_000 || !strings.HasPrefix(r.Text, "first\n") || !strings.HasSuffix(r.Text, "last\n") {
		t.Errorf("%d bytes, %d cut: %.20q", len(r.Text), r.Cut, r.Text)
	}
}

// A command that will not end is ended with all that it has started.
func TestCommand_endsWithItsContext(t *testing.T) {
	p := newPlace(t)
	tool := shell(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	r, err := tool.Execute(ctx, []byte(`{"command":"trap '' TERM INT HUP; echo begun; sleep 87654 & sleep 87654; sleep 87654"}`), nil)
	if err != nil || !r.Failed || running("87654") != "" {
		t.Errorf("%+v, %v, %s", r, err, running("87654"))
	}
}

func TestCommand_onlyNamedPrograms(t *testing.T) {
	p := newPlace(t)
	tool := made(t, "execute_command", func(s Settings) {
		c := s.(*executeCommand)
		c.Folder, c.Programs = p.root, []string{"echo", "cat"}
	})
	if err := os.WriteFile(p.root+"/echo", []byte("#!/bin/sh\ncat ../secret/key"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"ls"}, {"./echo"}, {"sub/../echo"}, {"/bin/ls"}, {"/bin/echo"}, {p.root + "/echo"}, {""}, {}, {"echo x"}, {"env", "echo"}, {"ECHO"}, {"echo\x00"}} {
		if r := run(t, tool, map[string]any{"command": command}); !r.Failed {
			t.Errorf("%q: %+v", command, r)
		}
	}
	if r := run(t, tool, map[string]any{"command": []string{"echo", "$(cat /etc/passwd)", ";", "ls"}}); !strings.Contains(r.Text, "$(cat /etc/passwd) ; ls") && !strings.Contains(r.Text, "confined") {
		t.Errorf("a shell read it: %+v", r)
	}
}

// S2-17: a tool of the configuration is a command or an endpoint.
func TestOwn_commandAndEndpoint(t *testing.T) {
	var got, key string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := make([]byte, 100)
		n, _ := r.Body.Read(b)
		got, key = string(b[:n]), r.Header.Get("X-Key")
		if strings.Contains(got, "bad") {
			http.Error(w, "no such place", http.StatusNotFound)
			return
		}
		if strings.Contains(got, "away") {
			http.Redirect(w, r, "http://localhost.localdomain/", http.StatusTemporaryRedirect)
			return
		}
		fmt.Fprint(w, strings.Repeat("sunny ", 20000))
	}))
	defer s.Close()
	web := made(t, "weather", func(o Settings) {
		o.(*Own).URL, o.(*Own).Headers = s.URL, map[string]string{"X-Key": sesame}
	})
	if r := run(t, web, map[string]any{"place": "here"}); r.Failed || len(r.Text) != 64<<10 || r.Cut != 120000-64<<10 || got != `{"place":"here"}` || key != sesame {
		t.Errorf("%.40q %d, it got %q, %q", r.Text, r.Cut, got, key)
	}
	for _, place := range []string{"bad", "away"} {
		if r := run(t, web, map[string]any{"place": place}); !r.Failed {
			t.Errorf("%s: %+v", place, r)
		}
	}
	command := made(t, "count", func(o Settings) { o.(*Own).Command = []string{"sh", "-c", "wc -c; pwd; echo $HOME"} })
	if r := run(t, command, map[string]any{"x": 1}); r.Failed && !strings.Contains(r.Text, "confined") || !r.Failed && !strings.HasPrefix(r.Text, "7\n") {
		t.Errorf("%+v", r)
	}
}

func TestSettings_whatIsWrongIsNamed(t *testing.T) {
	for want, s := range map[string]Settings{
		"roots: names no folder":   &readFile{},
		"roots: open":              &readFile{folders{Roots: []string{"/does/not/exist"}}},
		"not a directory":          &writeFile{folders{Roots: []string{"/etc/passwd"}}},
		"two folders are called":   &listDirectory{folders{Roots: []string{"/usr/bin", "/bin"}}},
		"folder: names none":       &executeCommand{Programs: []string{"*"}},
		"programs: names none":     &executeCommand{confinement: confinement{Folder: "/tmp"}},
		"TENON_API_KEY cannot be":  &Own{Command: []string{"x"}, confinement: confinement{Environment: []string{"TENON_API_KEY"}}},
		"TENON_ cannot be":         &Own{Command: []string{"x"}, confinement: confinement{Environment: []string{"TENON_"}}},
		"neither a command nor":    &Own{},
		"url: expected http://":    &webSearch{URL: "ftp://x"},
		"folder: there is no":      &Own{Command: []string{"x"}, confinement: confinement{Folder: "/does/not/exist", Memory: 256}},
		"memory: is 8; expected":   &Own{Command: []string{"x"}, confinement: confinement{Memory: 8}},
		"neither a command nor a ": &Own{Command: []string{"x"}, URL: "http://x"},
	} {
		if _, err := s.Tool("x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestDecode_refusesWhatIsNoCommand(t *testing.T) {
	for _, text := range []string{"", "{", "{}", `{"Command":{}}`, "null", `{"Command":{"Args":[]}}`} {
		if n, err := sandbox.Decode(text); err == nil {
			t.Errorf("%q: %+v", text, n)
		}
	}
}

// An address with a password is refused when it is read: an error of a call would tell it.
func TestOwn_aPasswordStandsInNoAddress(t *testing.T) {
	for _, url := range []string{"http://user:" + sesame + "@127.0.0.1:9/", "ftp://h/?key=" + sesame, "http://h:x/" + sesame} {
		s := New("orders")
		s.(*Own).URL = url
		if _, err := s.Tool("orders"); err == nil || strings.Contains(err.Error(), sesame) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
