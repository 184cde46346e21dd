package chat

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"tenon/templates"
	"tenon/tools"
)

// Record is what was done for one request. Put into the request's context with [WithRecord], it is
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

	mu sync.Mutex // guards Turns, Outcomes and Executions while turns run
}

// Outcome is what a turn came to, for metrics and the log.
type Outcome struct {
	Model    string // its id; "" if none was found
	Began    time.Time
	Took     time.Duration
	Planning time.Duration // healing, rendering and the output's grammar
	// from the turn's begin to the first text, thinking or call; 0: there was none
	FirstToken time.Duration
	Finishes   []Finish     // of the choices that have ended, in the order in which they did
	Calls      []tools.Call // that were sent
	// tools whose results came with the request and are errors, as clients tell
	Failed  []string
	Tools   []string // names of the declared ones
	ToolSet string   // the first letters of a hash of what was declared; "": no tools
	Issues  int      // keywords of the tools' schemas that the mask does not enforce
	Checks  int      // parts of the output that were judged after they were made
	Rewinds int      // of those, taken back and made again
	Retries int      // sessions that were opened anew
	Err     *Error   // why the turn failed; nil: it did not
}

// Usage is that of all choices.
func (o *Outcome) Usage() (u Usage) {
	for _, f := range o.Finishes {
		u = u.And(f.Usage)
	}
	return u
}

type recordKey struct{}

// WithRecord has the turns that run under the context fill r.
func WithRecord(ctx context.Context, r *Record) context.Context {
	return context.WithValue(ctx, recordKey{}, r)
}

// recordOf is the context's record, nil if there is none.
func recordOf(ctx context.Context) *Record {
	r, _ := ctx.Value(recordKey{}).(*Record)
	return r
}

// watch begins a turn of the context's record. Without a record the watch watches for nobody.
func (s *Service) watch(ctx context.Context, r Request) *watch {
	w := &watch{begin: time.Now(), outcome: &Outcome{ToolSet: toolSet(r.Tools)}, choices: max(r.N, 1)}
	w.outcome.Began = w.begin
	for _, t := range r.Tools {
		w.outcome.Tools = append(w.outcome.Tools, t.Name)
	}
	record := recordOf(ctx)
	if record == nil {
		return w
	}
	record.mu.Lock()
	defer record.mu.Unlock()
	record.Outcomes = append(record.Outcomes, w.outcome)
	if record.Full {
		w.trace = &Trace{Model: r.Model, Request: r, Source: ModelSource{NPredict: s.NPredict}}
		record.Turns = append(record.Turns, w.trace)
	}
	return w
}

// toolSet tells sets of tools apart.
func toolSet(declared []tools.Tool) string {
	if len(declared) == 0 {
		return ""
	}
	h := sha256.New()
	for _, t := range declared {
		fmt.Fprintf(h, "%q %q %q %s\n", t.Namespace, t.Name, t.Description, t.Parameters)
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// failedTools are the tools of the results behind the last answer that are errors. What stands
// further up was counted when it was new, and what the server executed when it did.
func failedTools(c templates.Conversation) []string {
	names := map[string]string{} // by id of the call
	var failed []string
	for _, m := range c.Messages {
		switch {
		case m.Role == templates.Assistant:
			failed = nil
			for _, call := range m.Calls {
				names[call.ID] = call.Name
			}
		case m.Failed && !m.Executed:
			failed = append(failed, cmp.Or(m.Name, names[m.CallID]))
		}
	}
	return failed
}
