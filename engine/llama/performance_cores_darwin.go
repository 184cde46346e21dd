package llama

import "syscall"

// performanceCores counts the fast cores of Apple silicon: at every barrier a slow one would keep
// the others waiting.
func performanceCores() int {
	n, err := syscall.SysctlUint32("hw.perflevel0.physicalcpu")
	if err != nil {
		return 0
	}
	return int(n)
}
