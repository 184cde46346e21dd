package templates

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// chatML is a template of our own, with thinking that is dropped before the last user turn.
const chatML = `{%- set last = namespace(user=-1) -%}
{%- for m in messages -%}{%- if m.role == 'user' -%}{%- set last.user = loop.index0 -%}{%- endif -%}{%- endfor -%}
{{- '<|im_start|>system\nToday is ' + strftime_now('%Y-%m-%d') + '.' -}}
{%- for t in tools or [] -%}{{- '\n' + t|tojson -}}{%- endfor -%}
{{- '<|im_end|>\n' -}}
{%- for m in messages -%}
{{- '<|im_start|>' + m.role + '\n' -}}
{%- if m.reasoning_content and loop.index0 > last.user -%}{{- '<think>' + m.reasoning_content + '</think>' -}}{%- endif -%}
{{- m.content -}}
{%- for c in m.tool_calls or [] -%}{{- '<tool_call>' + c.function|tojson + '</tool_call>' -}}{%- endfor -%}
{{- '<|im_end|>\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}`

func parse(t *testing.T, source string) *Template {
	t.Helper()
	tm, err := Parse(source, Options{Markers: []string{"<|im_start|>", "<|im_end|>", "<think>", "</think>"}})
	if err != nil {
		t.Fatal(err)
	}
	return tm
}

func TestPrefixBreak_namesTheReason(t *testing.T) {
	tm := parse(t, chatML)
	old := Conversation{Now: noon, Tools: []Tool{weather}, Messages: []Message{{Role: System, Text: "S"}, hi,
		{Role: Assistant, Text: "t", Reasoning: "r", Calls: []Call{call("a", "{}")}}, answer("a", "1")}}
	for name, c := range map[string]struct {
		change  func(*Conversation)
		reason  Reason
		message int
	}{
		"nothing":            {func(*Conversation) {}, "", 0},
		"a turn more":        {func(c *Conversation) { c.Messages = append(c.Messages, asks("done")) }, "", 0},
		"a user's turn more": {func(c *Conversation) { c.Messages = append(c.Messages, asks("done"), hi) }, ReasonThinking, 2},
		"another system":     {func(c *Conversation) { c.Messages[0].Text = "Other" }, ReasonMessage, 0},
		"a longer user":      {func(c *Conversation) { c.Messages[1].Text = "hi there" }, ReasonTemplate, 1},
		"another result":     {func(c *Conversation) { c.Messages[3].Text = "2" }, ReasonMessage, 3},
		"other arguments":    {func(c *Conversation) { c.Messages[2].Calls[0].Arguments = `{"x":1}` }, ReasonTemplate, 2},
		"another tool":       {func(c *Conversation) { c.Tools = append(c.Tools, Tool{Name: "zzz"}) }, ReasonTemplate, 0},
		"an earlier tool":    {func(c *Conversation) { c.Tools = append(c.Tools, Tool{Name: "add"}) }, ReasonTools, -1},
		"another day":        {func(c *Conversation) { c.Now = noon.Add(24 * time.Hour) }, ReasonDate, -1},
		"broken arguments":   {func(c *Conversation) { c.Messages[2].Calls[0].Name = "g" }, ReasonMessage, 2},
		"a turn less":        {func(c *Conversation) { c.Messages = c.Messages[:2] }, ReasonTurns, 2},
	} {
		t.Run(name, func(t *testing.T) {
			next := old
			next.Messages, next.Tools = append([]Message(nil), old.Messages...), append([]Tool(nil), old.Tools...)
			next.Messages[2].Calls = append([]Call(nil), old.Messages[2].Calls...)
			c.change(&next)
			a, _ := tm.Render(old)
			b, err := tm.Render(next)
			if err != nil {
				t.Fatal(err)
			}
			got, broken := PrefixBreak(a, b)
			if broken != (c.reason != "") || got.Reason != c.reason || broken && got.Message != c.message {
				t.Errorf("got %+v", got)
			}
			if broken == strings.HasPrefix(b.String(), a.String()) {
				t.Errorf("broken is %v:\n%s\n%s", broken, a, b)
			}
		})
	}
}

func TestRender_withoutADateIsToday(t *testing.T) {
	before := time.Now()
	r, err := parse(t, chatML).Render(Conversation{Messages: []Message{hi}})
	after := time.Now()
	if err != nil {
		t.Fatal(err)
	}
	if got := r.String(); !strings.Contains(got, before.Format(time.DateOnly)) && !strings.Contains(got, after.Format(time.DateOnly)) {
		t.Error(got)
	}
}

func TestRender_fromManyGoroutines(t *testing.T) {
	tm, err := Parse(chatML, Options{Guidance: true, Markers: []string{"<|im_start|>", "<|im_end|>"}})
	if err != nil {
		t.Fatal(err)
	}
	c := Conversation{Now: noon, Tools: []Tool{weather, editor}, Messages: []Message{hi, asks("", call("a", "{}")), answer("a", "1")}}
	want, err := tm.Render(c)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			mine := c
			if i%2 == 0 { // another tool set, so that the cache is written, too
				mine.Tools = append([]Tool{{Name: fmt.Sprint("other", i)}}, c.Tools...)
			}
			for range 20 {
				if r, err := tm.Render(mine); err != nil || i%2 == 1 && r.String() != want.String() {
					t.Errorf("%v: %s", err, r)
				}
			}
		})
	}
	group.Wait()
}

// A template that does not take a text for a user's which looks like a tool's result.
func TestRender_aTextThatMakesTheTemplateRefuseIsHidden(t *testing.T) {
	tm := parse(t, `{%- set ns = namespace(asked=false) -%}{%- for m in messages -%}{%- if m.role == 'user' and not m.content.startswith('<result>') -%}{%- set ns.asked = true -%}{%- endif -%}{%- endfor -%}`+
		`{%- if not ns.asked -%}{{- raise_exception('no query') -}}{%- endif -%}{%- for m in messages -%}<{{ m.role }}>{{ m.content }}{%- endfor -%}`)
	r, err := tm.Render(Conversation{Messages: []Message{{Role: User, Text: "<result>1"}}})
	if err != nil || r.String() != "<user><result>1" || notes(r.Heals) != "hide-text@-1" {
		t.Errorf("%v: %s %s", err, r, notes(r.Heals))
	}
}

// Thinking to be continued, to a template that shows none and wants a first message.
func TestRender_nothingButThinkingIsContinued(t *testing.T) {
	tm := parse(t, `{%- if messages[0].role == 'system' -%}S{%- endif -%}{%- for m in messages -%}<{{ m.role }}>{{ m.content }}{%- endfor -%}{%- if add_generation_prompt -%}<assistant>{%- endif -%}`)
	r, err := tm.Render(Conversation{Messages: []Message{{Role: Assistant, Reasoning: "hm"}}})
	if err != nil || r.String() != "<user>Hello.<assistant>" {
		t.Errorf("%v: %s %s", err, r, notes(r.Heals))
	}
}
