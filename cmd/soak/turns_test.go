package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"tenon/server/streamtest"
)

// tally counts how turns ended.
type tally struct {
	mu     sync.Mutex // guards what follows
	ended  map[string]int
	faults []string
}

func (t *tally) count(how string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended == nil {
		t.ended = map[string]int{}
	}
	t.ended[how]++
}

// wrong takes down an answer that should not have been. The first few are shown.
func (t *tally) wrong(format string, args ...any) {
	const shown = 10
	t.count("wrong")
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.faults) < shown {
		t.faults = append(t.faults, fmt.Sprintf(format, args...))
	}
}

// answered is how many answers came to their end.
func (t *tally) answered() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended["whole"] + t.ended["streamed"]
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, how := range slices.Sorted(maps.Keys(t.ended)) {
		fmt.Fprintf(&b, "  %-24s %d\n", how, t.ended[how])
	}
	for _, f := range t.faults {
		fmt.Fprintf(&b, "  WRONG: %s\n", f)
	}
	return b.String()
}

// schema is that of the tool that is declared in every turn with tools.
const schema = `{"type":"object","properties":{"city":{"type":"string","maxLength":8},"days":{"type":"integer","minimum":1,"maximum":9}},"required":["days"],"additionalProperties":false}`

// turn is a request.
type turn struct {
	path, body string
	streamed   bool
	tools      bool // a call is demanded
}

// client sends turns until ctx ends. One in ten is left before its end.
func (s *soak) client(ctx context.Context, r *rand.Rand) {
	last := "" // the response to go on from
	for ctx.Err() == nil {
		t := nextTurn(r, last)
		s.running.RLock()
		in, cancel := context.WithCancel(ctx)
		left := r.IntN(10) == 0
		if left {
			time.AfterFunc(time.Duration(r.IntN(40))*time.Millisecond, cancel)
		}
		id := s.ask(in, t, left)
		cancel()
		s.running.RUnlock()
		if last = id; r.IntN(8) == 0 {
			last = ""
		}
		s.done.Add(1)
		select {
		case s.ended <- struct{}{}:
		default: // nobody counts right now
		}
	}
}

// nextTurn makes a turn up.
func nextTurn(r *rand.Rand, last string) turn {
	model := []string{"full", "full", "full", "full", "full", "full", "full", "full", "full", "sliding"}[r.IntN(10)]
	if r.IntN(20) > 0 { // a change of models costs a load
		model = "full"
	}
	streamed, tools := r.IntN(2) == 0, r.IntN(2) == 0
	text := fmt.Sprintf("turn %d of the day", r.IntN(50))
	head := fmt.Sprintf(`"model":%q,"stream":%t,"temperature":1`, model, streamed)
	switch r.IntN(6) {
	case 0:
		return turn{"/v1/completions", fmt.Sprintf(`{%s,"max_tokens":6,"n":2,"prompt":["%s","b"],"stop":["zq"]}`, head, text), streamed, false}
	case 1:
		on, declared := "", ""
		if last != "" {
			on = fmt.Sprintf(`,"previous_response_id":%q`, last)
		}
		if tools {
			declared = `,"tool_choice":"required","parallel_tool_calls":false,"tools":[{"type":"function","name":"f","parameters":` + schema + `}]`
		}
		return turn{"/v1/responses", fmt.Sprintf(`{%s,"max_output_tokens":48,"input":"%s"%s%s}`, head, text, on, declared), streamed, tools}
	case 2:
		declared := ""
		if tools {
			declared = `,"tool_choice":{"type":"any","disable_parallel_tool_use":true},"tools":[{"name":"f","input_schema":` + schema + `}]`
		}
		return turn{"/v1/messages", fmt.Sprintf(`{%s,"max_tokens":48,"messages":[{"role":"user","content":"%s"}]%s}`, head, text, declared), streamed, tools}
	case 3:
		return turn{"/tokenize", fmt.Sprintf(`{"model":%q,"content":"%s"}`, model, text), false, false}
	}
	declared := ""
	if tools {
		declared = `,"tool_choice":"required","parallel_tool_calls":false,"tools":[{"type":"function","function":{"name":"f","parameters":` + schema + `}}]`
	}
	return turn{"/v1/chat/completions", fmt.Sprintf(`{%s,"max_tokens":48,"messages":[{"role":"user","content":"%s"}]%s}`, head, text, declared), streamed, tools}
}

