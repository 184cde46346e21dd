package clients

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// process is a program to be run to its end.
type process struct {
	dir     string
	program string
	args    []string
	env     []string
	timeout time.Duration // a hang guard; 0: the context is one
	log     string        // file that keeps what it said
}

// run returns what the program said, stdout and stderr together. When it has ended, so have its
// children: they are a process group of their own, and it is killed.
func (p process) run(ctx context.Context) (string, error) {
	if p.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, p.timeout, &hangError{fmt.Sprintf("it did not end within %s", p.timeout)})
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, p.program, p.args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return endGroup(cmd.Process.Pid) }
	cmd.WaitDelay = 5 * time.Second // a grandchild may hold the pipe
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start: %w", cmp.Or(context.Cause(ctx), err))
	}
	err := cmd.Wait()
	_ = endGroup(cmd.Process.Pid) // most left nothing running
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it ended well; a child of its own did not, and is gone now
	}
	// kept for people; the verdict does not need it
	_ = os.WriteFile(p.log, out.Bytes(), 0o644)
	return out.String(), err
}

func endGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }

// last is the end of a text, for reports.
func last(s string, n int) string {
	s = strings.TrimSpace(s)
	if len(s) > n {
		s = "…" + s[len(s)-n:]
	}
	return s
}
