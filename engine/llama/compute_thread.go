//go:build cgo

package llama

// #include <stdlib.h>
// #include "compute_thread.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// computer is the one thread on which a model's contexts evaluate, a thread that Go does not know.
// Two reasons:
//
// The threads that ggml computes with belong to the one that calls it, and Go moves a goroutine
// from thread to thread at every wait. Built with OpenMP, as a shared libllama mostly is, ggml
// gives every caller helpers of its own, and once there are more of them than processors they
// sleep at each barrier instead of waiting awake.
//
// While a thread of Go's own is in a long call of C, Go's monitor looks after it every 20 µs, on
// the processors that compute: some sixty times for each token. After a call from C into Go it
// does so, too, some twenty times: the thread still holds what Go gave it for the call. So the
// thread tells of its end through a pipe, which wakes a goroutine as a connection does.
type computer struct {
	mu          sync.Mutex // held while a job runs: contexts take turns
	thread      *C.tn_computer
	ended, tell *os.File // a pipe: the thread writes a byte into tell for each job
}

// job is a context's decode, in C's memory. Its result is read after do.
type job struct{ c *C.tn_job }

func newJob(context *C.tn_context, r rows) *job {
	// of all C functions, cgo's malloc alone never fails
	j := &job{c: (*C.tn_job)(C.malloc(C.sizeof_tn_job))}
	*j.c = C.tn_job{context: context, rows: r.c}
	return j
}

func (j *job) close() { C.free(unsafe.Pointer(j.c)) }

// do has a job done and waits for it.
func (p *computer) do(j *job) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.thread == nil {
		if err := p.start(); err != nil {
			return fmt.Errorf("start the computing thread: %w", err)
		}
	}
	C.tn_computer_start(p.thread, j.c)
	var one [1]byte
	_, err := p.ended.Read(one[:])
	return err
}

func (p *computer) start() error {
	var err error
	if p.ended, p.tell, err = os.Pipe(); err != nil {
		return err
	}
	if p.thread = C.tn_computer_new(C.int(p.tell.Fd())); p.thread == nil {
		p.closePipe()
		return errors.New("the system allows no more threads")
	}
	return nil
}

// close ends the thread, and OpenMP's helpers with it.
func (p *computer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.thread != nil {
		C.tn_computer_free(p.thread)
		p.thread = nil
		p.closePipe()
	}
}

func (p *computer) closePipe() {
	_ = p.ended.Close() // nothing waits in it
	_ = p.tell.Close()
}
