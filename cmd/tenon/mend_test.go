//go:build cgo

package main

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/worker"
	"tenon/engine/worker/native"
	"tenon/server/chat"
	"tenon/templates"
	"tenon/tools"
)

// tiny serves a tiny real model in-process, which calls tools in the way of a family.
type tiny struct {
	engine  engine.Engine
	dialect string
}

func (m tiny) Acquire(context.Context, string) (chat.Model, func(), error) {
	d, _ := tools.Lookup(m.dialect)
	return chat.Model{ID: "tiny", Engine: m.engine, Renderer: ownWay{}, Dialect: d}, func() {}, nil
}

// ownWay is the built-in rendering that leaves the way of calling to the family.
type ownWay struct{ templates.Builtin }

func (o ownWay) Render(c templates.Conversation) (templates.Rendering, error) {
	r, err := o.Builtin.Render(c)
	r.Protocol = templates.Native
	return r, err
}

func loadTiny(t *testing.T, kind tinymodel.Kind) engine.Engine {
	t.Helper()
	path := tinymodel.File(t, tinymodel.Options{Kind: kind})
	e, err := native.Load(t.Context(), worker.Options{Model: path, Context: 4096, Slots: 2, Threads: 1, FlashAttention: worker.Off}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func book(t *testing.T, e engine.Engine, dialect, pattern string, seed uint32) chat.Choice {
	t.Helper()
	schema := `{"type":"object","properties":{"kind":{"enum":["x","y"]},"code":{"type":"string","maxLength":12}},
		"required":["kind","code"],"additionalProperties":false,
		"if":{"required":["kind"]},"then":{"properties":{"code":{"pattern":` + quoted(pattern) + `}}}}`
	hot, off := float32(1), false
	var c chat.Collector
	err := (&chat.Service{Models: tiny{e, dialect}}).Run(t.Context(), chat.Request{
		Model: "tiny", Logprobs: -1, OneCall: true, MaxTokens: 600, Thinking: chat.Thinking{Enabled: &off},
		Tools:        []tools.Tool{{Name: "book", Parameters: json.RawMessage(schema)}},
		Choice:       tools.Choice{Mode: tools.Required},
		Sampling:     engine.Sampling{Numbers: engine.Numbers{Temperature: &hot}, Seed: &seed},
		Conversation: templates.Conversation{Messages: []templates.Message{{Role: templates.User, Text: "Book the room."}}},
	}, c.Add)
	if err != nil {
		t.Fatal(err)
	}
	return c.Result().Choices[0]
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always marshals
	return string(b)
}

// Issue 6, on a real engine and every kind of memory.
func TestMend_onARealEngine(t *testing.T) {
	for _, kind := range []tinymodel.Kind{tinymodel.FullAttention, tinymodel.SlidingWindow, tinymodel.Hybrid} {
		t.Run(string(kind), func(t *testing.T) {
			e := loadTiny(t, kind)
			t.Run("what the mask does not enforce is written anew until it is valid", func(t *testing.T) { testWrittenAnew(t, e) })
			t.Run("what stays invalid is no call", func(t *testing.T) { testStaysInvalid(t, e) })
		})
	}
}

func testWrittenAnew(t *testing.T, e engine.Engine) {
	const pattern = `^[a-z]{3}-[0-9]$`
	rewinds := 0
	for seed := range uint32(2) {
		c := book(t, e, "qwen3-coder", pattern, seed)
		rewinds += c.Finish.Mending.Rewinds
		if len(c.Calls) != 1 || c.Finish.Reason != chat.ToolCalls {
			t.Fatalf("seed %d: %q, %+v", seed, c.Text, c.Finish)
		}
		var args struct{ Code, Kind string }
		if err := json.Unmarshal(c.Calls[0].Arguments, &args); err != nil || !regexp.MustCompile(pattern).MatchString(args.Code) {
			t.Errorf("seed %d: %s", seed, c.Calls[0].Arguments)
		}
	}
	if rewinds == 0 {
		t.Error("nothing was ever written anew")
	}
}

// testStaysInvalid has a pattern that no automaton decides and no string of that length meets: the
// tries end, the turn is tried again once, and what comes out is text, with all of it told.
func testStaysInvalid(t *testing.T, e engine.Engine) {
	c := book(t, e, "hermes", `^([a-z]{6})([0-9]{3})-\2\1$`, 3)
	m := c.Finish.Mending
	if len(c.Calls) != 0 || c.Text == "" || c.Finish.Reason != chat.Stop || m.Refused != 1 || m.Retries != 1 || m.Rewinds == 0 || m.Rewinds > 6 {
		t.Errorf("%q, calls %v, %+v", c.Text, c.Calls, c.Finish)
	}
	if len(c.Finish.Notes) < m.Rewinds+m.Retries+1 {
		t.Errorf("notes %v of %+v", c.Finish.Notes, m)
	}
}
