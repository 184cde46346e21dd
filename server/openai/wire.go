package openai

import (
	"encoding/json"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/wire"
)

// The structs of https://platform.openai.com/docs/api-reference/chat and what local servers add to
// it (llama-server's sampling fields, reasoning_content). Nothing here decides anything.

// chatRequest is the body of POST /v1/chat/completions.
type chatRequest struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`

	Tools             []tool          `json:"tools"`
	ToolChoice        json.RawMessage `json:"tool_choice"` // a string or an object
	ParallelToolCalls *bool           `json:"parallel_tool_calls"`
	Functions         []wireFunction  `json:"functions"`     // the older form of tools
	FunctionCall      json.RawMessage `json:"function_call"` // the older form of tool_choice
	Modalities        []string        `json:"modalities"`

	Stream        bool           `json:"stream"`
	StreamOptions *streamOptions `json:"stream_options"`

	N                   *int            `json:"n"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Stop                json.RawMessage `json:"stop"` // a string or an array
	Logprobs            bool            `json:"logprobs"`
	TopLogprobs         *int            `json:"top_logprobs"`
	ResponseFormat      *responseFormat `json:"response_format"`
	ReasoningEffort     string          `json:"reasoning_effort"`

	samplingFields

	// of calls that the server executes
	Approvals []approval `json:"approvals"`
	// the client answers questions that come in its stream
	Elicitation        bool            `json:"elicitation"`
	TTL                *float64        `json:"ttl"`         // seconds, as LM Studio has it
	Grammar            string          `json:"grammar"`     // GBNF
	JSONSchema         json.RawMessage `json:"json_schema"` // what the whole answer must match
	ToolFormat         string          `json:"tool_format"`
	ChatTemplateKwargs map[string]any  `json:"chat_template_kwargs"`
	ThinkingBudget     *int            `json:"thinking_budget_tokens"`
	TimingsPerToken    bool            `json:"timings_per_token"`
	CachePrompt        *bool           `json:"cache_prompt"`
}

// samplingFields are how tokens are chosen: OpenAI's fields, and llama-server's.
type samplingFields struct {
	engine.SamplingNumbers[*float64, *int]
	LogitBias   map[string]float64 `json:"logit_bias"`
	Seed        *int64             `json:"seed"`
	DRYBreakers []string           `json:"dry_sequence_breakers"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type responseFormat struct {
	Type       string `json:"type"` // "text", "json_object", "json_schema"
	JSONSchema *struct {
		Name   wire.Unused     `json:"name"`
		Schema json.RawMessage `json:"schema"`
		Strict bool            `json:"strict"`
	} `json:"json_schema"`
	Schema json.RawMessage `json:"schema"` // beside json_object, as llama-server takes it
}

type message struct {
	Role             string          `json:"role"`
	Name             string          `json:"name"`
	Content          json.RawMessage `json:"content"` // a string, null, or parts
	ReasoningContent string          `json:"reasoning_content"`
	Reasoning        string          `json:"reasoning"`
	ToolCalls        []sentCall      `json:"tool_calls"`
	FunctionCall     *sentFunction   `json:"function_call"` // the older form of a call
	ToolCallID       string          `json:"tool_call_id"`
	Refusal          string          `json:"refusal"`
	ServerToolCalls  []serverCall    `json:"server_tool_calls"`
	Annotations      wire.Unused     `json:"annotations"` // of an answer that is sent back
}

// sentCall is a call in the history that a client sends.
type sentCall struct {
	ID       string        `json:"id"`
	Type     wire.Unused   `json:"type"`  // what is there says it
	Index    wire.Unused   `json:"index"` // of a delta that is sent back
	Function *sentFunction `json:"function"`
	Custom   *callCustom   `json:"custom"`
}

type sentFunction struct {
	Name string `json:"name"`
	// a string; some clients send the object itself
	Arguments json.RawMessage `json:"arguments"`
}

// serverCall is a call of a tool that the server executes, or would: an addition to the protocol.
// A stream tells what is asked and then, in another piece of the same index, what came of it.
type serverCall struct {
	Index     *int    `json:"index,omitempty"` // in deltas
	ID        string  `json:"id,omitempty"`
	Type      string  `json:"type,omitempty"` // "mcp_call", "approval_request"
	Label     string  `json:"server_label,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments string  `json:"arguments,omitempty"`
	Output    *string `json:"output,omitempty"`
	Error     *string `json:"error,omitempty"`
}

// approval is the client's answer to an approval_request.
type approval struct {
	ID      string `json:"id"`
	Approve bool   `json:"approve"`
	Reason  string `json:"reason"`
}

