package worker

import (
	"errors"
	"os"
	"syscall"
)

// Workers need inherited sockets, which Windows does not have: Start fails there with what os/exec
// says about it.

func childAttributes() *syscall.SysProcAttr { return nil }

func socketPair() (mine, theirs *os.File, err error) {
	return nil, nil, errors.New("this system has no socket pairs")
}