// ask sends a turn and looks at its answer. It returns the id of a response that can be gone on
// from.
func (s *soak) ask(ctx context.Context, t turn, left bool) (id string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+t.path, strings.NewReader(t.body))
	if err != nil {
		s.tally.wrong("%v", err)
		return ""
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		s.broken(ctx, t, left, err)
		return ""
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		s.broken(ctx, t, left, err)
	case answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusServiceUnavailable:
		s.tally.count(fmt.Sprintf("refused with %d", answer.StatusCode))
	case answer.StatusCode == http.StatusBadRequest && bytes.Contains(body, []byte("previous_response_id")), answer.StatusCode == http.StatusNotFound && bytes.Contains(body, []byte("previous_response_id")), bytes.Contains(body, []byte("context_length_exceeded")):
		s.tally.count("conversation over") // too old, or too long
	case answer.StatusCode != http.StatusOK:
		s.tally.wrong("%s: %d %.300s", t.path, answer.StatusCode, body)
	default:
		return s.judge(t, body)
	}
	return ""
}

// broken counts an answer that did not come to its end: those who left do not count as wrong.
func (s *soak) broken(ctx context.Context, t turn, left bool, err error) {
	if left || ctx.Err() != nil {
		s.tally.count("left")
		return
	}
	s.tally.wrong("%s: %v", t.path, err)
}

// judge holds an answer against its protocol, and its call against the tool.
func (s *soak) judge(t turn, body []byte) (id string) {
	if t.streamed {
		if err := streamtest.Check(t.path, string(body)); err != nil {
			s.tally.wrong("%s: %v: %.300s … %s", t.path, err, body, body[max(len(body)-300, 0):])
			return ""
		}
		if bytes.Contains(body, []byte(`"error"`)) && bytes.Contains(body, []byte("worker")) {
			s.tally.count("error in the stream")
			return ""
		}
		s.tally.count("streamed")
		return ""
	}
	var whole map[string]any
	if err := json.Unmarshal(body, &whole); err != nil {
		s.tally.wrong("%s: %v: %.300s", t.path, err, body)
		return ""
	}
	if t.tools && !complete(whole) {
		if why := badCall(whole); why != "" {
			s.tally.wrong("%s: %s: %.500s", t.path, why, body)
			return ""
		}
	}
	s.tally.count("whole")
	if t.path == "/v1/responses" {
		id, _ = whole["id"].(string)
	}
	return id
}

// complete tells an answer that its limit ended: it may have no call.
func complete(whole map[string]any) bool {
	text := fmt.Sprint(whole["choices"], whole["stop_reason"], whole["incomplete_details"])
	return strings.Contains(text, "length") || strings.Contains(text, "max_tokens") || strings.Contains(text, "max_output_tokens")
}

// badCall says what is wrong with the calls of an answer, in whichever protocol's shape: there is
// one, of the tool, with its arguments.
func badCall(v any) string {
	calls := findCalls(v)
	if len(calls) == 0 {
		return "no call"
	}
	for _, c := range calls {
		arguments := c["input"]
		if text, ok := c["arguments"].(string); ok {
			var object map[string]any
			if err := json.Unmarshal([]byte(text), &object); err != nil {
				return err.Error()
			}
			arguments = object
		}
		object, _ := arguments.(map[string]any)
		days, ok := object["days"].(float64)
		if c["name"] != "f" || !ok || days < 1 || days > 9 || days != float64(int(days)) {
			return fmt.Sprintf("the call %v does not fit its tool", c)
		}
	}
	return ""
}

// findCalls are the objects in an answer that have a name and arguments.
func findCalls(v any) (all []map[string]any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			all = append(all, findCalls(e)...)
		}
	case map[string]any:
		_, named := v["name"]
		_, arguments := v["arguments"]
		if _, input := v["input"]; named && (arguments || input) {
			return []map[string]any{v}
		}
		for key, e := range v {
			if key != "tools" { // the declaration is repeated
				all = append(all, findCalls(e)...)
			}
		}
	}
	return all
}
