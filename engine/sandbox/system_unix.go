//go:build unix

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Group has a command that is not started yet begin a process group.
func Group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// EndGroup kills what is left of the group that a command began, which may be nothing.
func EndGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// Identify tells which file or folder a path leads to.
func Identify(path string) (FileID, error) {
	info, err := os.Stat(path)
	if err != nil {
		return FileID{}, err
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return FileID{}, errors.ErrUnsupported
	}
	return FileID{uint64(s.Dev), s.Ino}, nil //nolint:unconvert // another type elsewhere
}

// nobody is the user without rights of its own.
var nobody = User{65534, 65534}

// LeastUser is whom a command in dir is to run as: nil, this process's user, or in place of root
// the owner of dir, and nobody where that is root.
func LeastUser(dir string) *User {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(filepath.Clean(dir))
	if err != nil {
		return &nobody
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && owner.Uid != 0 {
		return &User{int(owner.Uid), int(owner.Gid)}
	}
	return &nobody
}
