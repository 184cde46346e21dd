package clients

import (
	"context"
	"fmt"
	"time"
)

// guard ends a row that hangs. A slow machine is no hang: a row may take as long as it likes while
// something moves.
type guard struct {
	patience time.Duration // how long nothing may move
	// requests; a client that asks more often goes round in circles
	most  int
	asked func() int // how many requests have begun
	// what the model has done, in a count that grows; nil: nothing to be seen
	worked func(context.Context) (n int64)
}

// hangError is why a row was ended.
type hangError struct{ why string }

func (e *hangError) Error() string { return e.why }

// watch returns a context that ends, with a *hangError as its cause, when the row hangs. stop must
// be called.
func (g guard) watch(ctx context.Context) (watched context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if why := g.wait(ctx); why != "" {
			cancel(&hangError{why})
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
	}
}

// wait returns what is wrong, or "" when the context has ended.
func (g guard) wait(ctx context.Context) string {
	tick := time.NewTicker(g.patience / 20)
	defer tick.Stop()
	last, since := g.state(ctx), time.Now()
	for {
		select {
		case <-ctx.Done():
			return ""
		case now := <-tick.C:
			if n := g.asked(); n > g.most {
				return fmt.Sprintf("it has asked %d times, and its turn did not end", n)
			}
			if s := g.state(ctx); s != last {
				last, since = s, now
			} else if now.Sub(since) >= g.patience {
				return fmt.Sprintf("nothing has moved for %s", g.patience)
			}
		}
	}
}

// state changes while something moves.
func (g guard) state(ctx context.Context) int64 {
	n := int64(g.asked())
	if g.worked != nil {
		n += g.worked(ctx)
	}
	return n
}
