package responses

import (
	"encoding/json"

	"tenon/server/chat"
	"tenon/server/wire"
)

// What may be asked for with include and adds something here.
const (
	includeReasoning = "reasoning.encrypted_content"
	includeLogprobs  = "message.output_text.logprobs"
)

// createRequest is the body of POST /v1/responses.
type createRequest struct {
	Model              string            `json:"model"`
	Input              json.RawMessage   `json:"input"` // a string or items
	Instructions       *string           `json:"instructions"`
	PreviousResponseID string            `json:"previous_response_id"`
	Store              *bool             `json:"store"`
	Stream             bool              `json:"stream"`
	Background         bool              `json:"background"`
	Include            []string          `json:"include"`
	Metadata           map[string]string `json:"metadata"`

	Tools             json.RawMessage `json:"tools"`
	ToolChoice        json.RawMessage `json:"tool_choice"`
	ParallelToolCalls *bool           `json:"parallel_tool_calls"`

	Text      *textConfig `json:"text"`
	Reasoning *reasoning  `json:"reasoning"`

	MaxOutputTokens *int     `json:"max_output_tokens"`
	Temperature     *float64 `json:"temperature"`
	TopP            *float64 `json:"top_p"`
	TopLogprobs     *int     `json:"top_logprobs"`
	Truncation      string   `json:"truncation"`

	ToolFormat         string         `json:"tool_format"`
	ChatTemplateKwargs map[string]any `json:"chat_template_kwargs"`
	Grammar            string         `json:"grammar"` // GBNF
	ThinkingBudget     *int           `json:"thinking_budget_tokens"`
	TimingsPerToken    bool           `json:"timings_per_token"`
}

type textConfig struct {
	Format    *textFormat `json:"format,omitempty"`
	Verbosity string      `json:"verbosity,omitempty"`
}

type textFormat struct {
	Type   string          `json:"type"` // "text", "json_object", "json_schema"
	Name   string          `json:"name,omitempty"`
	Schema json.RawMessage `json:"schema,omitempty"`
	Strict *bool           `json:"strict,omitempty"`
}

type reasoning struct {
	Effort  *string `json:"effort"`
	Summary *string `json:"summary"`
	Older   *string `json:"generate_summary,omitempty"` // the name that summary had
}

type tool struct {
	// "function", "custom", "namespace", or a hosted tool's
	Type        string          `json:"type"`
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
	Format      *customFormat   `json:"format,omitempty"`
	Tools       json.RawMessage `json:"tools,omitempty"` // of a namespace

	inner []tool            // the same, decoded
	asked *chat.HostedTools // of an MCP server
	raw   json.RawMessage   // as it was sent, but for credentials
}

type customFormat struct {
	Type string `json:"type"` // "text", "grammar"
	wire.Grammar
}

// choiceObject is tool_choice as an object.
type choiceObject struct {
	namedTool

	Mode  string      `json:"mode"` // of allowed_tools
	Tools []namedTool `json:"tools"`
}

type namedTool struct {
	// "function", "custom"; of a choice also "mcp", "allowed_tools"
	Type      string `json:"type"`
	Label     string `json:"server_label"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

// item is an input or output item of any type.
type item struct {
	Type   string `json:"type,omitempty"`
	ID     string `json:"id,omitempty"`
	Status string `json:"status,omitempty"`

	Role string `json:"role,omitempty"`
	// of a message: a string or parts; of reasoning: parts
	Content json.RawMessage `json:"content,omitempty"`

	CallID    string `json:"call_id,omitempty"`
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	// a string; in tool_search_call an object
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Input     string          `json:"input,omitempty"`
	Output    json.RawMessage `json:"output,omitempty"` // a string or parts

	Summary   []summaryPart `json:"summary,omitempty"`
	Encrypted string        `json:"encrypted_content,omitempty"`

	Tools json.RawMessage `json:"tools,omitempty"` // of additional_tools

	Label    string          `json:"server_label,omitempty"` // of mcp_call and its like
	Error    json.RawMessage `json:"error,omitempty"`
	Approval string          `json:"approval_request_id,omitempty"`
	Approve  *bool           `json:"approve,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Action   json.RawMessage `json:"action,omitempty"` // of web_search_call
}

