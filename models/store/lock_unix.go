//go:build unix

package store

import (
	"os"
	"syscall"
	"time"
)

// lockPause is how long to wait between tries.
const lockPause = 100 * time.Millisecond

// tryLock takes a lock that ends when the file is closed. Where a file system has none, the
// folder is not locked.
func tryLock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return err != syscall.EWOULDBLOCK
}
