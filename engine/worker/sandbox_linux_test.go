package worker

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// targets are what a spy tries to get at, as JSON in its options' template.
type targets struct {
	Key, Folder, Kept, Socket, TCP, UDP string
	Parent                              int
}

func init() { spy = lookAround }

// lookAround does what native code would that an evil file has taken over. It returns what came
// of each try.
func lookAround(where string) map[string]string {
	var t targets
	if err := json.Unmarshal([]byte(where), &t); err != nil {
		return map[string]string{"error": err.Error()}
	}
	outcome := func(err error) string {
		if err != nil {
			return err.Error()
		}
		return "done"
	}
	dial := func(network, address string) string {
		c, err := net.Dial(network, address)
		if err == nil {
			_ = c.Close()
		}
		return outcome(err)
	}
	read := func(path string) string {
		_, err := os.ReadFile(path)
		return outcome(err)
	}
	_, listed := os.ReadDir(t.Folder)
	_, _, ring := syscall.RawSyscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
	kept := t.Kept + "/of-k/new-1"
	return map[string]string{
		"keep": outcome(errors.Join(os.MkdirAll(t.Kept+"/of-k", 0o700), os.WriteFile(kept, nil, 0o600),
			os.Rename(kept, kept+".kv"), os.Remove(kept+".kv"))),
		"environment": strings.Join(os.Environ(), "\n"),
		"key":         read(t.Key), "folder": outcome(listed), "write": outcome(os.WriteFile(t.Folder+"/new", nil, 0o600)),
		"parent's environment": read("/proc/" + strconv.Itoa(t.Parent) + "/environ"),
		"parent's arguments":   read("/proc/" + strconv.Itoa(t.Parent) + "/cmdline"),
		"users":                read("/etc/passwd"),
		"tcp":                  dial("tcp", t.TCP), "udp": dial("udp", t.UDP), "unix": dial("unix", t.Socket),
		"io_uring": map[bool]string{true: "done", false: ring.Error()}[ring != unix.EPERM],
		"signal":   outcome(syscall.Kill(t.Parent, 0)), "trace": outcome(syscall.PtraceAttach(t.Parent)),
		"limit":            outcome(unix.Prlimit(t.Parent, unix.RLIMIT_NOFILE, nil, &unix.Rlimit{})),
		"program":          outcome(exec.Command("/bin/sh", "-c", "true").Run()),
		"itself":           read("/proc/self/status"),
		"signal to itself": outcome(errors.Join(syscall.Kill(os.Getpid(), 0), unix.Tgkill(os.Getpid(), os.Getpid(), 0))),
		"own limit":        outcome(unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &unix.Rlimit{})),
		"processor":        read("/proc/cpuinfo"),
	}
}

// startSpy starts a worker that spies, and proves that there is something to be found.
func startSpy(t *testing.T) (*Worker, targets) {
	t.Helper()
	dir := t.TempDir()
	where := targets{Key: filepath.Join(dir, "keys"), Folder: dir, Socket: filepath.Join(dir, "s"), Parent: os.Getpid()}
	if err := os.WriteFile(where.Key, []byte("sesame"), 0o600); err != nil {
		t.Fatal(err)
	}
	tcp, err1 := net.Listen("tcp", "127.0.0.1:0")
	unix, err2 := net.Listen("unix", where.Socket)
	udp, err3 := net.ListenPacket("udp", "127.0.0.1:0")
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _, _ = tcp.Close(), unix.Close(), udp.Close() })
	where.TCP, where.UDP = tcp.Addr().String(), udp.LocalAddr().String()
	o := Options{Model: "spies", StateDir: t.TempDir(), DiskCache: 1 << 20}
	where.Kept = o.keepIn()
	text, err := json.Marshal(where)
	if err != nil {
		t.Fatal(err)
	}
	unconfined := lookAround(string(text))
	for _, what := range []string{"key", "folder", "write", "users", "tcp", "udp", "unix", "signal", "program"} {
		if unconfined[what] != "done" {
			t.Errorf("unconfined, %s: %q", what, unconfined[what])
		}
	}
	_ = os.Remove(filepath.Join(dir, "new"))
	o.Template = string(text)
	return start(t, o), where
}

// A worker that an evil file has taken over finds no key and reaches nobody.
func TestSandbox_workerReadsNoKeyAndConnectsToNobody(t *testing.T) {
	t.Setenv("TENON_API_KEY", "sesame")
	t.Setenv("HF_TOKEN", "sesame")
	w, where := startSpy(t)
	in := w.current.sandbox
	t.Logf("in force: %+v", in)
	if !in.NoNewPrivs {
		t.Error("it may gain rights")
	}
	found := w.Model().Metadata
	if strings.Contains(found["environment"], "sesame") {
		t.Errorf("its environment:\n%s", found["environment"])
	}
	for _, c := range []struct {
		inForce bool
		barred  []string
	}{
		{in.Landlock > 0, []string{"key", "folder", "write", "users", "parent's environment", "parent's arguments", "program"}},
		{in.Landlock > 3 || in.Seccomp, []string{"tcp"}},
		{in.Seccomp, []string{"udp", "unix", "signal", "trace", "limit", "io_uring"}},
	} {
		for _, what := range c.barred {
			if c.inForce && (found[what] == "done" || found[what] == "") {
				t.Errorf("%s: %q", what, found[what])
			}
		}
	}
	for _, what := range []string{"keep", "itself", "processor", "signal to itself", "own limit"} {
		if found[what] != "done" {
			t.Errorf("%s: %q, but it needs it", what, found[what])
		}
	}
	if _, err := os.Stat(where.Folder + "/new"); err == nil && in.Landlock > 0 {
		t.Error("it wrote a file")
	}
}
