package record

import (
	"context"
	"sync"
	"time"

	"tenon/server/chat"
	"tenon/tools"
)

// Record is what was done for one request. Put into the request's context with [With], it is
// filled by the turns that run for it. It may be read once every Run of the request has returned.
type Record struct {
	ID     string    `json:"id"` // the request's
	At     time.Time `json:"at"`
	Method string    `json:"method"`
	Path   string    `json:"path"`
	Status int       `json:"status"`
	Body   string    `json:"body"`  // of the request, as it was sent
	Turns  []*Trace  `json:"turns"` // empty unless Full is set

	Full     bool       `json:"-"` // set before the request runs: turns leave a trace
	Outcomes []*Outcome `json:"-"` // of the turns, in the order in which they began

	Executions []Execution `json:"-"` // calls that the server executed, in order

	// Begun is told of each turn before it does anything. The turn runs under the context that
	// it returns, and ended is called with what the turn came to. nil: nobody is told.
	Begun func(context.Context, chat.Request) (_ context.Context, ended func(*Outcome)) `json:"-"`

	mu sync.Mutex // guards Turns, Outcomes and Executions while turns run
}

// Execution is a call that the server executed or had to refuse, for the log and the metrics.
type Execution struct {
	Model     string
	Call      tools.Call
	Hosted    chat.HostedCall
	Available []string // names of the tools there were, where the call named none of them
	Began     time.Time
}

type recordKey struct{}

// With has the turns that run under the context fill r.
func With(ctx context.Context, r *Record) context.Context {
	return chat.WithWatch(context.WithValue(ctx, recordKey{}, r), r.watch)
}

// of is the context's record, nil if there is none.
func of(ctx context.Context) *Record {
	r, _ := ctx.Value(recordKey{}).(*Record)
	return r
}

// Executed takes an execution down in the context's record.
func Executed(ctx context.Context, e Execution) {
	if r := of(ctx); r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.Executions = append(r.Executions, e)
	}
}

// RequestID is that of the context's record, "" without one.
func RequestID(ctx context.Context) string {
	if r := of(ctx); r != nil {
		return r.ID
	}
	return ""
}
