// Package breaker is a circuit breaker for what may fail time and again, such as the start of a
// process.
//
//	if left, open := b.Open(time.Now()); open {
//		return fmt.Errorf("it rests for %s", left)
//	}
//	time.Sleep(b.Backoff())
//	// try, then call b.Failed or b.Worked
//
// After [Most] failures in a row it is open: nothing is tried. After a rest it is half open: one
// more try is made, and another failure opens it for twice as long.
package breaker

import "time"

// Most is how many failures in a row open a breaker. What ends a process, want of memory say,
// would only do so again.
const Most = 5

const (
	firstRest = 30 * time.Second
	longest   = 10 * time.Minute
)

// Breaker counts failures in a row. The zero value has none. It is not safe for concurrent use.
type Breaker struct {
	failures int
	until    time.Time // nothing is tried before
}

// Failed counts a failure.
func (b *Breaker) Failed(now time.Time) {
	b.failures++
	if b.failures >= Most {
		b.until = now.Add(min(firstRest<<min(b.failures-Most, 10), longest))
	}
}

// Worked ends the row of failures.
func (b *Breaker) Worked() { *b = Breaker{} }

// Failures is how many there were in a row.
func (b *Breaker) Failures() int { return b.failures }

// Open tells whether nothing is to be tried, and for how long.
func (b *Breaker) Open(now time.Time) (left time.Duration, open bool) {
	left = b.until.Sub(now)
	return max(left, 0), b.failures >= Most && left > 0
}

// Backoff is the wait before a try of a breaker that is not open: none after the first failure,
// then 1 s, 2 s, 4 s. A half open one has rested.
func (b *Breaker) Backoff() time.Duration {
	if b.failures < 2 || b.failures >= Most {
		return 0
	}
	return time.Second << (b.failures - 2)
}
