package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"tenon/server/chat"
	"tenon/templates"
	"tenon/tools"
)

// Outcome is what a turn came to, for metrics and the log.
type Outcome struct {
	Model    string // its id; "" if none was found
	Began    time.Time
	Took     time.Duration
	Planning time.Duration // healing, rendering and the output's grammar
	// from the turn's begin to the first text, thinking or call; 0: there was none
	FirstToken time.Duration
	Finishes   []chat.Finish // of the choices that have ended, in the order in which they did
	Calls      []tools.Call  // that were sent
	// tools whose results came with the request and are errors, as clients tell
	Failed  []string
	Tools   []string    // names of the declared ones
	ToolSet string      // the first letters of a hash of what was declared; "": no tools
	Issues  int         // keywords of the tools' schemas that the mask does not enforce
	Checks  int         // parts of the output that were judged after they were made
	Rewinds int         // of those, taken back and made again
	Retries int         // sessions that were opened anew
	Err     *chat.Error // why the turn failed; nil: it did not
}

// Usage is that of all choices.
func (o *Outcome) Usage() (u chat.Usage) {
	for _, f := range o.Finishes {
		u = u.And(f.Usage)
	}
	return u
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
