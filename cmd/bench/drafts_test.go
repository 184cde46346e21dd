package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// measureDrafts measures what is said in the place of a step for each token: calls that repeat the
// conversation, calls that do not, and free text, where drafts must cost nothing. Each run has a
// conversation of its own, which is read before: else the answer itself would have been said.
func (b *bench) measureDrafts(ctx context.Context) error {
	calls := map[string]func() object{"a call that repeats the conversation": repeatedCall, "a call of 20 fields": fieldsCall, "a JSON answer": jsonAnswer,
		"free text": freeText}
	// against tenon without, llama-server, and llama-server with drafts
	least := map[string][3]float64{
		"a call that repeats the conversation": {2, 2.5, 1.3}, "a call of 20 fields": {1, 1.5, 1.3}, "a JSON answer": {1, 1.9, 0}, "free text": {0.99, 0, 0}}
	var all []*contender
	for _, what := range slices.Sorted(maps.Keys(calls)) {
		if b.model == "" || !b.only.MatchString(what) {
			continue
		}
		if all == nil {
			var stop func()
			var err error
			if all, stop, err = b.contenders(ctx, b.model, true, "--ctx-size", "8192", "--chat-template-file", b.template, "--parallel", "1"); err != nil {
				return err
			}
			defer stop()
		}
		if err := b.compareDrafts(ctx, all, what, calls[what], least[what]); err != nil {
			return err
		}
	}
	return nil
}

// compareDrafts measures all contenders in one run, and makes a row of each kind of rival.
func (b *bench) compareDrafts(ctx context.Context, all []*contender, what string, text func() object, least [3]float64) error {
	rivals := [3][]int{{1}}
	for i := 2; i < len(all); i++ {
		kind := 1
		if i == 4 {
			kind = 2
		}
		rivals[kind] = append(rivals[kind], i)
	}
	figures := make([][]float64, len(all))
	for run := range b.runs {
		body := text()
		// whoever is asked first finds the caches as others have left them
		for k := range all {
			i := (run + k) % len(all)
			v, err := decodeAfterPrompt(ctx, all[i], body)
			if err != nil {
				return err
			}
			figures[i] = append(figures[i], v)
		}
	}
	for kind, of := range rivals {
		r := row{what: what, unit: "tok/s", least: least[kind], ours: median(figures[0])}
		for _, i := range of {
			if v := median(figures[i]); v > r.theirs {
				r.theirs, r.setting = v, all[i].name
			}
		}
		if len(of) > 0 && r.least > 0 {
			b.add(r)
		}
	}
	return nil
}

// decodeAfterPrompt has the prompt read first, so that the time is the answer's.
func decodeAfterPrompt(ctx context.Context, c *contender, body object) (float64, error) {
	first := maps.Clone(body)
	first["max_tokens"] = 1
	if _, err := c.ask(ctx, "/v1/chat/completions", first); err != nil {
		return 0, err
	}
	a, err := c.ask(ctx, "/v1/chat/completions", body)
	return a.perSecond(a.generated), err
}

// repeatedCall asks for a call like one that was made, with a file in it.
func repeatedCall() object {
	var code strings.Builder
	for i, w := range strings.Fields("price weight tax discount volume") {
		fmt.Fprintf(&code, "def %s_total_%s(orders, %s):\n    return sum(o.%s for o in orders if o.%s > %d)\n\n", w, nonce()[:8], w, w, w, i)
	}
	// of strings
	arguments, _ := json.Marshal(object{"path": "src/orders/totals.py", "text": code.String()})
	question := object{"role": "user", "content": "Write src/orders/totals.py as it was."}
	messages := []object{}
	for i := range 2 {
		id := fmt.Sprint("call_", i)
		messages = append(messages, question,
			object{"role": "assistant", "content": nil, "tool_calls": []object{{"id": id, "type": "function",
				"function": object{"name": "write_file", "arguments": string(arguments)}}}},
			object{"role": "tool", "tool_call_id": id, "content": "ok"})
	}
	return callOf("write_file", object{"path": object{"type": "string", "maxLength": 60}, "text": object{"type": "string", "maxLength": 1500}},
		append(messages, question))
}

// fieldsCall asks for twenty fields that the conversation does not hold.
func fieldsCall() object {
	properties := object{}
	for i, w := range strings.Fields("name street city region country phone mail company title language colour size weight height width " +
		"material origin season style note") {
		properties[w] = []object{{"type": "string", "maxLength": 12}, {"type": "integer", "minimum": 0, "maximum": 9999}}[i%2]
	}
	return callOf("save_product", properties, []object{{"role": "user", "content": nonce() + "Save a product of your own invention."}})
}

func callOf(name string, properties object, messages []object) object {
	var required []string
	for key := range properties {
		required = append(required, key)
	}
	return object{"max_tokens": 400, "tool_choice": "required", "parallel_tool_calls": false, "messages": messages,
		"tools": []object{{"type": "function", "function": object{"name": name, "parameters": object{
			"type": "object", "required": required, "properties": properties, "additionalProperties": false}}}}}
}

// jsonAnswer asks for a list of short strings that nobody has said.
func jsonAnswer() object {
	item := object{"type": "object", "additionalProperties": false, "required": []string{"name", "colour"},
		"properties": object{"name": object{"type": "string", "maxLength": 12}, "colour": object{"type": "string", "maxLength": 8}}}
	return object{"max_tokens": 400,
		"messages": []object{{"role": "user", "content": nonce() + "Invent fifteen birds and their colours."}},
		"response_format": object{"type": "json_schema", "json_schema": object{"name": "birds", "strict": true, "schema": object{
			"type": "array", "minItems": 15, "maxItems": 15, "items": item}}}}
}

// freeText is sampled, and words are not to come again: a small model says everything twice.
func freeText() object {
	return object{"max_tokens": decodeTokens, "temperature": 1, "seed": 7, "repeat_penalty": 1.5, "repeat_last_n": 4096,
		"messages": []object{{"role": "user", "content": nonce() + "Tell me a story that nobody has heard."}}}
}

func TestDraftTexts_differInEachRun(t *testing.T) {
	for _, text := range []func() object{repeatedCall, fieldsCall, jsonAnswer, freeText} {
		a, errA := json.Marshal(text())
		b, errB := json.Marshal(text())
		if errA != nil || errB != nil || string(a) == string(b) {
			t.Errorf("%s, %v %v", a, errA, errB)
		}
	}
}
