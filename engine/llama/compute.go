package llama

import (
	"runtime"
	"sync"
)

// computeThread is the one thread of the operating system on which a model's contexts evaluate. Go moves a goroutine from
// thread to thread as it comes and goes, and the threads that ggml computes with belong to the one that called it: built
// with OpenMP, as a shared libllama mostly is, it gives every caller helpers of its own, and once there are more of them
// than processors they sleep at each barrier instead of waiting awake. Its own threads lose what their caller had in its
// core's caches. The zero value is ready; its thread starts with the first call.
type computeThread struct {
	start sync.Once
	calls chan func()
}

// do calls f on the thread and waits for it.
func (t *computeThread) do(f func()) {
	t.start.Do(func() {
		t.calls = make(chan func())
		go t.serve()
	})
	done := make(chan struct{})
	t.calls <- func() {
		defer close(done)
		f()
	}
	<-done
}

// serve never unlocks its thread, so that it ends with the goroutine, and OpenMP's helpers with it.
func (t *computeThread) serve() {
	runtime.LockOSThread()
	for f := range t.calls {
		f()
	}
}

// close ends the thread. Nothing may be called on it afterwards.
func (t *computeThread) close() {
	t.start.Do(func() {})
	if t.calls != nil {
		close(t.calls)
		t.calls = nil
	}
}
