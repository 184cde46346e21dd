//go:build !windows

package background

import "syscall"

// detached keeps the terminal's end and its Ctrl-C from a process.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
