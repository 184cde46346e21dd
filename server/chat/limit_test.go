package chat

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/templates"
	"tenon/tools"
)

// A call that must come is asked for once more on an engine that cannot be made to write it, and
// is an error then; what was said in its place never leaves.
func TestLimit_aDemandedCallComesOrFails(t *testing.T) {
	const call = "<tool_call>\n{\"name\": \"book\", \"arguments\": {\"day\": \"y\", \"code\": \"aa\"}}\n</tool_call>"
	for name, c := range map[string]struct {
		replies []enginetest.Reply
		turns   int
		text    string
		fails   bool
	}{
		"at once":           {[]enginetest.Reply{pieces(call, 5)}, 1, "", false},
		"behind text":       {[]enginetest.Reply{pieces("Let me see. "+call, 5)}, 1, "Let me see.", false},
		"at the second try": {[]enginetest.Reply{pieces("I would rather not.", 5), pieces(call, 5)}, 2, "", false},
		"never":             {[]enginetest.Reply{pieces("I would rather not.", 5), pieces("Still not.", 5)}, 2, "", true},
		"cut off":           {[]enginetest.Reply{{Tokens: pieces("I would", 5).Tokens, Reason: engine.Length}}, 1, "I would", false},
	} {
		t.Run(name, func(t *testing.T) {
			e := enginetest.Script(c.replies...)
			e.Info.Can = enginetest.Textual
			r := request()
			r.Model, r.Tools, r.Choice = "hermes", []tools.Tool{booking}, tools.Choice{Mode: tools.Required}
			var text strings.Builder
			calls := 0
			err := (&Service{Models: scripted{e}}).Run(t.Context(), r, func(e Event) error {
				text.WriteString(e.Text[:len(e.Text)*b2i(e.Kind == Text)])
				calls += b2i(e.Kind == CallEnd)
				return nil
			})
			var failed *Error
			if c.fails != (errors.As(err, &failed) && failed.Field == "tool_choice") || !c.fails && err != nil {
				t.Fatalf("error %v", err)
			}
			if n := len(e.Turns()); n != c.turns || strings.TrimSpace(text.String()) != c.text || calls != b2i(!c.fails && name != "cut off") {
				t.Errorf("%d turns, %d calls, text %q", n, calls, text.String())
			}
		})
	}
}

func b2i(b bool) int { return map[bool]int{true: 1}[b] }

// What an engine cannot do is refused where leaving it out would break a promise, else named.
func TestLimit_whatAnEngineCannotDoIsSaid(t *testing.T) {
	schema := &tools.Answer{Syntax: "json_schema", Definition: `{"type":"object"}`}
	for name, c := range map[string]struct {
		change           func(*Request)
		refused, ignored string
	}{
		"strict tool":          {func(r *Request) { r.Tools = []tools.Tool{{Name: "a", Strict: true}} }, "tools[0].strict", ""},
		"strict format":        {func(r *Request) { r.Answer, r.AnswerPlace = schema, AnswerPlace{Field: "rf", Strict: true} }, "rf", ""},
		"grammar":              {func(r *Request) { r.Answer = &tools.Answer{Syntax: "gbnf", Definition: `root ::= "a"`} }, "response_format", ""},
		"format":               {func(r *Request) { r.Answer, r.AnswerPlace = schema, AnswerPlace{Field: "rf"} }, "", "rf ("},
		"logprobs":             {func(r *Request) { r.Logprobs = 2 }, "", "logprobs ("},
		"bias":                 {func(r *Request) { r.Sampling.LogitBias = map[int32]float32{0: 1} }, "", "logit_bias ("},
		"sampling":             {func(r *Request) { r.Sampling.TopK = new(int) }, "", "top_k ("},
		"thinking":             {func(r *Request) { r.Thinking.Budget = 7 }, "", "the budget of thinking"},
		"token 0 of a prompt":  {func(r *Request) { r.Prompt = engine.Prompt{{Origin: engine.Kept, Tokens: []int32{0}}} }, "prompt", ""},
		"nothing out of reach": {func(*Request) {}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, can := range []engine.Can{enginetest.Textual, engine.Everything} {
				e := enginetest.Script(enginetest.Say("fine"))
				e.Info.Can = can
				r := request()
				c.change(&r)
				var started Event
				err := AsErrorOrNil((&Service{Models: scripted{e}}).Run(t.Context(), r, func(e Event) error {
					if e.Kind == Started {
						started = e
					}
					return nil
				}))
				var failed *Error
				errors.As(err, &failed)
				if can == engine.Everything {
					if len(started.Weaker) > 0 || failed != nil && failed.Kind == NotSupportedHere {
						t.Errorf("an engine that can do everything: %v, %v", err, started.Weaker)
					}
					continue
				}
				if refused := failed != nil; refused != (c.refused != "") || refused && failed.Field != c.refused {
					t.Fatalf("error %v, want one of %q", err, c.refused)
				}
				if c.refused != "" {
					continue
				}
				named := slices.ContainsFunc(started.Ignored, func(s string) bool { return strings.HasPrefix(s, c.ignored) })
				if len(started.Weaker) == 0 || c.ignored != "" && !named || c.ignored == "" && len(started.Ignored) > 0 {
					t.Errorf("ignored %q, weaker %q", started.Ignored, started.Weaker)
				}
			}
		})
	}
}

