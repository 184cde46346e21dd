//go:build unix && !linux

package worker

import "syscall"

// childAttributes: the end of standard input ends a child here. A group of its own keeps the
// terminal's Ctrl-C from it, which is for the server to answer.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
