//go:build cgo

package llama

// #include <stdlib.h>
// #include "compute.h"
import "C"

import (
	"errors"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// computer is the one thread on which a model's contexts evaluate, a thread that Go does not know. Two reasons:
//
// The threads that ggml computes with belong to the one that calls it, and Go moves a goroutine from thread to thread at
// every wait. Built with OpenMP, as a shared libllama mostly is, ggml gives every caller helpers of its own, and once
// there are more of them than processors they sleep at each barrier instead of waiting awake.
//
// While a thread of Go's own is in a long call of C, Go's monitor looks after it every 20 µs, on the processors that
// compute: some sixty times for each token.
type computer struct {
	mu     sync.Mutex // held while a job runs: contexts take turns
	thread *C.tn_computer
}

// job is a context's decode. Its result is read after do.
type job struct {
	c    *C.tn_job
	done chan struct{}
	self cgo.Handle
}

func newJob(context *C.tn_context) *job {
	j := &job{c: (*C.tn_job)(C.calloc(1, C.sizeof_tn_job)), done: make(chan struct{}, 1)}
	j.self = cgo.NewHandle(j.done)
	j.c.context, j.c.done = context, C.uintptr_t(j.self)
	return j
}

func (j *job) close() {
	j.self.Delete()
	C.free(unsafe.Pointer(j.c))
}

//export tenonComputed
func tenonComputed(handle C.uintptr_t) {
	cgo.Handle(handle).Value().(chan struct{}) <- struct{}{}
}

var errNoThread = errors.New("the system allows no more threads")

// do has a job done and waits for it.
func (p *computer) do(j *job) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.thread == nil {
		if p.thread = C.tn_computer_new(); p.thread == nil {
			return errNoThread
		}
	}
	C.tn_computer_start(p.thread, j.c)
	<-j.done
	return nil
}

// close ends the thread, and OpenMP's helpers with it.
func (p *computer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.thread != nil {
		C.tn_computer_free(p.thread)
		p.thread = nil
	}
}
