package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"tenon/engine/sandbox"
)

// A command that may use the network reaches TCP and no server of this machine by its socket file.
func TestCommand_networkIsNoUnixSocket(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
	p := newPlace(t)
	var listeners []net.Listener
	for network, at := range map[string]string{"unix": p.root + "/sock", "tcp": "127.0.0.1:0"} {
		l, err := net.Listen(network, at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		if listeners = append(listeners, l); network == "unix" {
			_ = exec.Command("chmod", "777", at).Run()
		}
	}
	datagrams, err := net.ListenPacket("unixgram", p.root+"/grams")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = datagrams.Close() }()
	_ = exec.Command("chmod", "777", p.root+"/grams").Run()
	port := 0
	for _, l := range listeners {
		if tcp, ok := l.Addr().(*net.TCPAddr); ok {
			port = tcp.Port
		}
	}
	tool := made(t, "execute_command", func(s Settings) {
		c := s.(*executeCommand)
		c.Folder, c.Shell, c.Network = p.root, true, true
	})
	confined(t, tool)
	for script, works := range map[string]bool{
		fmt.Sprintf("socket.create_connection(('127.0.0.1',%d))", port):                          true,
		"socket.getaddrinfo('localhost',80)":                                                     true,
		"socket.socketpair()":                                                                    true,
		"socket.socket(socket.AF_UNIX).connect('sock')":                                          false,
		"socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(b'x','grams')":                   false,
		"socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM)[0].sendto(b'x','grams')":            false,
		"l=ctypes.CDLL(None); exit(l.syscall(ctypes.c_long(NR),ctypes.c_long(1<<32|1),1,0) < 0)": false,
	} {
		script = strings.Replace(script, "NR", "41 if os.uname().machine=='x86_64' else 198", 1)
		r := run(t, tool, map[string]any{"command": "python3 -c \"import socket,ctypes,os; " + script + "\""})
		if r.Failed == works {
			t.Errorf("%s: %+v", script, r)
		}
	}
}

// A server that is killed takes its commands with it, and what they have started.
func TestCommand_endsWithAKilledServer(t *testing.T) {
	const variable, word = "TEST_KILLED_SERVER", "76543"
	if root := os.Getenv(variable); root != "" { // the server
		tool := made(t, "execute_command", func(s Settings) {
			c := s.(*executeCommand)
			c.Folder, c.Shell = root, true
		})
		run(t, tool, map[string]any{"command": "sleep " + word + " & (sleep " + word + "; true); true"})
		return
	}
	p := newPlace(t)
	shell(t, p)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(self, "-test.run=^"+t.Name()+"$")
	server.Env = append(os.Environ(), variable+"="+p.root)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	await := func(what string, done func() bool) {
		for guard := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(guard) {
				t.Error(what, running("sleep\x00"+word))
				return
			}
		}
	}
	await("it never began", func() bool { return running("sleep\x00"+word) != "" })
	_ = server.Process.Kill()
	_ = server.Wait() // it was killed
	await("it lives on", func() bool { return running(word) == "" })
}

// A folder of a command inside that of another, which puts a link in its place.
func TestCommand_aFolderStaysTheOneThatItWas(t *testing.T) {
	for _, unconfined := range []bool{false, true} {
		for _, read := range []bool{false, true} {
			p := newPlace(t)
			outer := shell(t, p)
			tool := made(t, "execute_command", func(s Settings) {
				c := s.(*executeCommand)
				c.Folder, c.Shell, c.Unconfined = p.root+"/sub", true, unconfined
				if read {
					c.Folder, c.Read = t.TempDir(), []string{p.root + "/sub"}
				}
			})
			if r := run(t, outer, map[string]any{"command": "mv sub sub2 && ln -s ../secret sub"}); r.Failed {
				t.Fatal(r)
			}
			r, err := tool.Execute(t.Context(), []byte(`{"command":"cat key `+p.root+`/sub/key"}`), nil)
			if err == nil || !strings.Contains(err.Error(), "is another file or folder") || strings.Contains(r.Text, sesame) {
				t.Errorf("unconfined %v, read %v: %+v, %v", unconfined, read, r, err)
			}
		}
	}
}

// It is looked at once more by the process that confines itself, on the open folder.
func TestPrepare_theChildRefusesAnotherFolder(t *testing.T) {
	p := newPlace(t)
	shell(t, p)
	id, err := sandbox.Identify(p.secret)
	if err != nil {
		t.Fatal(err)
	}
	n := sandbox.Command{Args: []string{"/bin/cat", p.root + "/a.txt"}, Read: []string{p.root}, Were: map[string]sandbox.FileID{p.root: id}}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd, err := sandbox.Prepare(sandbox.Needs{Command: &n}, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	if said, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(said), "is another file or folder") {
		t.Errorf("%s, %v", said, err)
	}
}

// A command cannot take all of the machine's memory or processes. The bound of processes is not
// exact: other processes of the user count, too. Programs that reserve much memory still run.
func TestCommand_memoryAndProcessesAreBounded(t *testing.T) {
	p := newPlace(t)
	tool := made(t, "execute_command", func(s Settings) {
		c := s.(*executeCommand)
		c.Folder, c.Shell, c.Memory, c.Timeout = p.root, true, 256, time.Minute
	})
	confined(t, tool)
	// tail keeps them all
	for bytes, works := range map[string]bool{"500000000": false, "30000000": true} {
		r := run(t, tool, map[string]any{"command": "head -c " + bytes + " /dev/zero | tail -c " + bytes + " | wc -c"})
		if strings.Contains(r.Text, bytes) != works {
			t.Errorf("%s: %+v", bytes, r)
		}
	}
	r := run(t, tool, map[string]any{"command": `n=0; while [ $n -lt 3000 ]; do sleep 76321 & n=$((n+1)); done; echo all`})
	if strings.Contains(r.Text, "all") {
		t.Errorf("it has started 3000 processes: %+v", r)
	}
	// what was killed takes its time to go
	for guard := time.Now().Add(20 * time.Second); running("76321") != ""; runtime.Gosched() {
		if time.Now().After(guard) {
			t.Fatal("some run on: " + running("76321"))
		}
	}
}

// A command cannot leave its folder behind by taking the right to read it away.
func TestCommand_itsFolderGoesWithIt(t *testing.T) {
	top := t.TempDir()
	home := filepath.Join(top, "above", "home")
	closed := filepath.Join(home, "x")
	if err := os.MkdirAll(filepath.Join(closed, "y", "z"), 0o755); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // it is another user's for a while
	defer runtime.UnlockOSThread()
	if os.Geteuid() == 0 {
		err := filepath.WalkDir(filepath.Dir(home), func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chown(path, 12345, 12345))
		})
		err = errors.Join(err, os.Chmod(filepath.Dir(top), 0o755), os.Chmod(top, 0o755), syscall.Setfsuid(12345))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Setfsuid(0) }() // it was so before
	}
	if err := errors.Join(os.Chmod(filepath.Join(closed, "y"), 0), os.Chmod(closed, 0)); err != nil {
		t.Fatal(err)
	}
	discard(home)
	if _, err := os.Lstat(home); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the folder of a command stays:", err)
	}
}
