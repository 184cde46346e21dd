package chat

import (
	"fmt"
	"time"

	"tenon/engine"
	"tenon/templates"
	"tenon/tools"
)

// Request is one turn to generate, in no protocol's shape.
type Request struct {
	Model        string
	Conversation templates.Conversation
	Prompt       engine.Prompt // set: continue this text as it is, without template and conversation
	Suffix       string        // with Prompt: what comes after the gap that is to be filled
	Tools        []tools.Tool
	Places       ToolPlaces // of the tools
	Hosted       Hosted     // tools that the server is asked to execute
	Choice       tools.Choice
	OneCall      bool // at most one call (parallel_tool_calls: false)
	Thinking     Thinking
	Answer       *tools.Answer
	AnswerPlace  AnswerPlace
	Stops        []string
	Sampling     engine.Sampling
	MaxTokens    int // 0: what the context leaves
	N            int // choices; 0 means 1. Choice i is sampled with Seed+i.
	Logprobs     int // alternatives beside each token's own; -1: none wanted
	ToolFormat   string
	TTL          time.Duration // the model is unloaded when idle so long; 0: as its settings say
	Truncate     bool          // leave out the conversation's beginning rather than fail where it is too long
	Whole        bool          // nothing of the answer is shown before its end
	CacheKey     string        // who asks; cached state is never shared between keys
	Forget       bool          // nothing of the turn is kept; CacheKey is its own
	Ignored      []string      // fields that were accepted and have no effect, reported in a header
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
	Enabled *bool
	Effort  string // "low", "medium", "high" and what else the template knows
	Budget  int    // tokens; 0: no limit
}