// serverQuestion is what a running tool asks the client's user, in a chunk of its own.
type serverQuestion struct {
	Label string `json:"server_label"`
	Name  string `json:"name"`
	chat.Question
}

// serverProgress is how far a running tool is, in a chunk of its own.
type serverProgress struct {
	ID      string  `json:"id"`
	Done    float64 `json:"done"`
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"`
}

type part struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
	// whatever kind of part it is of, that is what is told
	Image wire.Unused `json:"image_url"`
	Audio wire.Unused `json:"input_audio"`
	File  wire.Unused `json:"file"`
}

type tool struct {
	// "function", "custom", and as an addition "mcp", with the members that Responses has
	Type     string        `json:"type"`
	Function *wireFunction `json:"function"`
	Custom   *wireCustom   `json:"custom"`
	wire.MCPTool
}

type wireFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type wireCustom struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Format      *struct {
		Type    string        `json:"type"` // "text", "grammar"
		Grammar *wire.Grammar `json:"grammar"`
	} `json:"format"`
}

// choiceObject is tool_choice as an object.
type choiceObject struct {
	namedTool

	Allowed *struct {
		Mode  string      `json:"mode"` // "auto", "required"
		Tools []namedTool `json:"tools"`
	} `json:"allowed_tools"`
}

type namedTool struct {
	Type     string    `json:"type"` // "function", "custom"; of a choice also "allowed_tools"
	Function *nameOnly `json:"function"`
	Custom   *nameOnly `json:"custom"`
}

type nameOnly struct {
	Name string `json:"name"`
}

// chatCompletion is the whole answer and, with Delta instead of Message, a chunk of a streamed
// one.
type chatCompletion struct {
	ID string `json:"id"`
	// "chat.completion", "chat.completion.chunk"
	Object            string          `json:"object"`
	Created           int64           `json:"created"`
	Model             string          `json:"model"`
	SystemFingerprint string          `json:"system_fingerprint"`
	Choices           []choice        `json:"choices"`
	Usage             optionalUsage   `json:"usage,omitzero"`
	Timings           *wire.Timings   `json:"timings,omitempty"`
	Running           *serverProgress `json:"server_tool_progress,omitempty"`
	Question          *serverQuestion `json:"server_elicitation,omitempty"`
	*wire.Extra
}

type choice struct {
	Index        int       `json:"index"`
	Message      *answer   `json:"message,omitempty"`
	Delta        *delta    `json:"delta,omitempty"`
	Logprobs     *logprobs `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"`
}

// answer is a whole message; content is null beside calls alone.
type answer struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	Reasoning *string    `json:"reasoning_content,omitempty"`
	Refusal   *string    `json:"refusal"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`

	FunctionCall *callFunction `json:"function_call,omitempty"` // the older form

	ServerToolCalls []serverCall `json:"server_tool_calls,omitempty"`
}

type delta struct {
	Role      string     `json:"role,omitempty"`
	Content   *string    `json:"content,omitempty"`
	Reasoning *string    `json:"reasoning_content,omitempty"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`

	FunctionCall *callFunction `json:"function_call,omitempty"` // the older form

	ServerToolCalls []serverCall `json:"server_tool_calls,omitempty"`
}

type toolCall struct {
	Index    *int          `json:"index,omitempty"` // in deltas
	ID       string        `json:"id,omitempty"`
	Type     string        `json:"type,omitempty"` // "function", "custom"
	Function *callFunction `json:"function,omitempty"`
	Custom   *callCustom   `json:"custom,omitempty"`
}

type callFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type callCustom struct {
	Name  string `json:"name,omitempty"`
	Input string `json:"input"`
}

type logprobs struct {
	Content []wire.Logprob `json:"content"`
	Refusal []wire.Logprob `json:"refusal"`
}

type usage struct {
	PromptTokens            int               `json:"prompt_tokens"`
	CompletionTokens        int               `json:"completion_tokens"`
	TotalTokens             int               `json:"total_tokens"`
	PromptTokensDetails     promptDetails     `json:"prompt_tokens_details"`
	CompletionTokensDetails completionDetails `json:"completion_tokens_details"`
}

// optionalUsage is an answer's usage; in a stream that was asked for it, null until the last
// chunk.
type optionalUsage struct {
	wanted bool
	of     *usage // nil: not yet known
}

// IsZero tells whether the answer says nothing of its usage.
func (u optionalUsage) IsZero() bool { return !u.wanted }

// MarshalJSON implements json.Marshaler.
func (u optionalUsage) MarshalJSON() ([]byte, error) { return json.Marshal(u.of) }

type promptDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

type completionDetails struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}
