package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"tenon/engine"
)

// passed is what [variable] holds.
type passed struct {
	Confinement engine.Confinement
	Handed      int // a file's descriptor
}

// resume returns what enter handed to this program; ok is false in a program that is not
// confined.
func resume() (handed []byte, in engine.Confinement, ok bool, err error) {
	value, ok := os.LookupEnv(variable)
	if !ok {
		return nil, in, false, nil
	}
	_ = os.Unsetenv(variable)
	var p passed
	if err := json.Unmarshal([]byte(value), &p); err != nil {
		return nil, in, true, fmt.Errorf("decode %s: %w", variable, err)
	}
	file := os.NewFile(uintptr(p.Handed), "handed over")
	if file == nil {
		return nil, in, true, fmt.Errorf("decode %s: no descriptor %d", variable, p.Handed)
	}
	defer func() { _ = file.Close() }()
	handed, err = io.ReadAll(file)
	return handed, p.Confinement, true, err
}

// enter gives up all but the needs and runs this program again, which finds handed by resume.
// It returns only with an error; the thread that it ran on is then lost.
func enter(n Needs, handed []byte) (engine.Confinement, error) {
	runtime.LockOSThread() // never unlocked: no other goroutine shall get a restricted thread
	fd, err := hold(handed)
	if err != nil {
		return engine.Confinement{}, fmt.Errorf("hand over to the confined program: %w", err)
	}
	in, err := restrict(n)
	if err != nil {
		return in, err
	}
	value, err := json.Marshal(passed{Confinement: in, Handed: fd})
	if err != nil {
		return in, fmt.Errorf("encode %s: %w", variable, err)
	}
	env := append(os.Environ(), variable+"="+string(value))
	return in, fmt.Errorf("run the program again, confined: %w", unix.Exec("/proc/self/exe", os.Args, env))
}

// Become gives up all but the needs and runs their command. It returns only with an error.
//
// The command is a child of the one thread that is confined, and this process stays as its
// watcher: the kernel tells it when the server dies, and it ends the whole group then. A kernel
// that does not keep signals from outside lets a command signal itself alone, by the number of
// this process: the command takes the process's place there, and when the server dies only that
// process is ended.
func Become(n Needs) error {
	c := n.Command
	path, err := exec.LookPath(c.Args[0])
	if err != nil {
		return err
	}
	orphaned := make(chan os.Signal, 1)
	signal.Notify(orphaned, unix.SIGTERM)
	runtime.LockOSThread() // as in enter
	if err := bound(c.User); err != nil {
		return fmt.Errorf("bound the command: %w", err)
	}
	in, err := restrict(n)
	if err != nil {
		return err
	}
	if in.Landlock > 0 && in.Landlock < truncates {
		in.Missing = append(in.Missing, "landlock: it cannot keep files from being cut to nothing; Linux 6.2 can")
	}
	if len(in.Missing) > 0 {
		return fmt.Errorf("the command cannot be confined: %s", strings.Join(in.Missing, "; "))
	}
	if err := become(c.User); err != nil {
		return err
	}
	if in.Landlock < scopedSignals {
		if err := dieWithServer(c.Server, unix.SIGKILL); err != nil {
			return err
		}
		return fmt.Errorf("run %s: %w", c.Args[0], unix.Exec(path, c.Args, os.Environ()))
	}
	if err := dieWithServer(c.Server, unix.SIGTERM); err != nil {
		return err
	}
	go func() {
		<-orphaned
		_ = unix.Kill(0, unix.SIGKILL) // the group, with this process
	}()
	return attend(path, c.Args)
}

// mostProcesses is how many processes and threads a command may have at once.
const mostProcesses = 256

