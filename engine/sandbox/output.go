package sandbox

import (
	"fmt"
	"sync"
)

// Output keeps the first and the last bytes that a program writes: errors stand at the end. All
// methods may be called from any goroutine.
type Output struct {
	First, Last int // most bytes of each

	mu          sync.Mutex // guards what follows
	first, last []byte
	cut         int // what fell out between them
}

func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := min(len(b), o.First-len(o.first))
	o.first, o.last = append(o.first, b[:n]...), append(o.last, b[n:]...)
	over := max(0, len(o.last)-o.Last)
	o.cut += over
	o.last = o.last[over:]
	return len(b), nil
}

// Bytes are what is kept, with a word about what was cut, and how many bytes that were.
func (o *Output) Bytes() (kept []byte, cut int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept = append(kept, o.first...)
	if o.cut > 0 {
		kept = fmt.Appendf(kept, "\n[%d bytes left out]\n", o.cut)
	}
	return append(kept, o.last...), o.cut
}
