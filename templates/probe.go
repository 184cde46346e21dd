package templates

import (
	"encoding/json"
	"slices"
	"strings"

	"tenon/templates/canonical"
	"tenon/templates/schema"
)

// Probe is what a template does, found out by rendering canonical conversations with it rather
// than by its name.
type Probe struct {
	// Edit names the mend that was applied to the template, "" if none; see [Edits].
	Edit string `json:"edit,omitempty"`

	System     SystemSupport `json:"system"`
	SystemMany bool          `json:"system_many"` // several at the beginning are all shown
	// the role developer means something of its own or the same as system
	Developer   bool `json:"developer"`
	Alternation bool `json:"alternation"` // turns of one role in a row are refused
	UserFirst   bool `json:"user_first"`  // the first turn must be the user's
	// a conversation without a user's turn is refused
	UserNeeded bool `json:"user_needed"`

	Tools ToolPlace   `json:"tools"` // where declared tools are shown
	Calls CallSupport `json:"calls"` // how many calls a turn may have
	// a turn with text and calls shows its calls
	CallsWithText bool `json:"calls_with_text"`
	// handed over as "object" or "string"; "" without calls
	Arguments string      `json:"arguments"`
	IDs       IDFormat    `json:"ids"`
	Results   ResultMatch `json:"results"` // how a result says which call it answers

	// Written: the template shows declared tools and results but no calls, which are written
	// into the turn's text.
	Written bool `json:"written"`
	// Described: the template shows calls and results but no declared tools, which are told in
	// words.
	Described bool `json:"described"`

	// where earlier thinking is read from: "fields", "blocks", "inline" or ""
	Thinking string `json:"thinking"`
	// thinking and text before a call may stand in one turn
	ThinkingWithText bool `json:"thinking_with_text"`
	// opening and closing one, where the template writes them
	ThinkingMarkers []string `json:"thinking_markers"`
	// arguments that change the thinking
	Switches []Switch `json:"switches"`
	// what is not shown again in later turns
	Drops []string `json:"drops"`

	GenerationPrompt string   `json:"generation_prompt"` // opens the assistant's turn
	AfterResult      string   `json:"after_result"`      // the same after a tool's result
	TurnEnd          string   `json:"turn_end"`          // closes an assistant's turn
	PrefilledThought bool     `json:"prefilled_thinking"`
	Dates            bool     `json:"dates"` // the prompt depends on the day
	UnknownMarkers   []string `json:"unknown_markers"`

	Shown canonical.Turns `json:"-"` // by which package tools tells the dialect

	silent bool // of a template that shows declared tools and results, but no calls
}

// SystemSupport is where a template takes system messages.
type SystemSupport string

const (
	SystemNone     SystemSupport = "none"
	SystemFirst    SystemSupport = "first"
	SystemAnywhere SystemSupport = "anywhere"
)

// ToolPlace is where a template shows declared tools.
type ToolPlace string

const (
	ToolsNone      ToolPlace = ""
	ToolsInSystem  ToolPlace = "system"
	ToolsFirstUser ToolPlace = "first user turn"
	ToolsLastUser  ToolPlace = "last user turn"
)

// CallSupport is how many calls a template shows in one turn.
type CallSupport string

const (
	CallsNone CallSupport = ""
	CallsOne  CallSupport = "one"
	CallsMany CallSupport = "many"
)

// ResultMatch is how a shown result says which call it answers.
type ResultMatch string

const (
	ResultsNone    ResultMatch = ""
	ResultsByID    ResultMatch = "id"
	ResultsByName  ResultMatch = "name"
	ResultsByOrder ResultMatch = "order"
)

// Switch is a template argument that changes the model's thinking, or the word /no_think in a
// system message, which has no values.
type Switch struct {
	Name   string   `json:"name"`
	Values []string `json:"values"` // as JSON; each changes the prompt or is the default
	// which of them the template takes if it is not given; "" if none
	Default string `json:"default"`
}

// Native says whether the template shows declared tools, calls and results.
func (p Probe) Native() bool {
	return p.Tools != ToolsNone && p.Calls != CallsNone && p.Results != ResultsNone
}

// protocol decides how calls are written in a conversation.
func (p Probe) protocol(c Conversation) Protocol {
	switch {
	case c.Protocol == JSON || c.Protocol == ReAct || c.Protocol == XML:
		return c.Protocol
	case p.Native() || p.Described || p.Written:
		return Native
	}
	return JSON
}

// strict makes a probe that takes only the plainest conversations.
func (p *Probe) strict() {
	if p.System == SystemAnywhere {
		p.System = SystemFirst
	}
	p.SystemMany, p.Developer = false, false
	p.Alternation, p.UserFirst, p.UserNeeded = true, true, true
	p.Tools, p.Calls, p.ThinkingWithText = ToolsNone, CallsNone, true
	p.Written = false
}

// opensThinking says whether text that ends a prompt leaves thinking open.
func (p Probe) opensThinking(tail string) bool {
	pairs := thinkingPairs
	if len(p.ThinkingMarkers) == 2 {
		pairs = append([][2]string{{p.ThinkingMarkers[0], p.ThinkingMarkers[1]}}, pairs...)
	}
	for _, pair := range pairs {
		if at := strings.LastIndex(tail, pair[0]); at >= 0 {
			return !strings.Contains(tail[at:], pair[1])
		}
	}
	return false
}

// thinkingPairs are markers that templates open thinking with in the generation prompt though they
// never show any.
var thinkingPairs = [][2]string{
	{"<think>", "</think>"}, {"<seed:think>", "</seed:think>"}, {"[THINK]", "[/THINK]"}, {"<mm:think>", "</mm:think>"},
	{"<|START_THINKING|>", "<|END_THINKING|>"}, {"<|channel>thought", "<channel|>"}, {"<|inner_prefix|>", "<|inner_suffix|>"},
	{"<|channel|>analysis<|message|>", "<|end|>"}, {"<|think|>", "<|end|>"},
}

// value is what a wish about thinking sets the switch to; nil leaves it alone.
func (s Switch) value(t Thinking) any {
	off := t.Enabled != nil && !*t.Enabled
	switch s.Name {
	case "enable_thinking", "thinking", "reasoning":
		if t.Enabled != nil {
			return *t.Enabled
		}
	case "skip_thinking":
		if off {
			return true
		}
	case "thinking_budget":
		if off {
			return json.Number("0")
		}
	case "reasoning_effort":
		if t.Effort != "" && slices.Contains(s.Values, schema.Quote(t.Effort)) {
			return t.Effort
		}
		if off && t.Effort == "" {
			return "low"
		}
	}
	return nil
}

// offWord is text that some templates, told it in a system message, switch thinking off by.
const offWord = "/no_think"

// saysOff says whether a wish has to be said in words, for want of an argument.
func (p Probe) saysOff(t Thinking) bool {
	if t.Enabled == nil || *t.Enabled {
		return false
	}
	word := false
	for _, s := range p.Switches {
		if s.Name != "reasoning_effort" && s.value(t) != nil {
			return false
		}
		word = word || s.Name == offWord
	}
	return word
}