type contentPart struct {
	// "input_text", "output_text", "text", "refusal", "reasoning_text", "summary_text"
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`

	Annotations wire.Unused `json:"annotations"` // of an answer that is sent back
	Logprobs    wire.Unused `json:"logprobs"`
}

// The output items, whole.
type (
	messageItem struct {
		Type    string `json:"type"` // "message"
		ID      string `json:"id"`
		Status  string `json:"status"`
		Role    string `json:"role"` // "assistant"
		Content []any  `json:"content"`
	}
	outputText struct {
		Type        string         `json:"type"` // "output_text"
		Text        string         `json:"text"`
		Annotations []any          `json:"annotations"`
		Logprobs    []wire.Logprob `json:"logprobs"`
	}
	reasoningItem struct {
		Type      string          `json:"type"` // "reasoning"
		ID        string          `json:"id"`
		Status    string          `json:"status"`
		Summary   []summaryPart   `json:"summary"`
		Content   []reasoningText `json:"content,omitempty"`
		Encrypted *string         `json:"encrypted_content,omitempty"`
	}
	summaryPart struct {
		Type string `json:"type"` // "summary_text"
		Text string `json:"text"`
	}
	reasoningText struct {
		Type string `json:"type"` // "reasoning_text"
		Text string `json:"text"`
	}
	functionCallItem struct {
		Type      string `json:"type"` // "function_call"
		ID        string `json:"id"`
		Status    string `json:"status"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Namespace string `json:"namespace,omitempty"`
		Arguments string `json:"arguments"`
	}
	mcpCallItem struct {
		Type      string    `json:"type"` // "mcp_call"
		ID        string    `json:"id"`
		Status    string    `json:"status"`
		Label     string    `json:"server_label"`
		Name      string    `json:"name"`
		Arguments string    `json:"arguments"`
		Output    *string   `json:"output"`
		Error     *mcpError `json:"error"`
		Approval  *string   `json:"approval_request_id"`
	}
	mcpError struct {
		Type    string      `json:"type"` // "mcp_tool_execution_error"
		Content []inputText `json:"content"`
	}
	mcpListItem struct {
		Type  string       `json:"type"` // "mcp_list_tools"
		ID    string       `json:"id"`
		Label string       `json:"server_label"`
		Tools []listedTool `json:"tools"`
		Error *string      `json:"error"`
	}
	listedTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
		Annotations *struct{}       `json:"annotations"`
	}
	mcpAskItem struct {
		Type      string `json:"type"` // "mcp_approval_request"
		ID        string `json:"id"`
		Label     string `json:"server_label"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	searchCallItem struct {
		Type   string       `json:"type"` // "web_search_call"
		ID     string       `json:"id"`
		Status string       `json:"status"`
		Action searchAction `json:"action"`
	}
	searchAction struct {
		Type    string   `json:"type"` // "search"
		Query   string   `json:"query"`
		Queries []string `json:"queries"`
	}
	customCallItem struct {
		Type      string `json:"type"` // "custom_tool_call"
		ID        string `json:"id"`
		Status    string `json:"status"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Namespace string `json:"namespace,omitempty"`
		Input     string `json:"input"`
	}
)

// response is the whole answer; every field that the description requires is always there.
type response struct {
	ID          string `json:"id"`
	Object      string `json:"object"` // "response"
	CreatedAt   int64  `json:"created_at"`
	CompletedAt *int64 `json:"completed_at"`
	// "queued", "in_progress", "completed", "incomplete", "failed", "cancelled"
	Status             string             `json:"status"`
	Background         bool               `json:"background"`
	Error              *responseError     `json:"error"`
	IncompleteDetails  *incompleteDetails `json:"incomplete_details"`
	Instructions       *string            `json:"instructions"`
	MaxOutputTokens    *int               `json:"max_output_tokens"`
	Model              string             `json:"model"`
	Output             []any              `json:"output"`
	ParallelToolCalls  bool               `json:"parallel_tool_calls"`
	PreviousResponseID *string            `json:"previous_response_id"`
	Reasoning          reasoning          `json:"reasoning"`
	Store              bool               `json:"store"`
	Temperature        *float64           `json:"temperature"`
	Text               textConfig         `json:"text"`
	ToolChoice         json.RawMessage    `json:"tool_choice"`
	Tools              []tool             `json:"tools"`
	TopLogprobs        int                `json:"top_logprobs"`
	TopP               *float64           `json:"top_p"`
	Truncation         string             `json:"truncation"`
	ServiceTier        string             `json:"service_tier"`
	Usage              *usage             `json:"usage,omitempty"`
	Metadata           map[string]string  `json:"metadata"`

	Timings *wire.Timings `json:"timings,omitempty"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incompleteDetails struct {
	Reason string `json:"reason"` // "max_output_tokens"
}

type usage struct {
	InputTokens         int           `json:"input_tokens"`
	InputTokensDetails  inputDetails  `json:"input_tokens_details"`
	OutputTokens        int           `json:"output_tokens"`
	OutputTokensDetails outputDetails `json:"output_tokens_details"`
	TotalTokens         int           `json:"total_tokens"`
}

type inputDetails struct {
	CachedTokens int `json:"cached_tokens"`
	// always 0: writing the cache costs nothing
	CacheWriteTokens int `json:"cache_write_tokens"`
}

type outputDetails struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

// event is any event of the stream; the fields that its type has are set.
type event struct {
	Type     string `json:"type"`
	Sequence int    `json:"sequence_number"`

	Response     *response      `json:"response,omitempty"`
	OutputIndex  *int           `json:"output_index,omitempty"`
	ContentIndex *int           `json:"content_index,omitempty"`
	SummaryIndex *int           `json:"summary_index,omitempty"`
	ItemID       string         `json:"item_id,omitempty"`
	Item         any            `json:"item,omitempty"`
	Part         any            `json:"part,omitempty"`
	Delta        *string        `json:"delta,omitempty"`
	Text         *string        `json:"text,omitempty"`
	Name         string         `json:"name,omitempty"`
	Arguments    *string        `json:"arguments,omitempty"`
	Input        *string        `json:"input,omitempty"`
	Logprobs     []wire.Logprob `json:"logprobs,omitzero"`
}

type deleted struct {
	ID      string `json:"id"`
	Object  string `json:"object"` // "response"
	Deleted bool   `json:"deleted"`
}

type itemList struct {
	Object  string            `json:"object"` // "list"
	Data    []json.RawMessage `json:"data"`
	FirstID *string           `json:"first_id"`
	LastID  *string           `json:"last_id"`
	HasMore bool              `json:"has_more"`
}

type tokenCount struct {
	Object      string `json:"object"` // "response.input_tokens"
	InputTokens int    `json:"input_tokens"`
}
