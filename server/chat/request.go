package chat

import (
	"fmt"
	"time"

	"tenon/engine"
	"tenon/templates"
	"tenon/tools"
)

// Request is one turn to generate, in no protocol's shape.
//
// As JSON it is part of a record, without what a replay does not need: how tokens are chosen and
// what is cached for whom.
type Request struct {
	Model        string                 `json:"-"`
	Conversation templates.Conversation `json:"conversation"`
	// set: continue this text as it is, without template and conversation
	Prompt engine.Prompt `json:"prompt,omitempty"`
	// with Prompt: what comes after the gap that is to be filled
	Suffix string       `json:"suffix,omitempty"`
	Tools  []tools.Tool `json:"tools,omitempty"`
	Places ToolPlaces   `json:"-"` // of the tools
	Hosted Hosted       `json:"-"` // tools that the server is asked to execute
	Choice tools.Choice `json:"tool_choice"`
	// at most one call (parallel_tool_calls: false)
	OneCall bool `json:"one_call,omitempty"`
	// several calls are asked for (parallel_tool_calls: true)
	Several     bool            `json:"several,omitempty"`
	Thinking    Thinking        `json:"thinking"`
	Answer      *tools.Answer   `json:"answer,omitempty"`
	AnswerPlace AnswerPlace     `json:"answer_place,omitzero"`
	Stops       []string        `json:"stops,omitempty"`
	Sampling    engine.Sampling `json:"-"`
	// 0: what the context leaves
	MaxTokens int `json:"max_tokens,omitempty"`
	// choices; 0 means 1. Choice i is sampled with Seed+i.
	N int `json:"n,omitempty"`
	// alternatives beside each token's own; -1: none wanted
	Logprobs   int    `json:"logprobs"`
	ToolFormat string `json:"tool_format,omitempty"`
	// the model is unloaded when idle so long; 0: as its settings say
	TTL time.Duration `json:"-"`
	// leave out the conversation's beginning rather than fail where it is too long
	Truncate bool `json:"-"`
	// nothing of the answer is shown before its end
	Whole bool `json:"-"`
	// who asks; cached state is never shared between keys
	CacheKey string `json:"-"`
	// nothing of the turn is kept; CacheKey is its own
	Forget bool `json:"-"`
	// fields that were accepted and have no effect, reported in a header
	Ignored []string `json:"ignored,omitempty"`
}

// ToolPlaces are where a turn's tools stand in the client's request, for errors that name them.
type ToolPlaces struct {
	Tools      []string // such as "tools[3].function"; nil: tools[i]
	Parameters string   // what the protocol calls a tool's parameters; "": parameters
}

// field is the place of a tool's member, or of the tool itself, if member is "".
func (p ToolPlaces) field(tool int, member string) string {
	place := fmt.Sprintf("tools[%d]", tool)
	if tool < len(p.Tools) {
		place = p.Tools[tool]
	}
	if member == "parameters" && p.Parameters != "" {
		member = p.Parameters
	}
	if member == "" {
		return place
	}
	return place + "." + member
}

// Thinking is what the client asked of the model's thinking. The zero value leaves it to the model
// and its template.
type Thinking struct {
	Enabled *bool `json:"enabled,omitempty"`
	// one of [Efforts]; "": as the model likes
	Effort string `json:"effort,omitempty"`
	Budget int    `json:"budget,omitempty"` // tokens; 0: no limit
}
