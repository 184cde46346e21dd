package worker

import "syscall"

// childAttributes: the kernel kills a child whose parent is gone, even one that does not read its
// input any more. A group of its own keeps the terminal's Ctrl-C from it, which is for the server
// to answer.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