// bound keeps a command from taking all processes of the machine, and has the kernel end it first
// where memory is short. The kernel counts by user: what the user has already does not count.
func bound(u *User) error {
	id := os.Getuid()
	if u != nil {
		id = u.ID
	}
	var own uint64
	all, _ := filepath.Glob("/proc/[0-9]*/task") // the pattern is well
	for _, task := range all {
		var info unix.Stat_t
		if unix.Stat(task, &info) == nil && int(info.Uid) == id {
			own += uint64(info.Nlink) - 2 // its threads
		}
	}
	most := unix.Rlimit{Cur: own + mostProcesses, Max: own + mostProcesses}
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, &most); err != nil {
		return err
	}
	return os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
}

// dieWithServer has a signal sent to this process when the thread ends that started it. It must be
// called last: a change of user undoes it.
func dieWithServer(server int, s unix.Signal) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(s), 0, 0, 0); err != nil {
		return fmt.Errorf("end with the server: %w", err)
	}
	if os.Getppid() != server {
		return errors.New("the server that started the command has ended")
	}
	return nil
}

// attend runs a program as a child of the calling thread and ends this process as the child ended.
func attend(path string, args []string) error {
	child, err := syscall.ForkExec(path, args, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL},
	})
	if err != nil {
		return fmt.Errorf("run %s: %w", args[0], err)
	}
	for _, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		_ = f.Close() // the command's alone: who reads them sees when it closes them
	}
	var status unix.WaitStatus
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		_, err = unix.Wait4(child, &status, 0, nil)
	}
	switch {
	case err != nil:
		return fmt.Errorf("wait for %s: %w", args[0], err)
	case status.Signaled():
		os.Exit(128 + int(status.Signal())) // as shells tell it
	}
	os.Exit(status.ExitStatus())
	return nil
}

// become changes the user of the calling thread alone, which is all that is left after exec.
func become(u *User) error {
	if u == nil {
		return nil
	}
	id, group := uintptr(u.ID), uintptr(u.Group)
	_, _, groups := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0)
	_, _, byGroup := unix.RawSyscall(unix.SYS_SETRESGID, group, group, group)
	_, _, byID := unix.RawSyscall(unix.SYS_SETRESUID, id, id, id)
	for _, errno := range []unix.Errno{groups, byGroup, byID} {
		if errno != 0 {
			return fmt.Errorf("become user %d: %w", u.ID, errno)
		}
	}
	return nil
}

// hold puts bytes into a file in memory that the next program inherits, and returns its
// descriptor.
func hold(b []byte) (int, error) {
	fd, err := unix.MemfdCreate("handed over", 0)
	if err != nil {
		return 0, fmt.Errorf("make a file in memory: %w", err)
	}
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if err != nil {
			return 0, fmt.Errorf("fill a file in memory: %w", err)
		}
		b = b[n:]
	}
	_, err = unix.Seek(fd, 0, io.SeekStart)
	return fd, err
}

// restrict restricts the calling thread. What the kernel lacks is told in the result.
func restrict(n Needs) (engine.Confinement, error) {
	var in engine.Confinement
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		// all kernels that Go runs on have it
		return in, fmt.Errorf("set no_new_privs: %w", err)
	}
	in.NoNewPrivs = true
	var err error
	if n.Memory > 0 {
		most := unix.Rlimit{Cur: n.Memory, Max: n.Memory}
		if err := unix.Setrlimit(unix.RLIMIT_DATA, &most); err != nil {
			return in, fmt.Errorf("limit its memory: %w", err)
		}
	}
	if in.Landlock, err = restrictFiles(n); err != nil {
		in.Missing = append(in.Missing, "landlock: "+reason(err))
	}
	if err = restrictCalls(n, in.Landlock, n.Command == nil && hasNVIDIA()); err != nil {
		in.Missing = append(in.Missing, "seccomp: "+reason(err))
	}
	in.Seccomp = err == nil
	return in, nil
}

// reason says what an error of the kernel means here.
func reason(err error) string {
	switch {
	case errors.Is(err, unix.ENOSYS):
		return "the kernel does not have it"
	case errors.Is(err, unix.EOPNOTSUPP):
		return "it was switched off when the kernel started"
	case errors.Is(err, unix.EPERM):
		return "forbidden here, perhaps by an old container engine"
	}
	return strings.TrimSpace(err.Error())
}
