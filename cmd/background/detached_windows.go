package background

import "syscall"

// detached keeps the console's Ctrl-C from a process.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
