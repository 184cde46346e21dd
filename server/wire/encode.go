package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tenon/grammar"
	"tenon/server/chat"
	"tenon/server/sse"
)

// Headers of every protocol's answers.
const (
	RequestID = "X-Request-Id"
	// fields that had no effect
	Ignored = "X-Tenon-Ignored"
	// keywords of tools' schemas that the mask does not enforce
	Issues = "X-Tenon-Issues"
	// promises that this model's engine keeps in a weaker form
	Weaker = "X-Tenon-Guarantees"
	// fields of the answer that are no exact figures
	Estimate = "X-Tenon-Estimate"
	// of a request: 1 asks for its record
	Debug = "X-Tenon-Debug"
	// what ended the calls that the server executes; of a stream it is a trailer
	Limit = "X-Tenon-Limit"
	// how often the turn was tried again, unseen; of a stream it is a trailer
	Retries = "X-Tenon-Retries"
)

// WriteJSON answers with v.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // the readers are no browsers, and model text is full of < and >
	_ = e.Encode(v)        // the status has left; a reader that is gone cannot be told
}

// SetIgnored lists the fields of a request that had no effect.
func SetIgnored(w http.ResponseWriter, fields []string) {
	if len(fields) > 0 {
		w.Header().Set(Ignored, listed(unique(fields)))
	}
}

func unique(all []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool {
		again := seen[one]
		seen[one] = true
		return again
	})
}

// listed joins as many of what a client wrote as a header has room for, and escapes what may not
// stand in one.
func listed(all []string) string { return extended("", all) }

// extended is a header of listed fields with more of them, within the same bound.
func extended(before string, all []string) string {
	const room = 2048 // bytes; proxies and Node's readers refuse headers of some kB
	var b strings.Builder
	b.WriteString(before)
	for i, one := range all {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		if one = escape(one); b.Len()+len(one) > room {
			fmt.Fprintf(&b, "... (%d more)", len(all)-i)
			break
		}
		b.WriteString(one)
	}
	return b.String()
}

// SetEstimate says of a count whether it is only about right.
func SetEstimate(w http.ResponseWriter, n chat.Tokens) {
	if n.Estimated {
		w.Header().Set(Estimate, "input_tokens")
	}
}

// Announce puts what is known once a turn has started into the answer's headers, before sink sends
// the first byte.
func Announce(w http.ResponseWriter, sink chat.Sink) chat.Sink {
	var n counts
	return func(e chat.Event) error {
		announce(w.Header(), e)
		n.tell(e, w.Header().Set)
		return sink(e)
	}
}

// Streamed is the sink of a stream, whose events add sends: its steps and the stream's heartbeats
// come one at a time. Of several turns whose answers go into one stream only the first is
// announced: headers that have been sent belong to the stream's goroutine.
func Streamed(w http.ResponseWriter, out *sse.Writer, add func(chat.Event)) chat.Sink {
	var n counts
	return func(e chat.Event) error {
		return out.Do(func() {
			if out.Begun() {
				n.tell(e, out.Trailer)
			} else {
				announce(w.Header(), e)
				n.tell(e, w.Header().Set)
			}
			add(e)
		})
	}
}

func announce(h http.Header, e chat.Event) {
	if e.Kind == chat.Started && len(e.Issues) > 0 {
		h.Set(Issues, issues(e.Issues))
	}
	if len(e.Weaker) > 0 {
		h.Set(Weaker, strings.Join(e.Weaker, "; "))
	}
	ignored := e.Ignored
	if e.Dropped > 0 {
		ignored = append(slices.Clip(ignored), fmt.Sprintf("the oldest %d messages (truncation)", e.Dropped))
	}
	if len(ignored) > 0 {
		h.Set(Ignored, extended(h.Get(Ignored), unique(ignored)))
	}
}

// counts are what is known of a turn at its end.
type counts struct{ retries int }

func (n *counts) tell(e chat.Event, set func(name, value string)) {
	if n.retries += e.Finish.Mending.Retries; e.Finish.Mending.Retries > 0 {
		set(Retries, strconv.Itoa(n.retries))
	}
	if e.Finish.Limit != "" {
		set(Limit, e.Finish.Limit)
	}
}

// Ended settles a stream whose turn has ended with err: refuse answers where nothing has been
// sent, tell sends what went wrong.
func Ended(w http.ResponseWriter, out *sse.Writer, err error, refuse func(http.ResponseWriter, *chat.Error), tell func(*chat.Error)) {
	out.End()
	switch {
	case err == nil:
	case !out.Begun():
		refuse(w, chat.AsError(err))
	case !chat.IsClientGone(err):
		tell(chat.AsError(err))
	}
}

// issues is their number and, as far as a header has room, their places: "2;
// add#/properties/n/pattern checked, …".
func issues(all []grammar.Issue) string {
	places := make([]string, len(all))
	for i, issue := range all {
		places[i] = fmt.Sprintf("%s#%s/%s %s", issue.Tool, issue.Pointer, issue.Keyword, issue.Action)
	}
	return fmt.Sprintf("%d; %s", len(all), listed(places))
}

// escape replaces what may not stand in a header.
func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