// What an upstream that chats can be told is not named, what it cannot is.
func TestLimit_whatAnUpstreamCannotBeTold(t *testing.T) {
	seed, on := uint32(1), true
	r := request()
	r.Sampling.Seed, r.Thinking.Effort, r.Thinking.Enabled = &seed, "low", &on
	for chat, want := range map[string][]string{
		engine.ChatReads:                   {"seed", "the effort of thinking", "thinking", "response_format (this model's engine follows no grammar)"},
		"conversations,seed,effort,format": {"thinking", "response_format (this model's upstream is asked for it, and nothing says that it obeys)"},
	} {
		r := r
		r.Answer = &tools.Answer{Syntax: "json_schema", Definition: `{"type":"object"}`}
		can := enginetest.Textual
		can.Chat = chat
		got, err := limit(can, &r, 0)
		if err != nil || len(got) != len(want) || slices.ContainsFunc(want, func(w string) bool {
			return !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, w+" (") || g == w })
		}) {
			t.Errorf("%s: %q, %v; want %q", chat, got, err, want)
		}
		r.Prompt = engine.Plain("a text")
		var failed *Error
		if _, err := limit(can, &r, 0); !errors.As(err, &failed) || failed.Field != "prompt" {
			t.Errorf("a text to go on with: %v", err)
		}
	}
}

