package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// A driver of a GPU lies where the loader's settings say: without them a worker has no GPU, and
// nobody is told (seen with libcuda in /usr/local/nvidia/lib64).
func TestLoaderFolders(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("ld.so.conf", "# the system's\n/opt/first\ninclude "+dir+"/more*.conf\ninclude rest.conf\n\n")
	write("more1.conf", "/opt/driver # a GPU's\n")
	write("more2.conf", "  /opt/second  \n")
	write("rest.conf", "/opt/rest\ninclude rest.conf\n")
	got := slices.Compact(loaderFolders(filepath.Join(dir, "ld.so.conf"), 0))
	got = slices.DeleteFunc(got, func(f string) bool { return f == "" })
	if want := []string{"/opt/first", "/opt/driver", "/opt/second", "/opt/rest"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := loaderFolders(filepath.Join(dir, "none"), 0); got != nil {
		t.Errorf("%q of a file that is not there", got)
	}
}

// What CUDA needs to start, and no more: seen with driver 580 on an H200, where cuInit failed
// without.
func TestCUDA_listensAndReachesNobody(t *testing.T) {
	if os.Getenv("SANDBOX_TEST_CUDA") != "" {
		runtime.LockOSThread()
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		if err := restrictCalls(Needs{}, 0, true); err != nil {
			t.Fatal(err)
		}
		own, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
		refuse := func(what string, err error) {
			if !errors.Is(err, unix.EPERM) {
				t.Errorf("%s: %v, want EPERM", what, err)
			}
		}
		allow := func(what string, err error) {
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		allow("socket of packets", err)
		allow("bind", unix.Bind(own, &unix.SockaddrUnix{Name: "@cuda-uvmfd-" + strconv.Itoa(os.Getpid())}))
		allow("listen", unix.Listen(own, 1))
		refuse("connect", unix.Connect(own, &unix.SockaddrUnix{Name: "/run/any"}))
		_, _, err = unix.Accept(own)
		refuse("accept", err)
		for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM} {
			_, err = unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
			refuse("another socket of AF_UNIX", err)
		}
		_, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		refuse("socket of AF_INET", err)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestCUDA_listensAndReachesNobody$", "-test.v")
	cmd.Env = append(os.Environ(), "SANDBOX_TEST_CUDA=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