// An upstream is asked to think as the rules of its API let it; where they do not, that is named.
func TestLimit_thinkingByTheUpstreamsRules(t *testing.T) {
	const budget, decides = "conversations,budget", "conversations,thinking,effort"
	on, hot, off := true, float32(1), false
	said := func(r templates.Role, calls ...templates.Call) templates.Message {
		return templates.Message{Role: r, Text: "a", Calls: calls}
	}
	called := []templates.Message{said(templates.User), said(templates.Assistant, templates.Call{Name: "a"}), said(templates.ToolRole)}
	for name, c := range map[string]struct {
		chat    string
		change  func(*Request)
		thought int
		ignored []string
	}{
		"a budget":             {budget, func(r *Request) { r.Thinking.Budget = 2000 }, 2000, []string{"the budget of thinking (this model's upstream is asked"}},
		"one below the least":  {budget, func(r *Request) { r.Thinking.Budget = 10 }, 1024, []string{"the budget of thinking (this model's upstream is asked"}},
		"one above the answer": {budget, func(r *Request) { r.Thinking.Budget, r.MaxTokens = 9000, 5000 }, 4999, []string{"the budget of thinking (this model's upstream is asked"}},
		"an effort":            {budget, func(r *Request) { r.Thinking.Effort = "low" }, 1638, nil},
		"one of a long answer": {budget, func(r *Request) { r.Thinking.Effort, r.MaxTokens = "high", 20000 }, 16000, nil},
		"thinking":             {budget, func(r *Request) { r.Thinking.Enabled = &on }, 4096, nil},
		"a short answer":       {budget, func(r *Request) { r.Thinking.Enabled, r.MaxTokens = &on, 1024 }, 0, []string{"thinking (this model's upstream refuses it where the answer has at most 1024"}},
		"behind a call":        {budget, func(r *Request) { r.Thinking.Enabled, r.Conversation.Messages = &on, called }, 0, []string{"thinking (this model's upstream refuses it where the answer before had calls"}},
		"behind another answer": {budget, func(r *Request) {
			r.Thinking.Enabled, r.Conversation.Messages = &on, append(called, said(templates.Assistant), said(templates.User))
		}, 4096, nil},
		"a call is demanded": {budget, func(r *Request) { r.Thinking.Enabled, r.Choice.Mode = &on, tools.Required }, 0, []string{"thinking (this model's upstream refuses it where a call"}},
		"an answer goes on": {budget, func(r *Request) {
			r.Thinking.Enabled, r.Conversation.Messages = &on, []templates.Message{said(templates.User), said(templates.Assistant)}
		}, 0, []string{"thinking (this model's upstream refuses it where an answer"}},
		"sampling":                {budget, func(r *Request) { r.Thinking.Enabled, r.Sampling.Temperature = &on, &hot }, 4096, []string{"temperature (this model's upstream takes none while it thinks"}},
		"none":                    {budget, func(r *Request) { r.Thinking.Enabled = &off }, 0, []string{"thinking (this model's upstream cannot be told"}},
		"nothing":                 {budget, func(*Request) {}, 0, nil},
		"it decides":              {decides, func(r *Request) { r.Thinking.Effort, r.Conversation.Messages = "low", called }, -1, nil},
		"it decides, a budget":    {decides, func(r *Request) { r.Thinking.Budget, r.MaxTokens = 2000, 100 }, -1, []string{"the budget of thinking (this model's engine keeps to none"}},
		"it decides, a call":      {decides, func(r *Request) { r.Thinking.Effort, r.Choice.Mode = "low", tools.Required }, 0, []string{"thinking (this model's upstream refuses it where a call"}},
		"it decides, nothing":     {decides, func(*Request) {}, 0, nil},
		"it knows no thinking":    {engine.ChatReads, func(r *Request) { r.Thinking.Enabled = &on }, 0, []string{"thinking (this model's upstream cannot be told"}},
		"it knows effort as such": {"conversations,effort", func(r *Request) { r.Thinking.Effort = "low" }, 0, nil},
	} {
		r := request()
		r.Conversation.Messages = []templates.Message{said(templates.User)}
		c.change(&r)
		can := enginetest.Textual
		can.Chat = c.chat
		thought := wishes(can, r, r.MaxTokens).Thought
		ignored, err := limit(can, &r, r.MaxTokens)
		if err != nil || thought != c.thought || len(ignored) != len(c.ignored) || len(ignored) > 0 && !strings.HasPrefix(ignored[0], c.ignored[0]) {
			t.Errorf("%s: %d tokens, %q, %v", name, thought, ignored, err)
		}
	}
}

// Tokens without ids are not all the same token, which would be a loop.
func TestLimit_noIDIsNoLoop(t *testing.T) {
	var g loopGuard
	for i := range 3 * loopTokens {
		if g.token(engine.Token{ID: engine.NoID, Bytes: []byte(strings.Repeat("a", 1+i*i%101))}) {
			t.Fatalf("token %d is a loop", i)
		}
	}
}

// Prompts are counted by estimate where the engine does not tokenize, and the count says so.
func TestLimit_withoutTokenizerCountsAreEstimates(t *testing.T) {
	e := enginetest.Script()
	e.Info.Can = enginetest.Textual
	r := request()
	n, err := (&Service{Models: scripted{e}}).Count(t.Context(), r)
	if err != nil || !n.Estimated || n.N == 0 {
		t.Errorf("%+v, %v", n, err)
	}
}
