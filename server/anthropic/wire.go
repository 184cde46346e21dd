package anthropic

import (
	"encoding/json"

	"tenon/server/wire"
)

// messagesRequest is the body of POST /v1/messages and, without the sampling, of
// /v1/messages/count_tokens.
type messagesRequest struct {
	Model         string          `json:"model"`
	MaxTokens     *int            `json:"max_tokens"`
	Messages      []message       `json:"messages"`
	System        json.RawMessage `json:"system"` // a string or text blocks
	Tools         []tool          `json:"tools"`
	ToolChoice    *toolChoice     `json:"tool_choice"`
	StopSequences []string        `json:"stop_sequences"`
	Stream        bool            `json:"stream"`
	Temperature   *float64        `json:"temperature"`
	TopP          *float64        `json:"top_p"`
	TopK          *int            `json:"top_k"`
	Thinking      *thinking       `json:"thinking"`
	OutputConfig  *outputConfig   `json:"output_config"`
	// the beta's name for output_config.format
	OutputFormat *outputFormat `json:"output_format"`
	Thread       *thread       `json:"thread"`
	Servers      []mcpServer   `json:"mcp_servers"`

	ToolFormat         string         `json:"tool_format"`
	ChatTemplateKwargs map[string]any `json:"chat_template_kwargs"`
	Grammar            string         `json:"grammar"` // GBNF
	ThinkingBudget     *int           `json:"thinking_budget_tokens"`
	TimingsPerToken    bool           `json:"timings_per_token"`
}

type message struct {
	Role    string          `json:"role"` // "user", "assistant", "system"
	Content json.RawMessage `json:"content"`
}

// block is a content block of any type, in requests and answers.
type block struct {
	Type string `json:"type"`

	Text string `json:"text,omitempty"`

	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"` // of redacted_thinking

	ID    string          `json:"id,omitempty"` // of tool_use
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`

	ToolUseID string          `json:"tool_use_id,omitempty"` // of tool_result
	Content   json.RawMessage `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`

	// of document and image: an object; of search_result: a string
	Source  json.RawMessage `json:"source,omitempty"`
	Title   string          `json:"title,omitempty"`
	Context string          `json:"context,omitempty"`

	ToolName string `json:"tool_name,omitempty"` // of tool_reference

	ServerName string `json:"server_name,omitempty"` // of mcp_tool_use
	// of mcp_tool_listing: the server is asked again
	ListedName wire.Unused `json:"mcp_server_name"`
	Listed     wire.Unused `json:"tools"`
	// of server_tool_use and its results: the model, always
	Caller wire.Unused `json:"caller"`

	// what is cached is found by its tokens, wherever it ends; usage tells
	CacheControl wire.Unused `json:"cache_control"`
}

type source struct {
	Type      string          `json:"type"`       // "text", "content", "base64", "url", "file"
	MediaType wire.Unused     `json:"media_type"` // of text, always text/plain
	Data      string          `json:"data"`
	Content   json.RawMessage `json:"content"`
	URL       wire.Unused     `json:"url"` // nothing is fetched
	FileID    wire.Unused     `json:"file_id"`
}

type tool struct {
	Type        string          `json:"type"` // "", "custom", or a hosted tool's
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
	Strict      bool            `json:"strict"`

	Width  int `json:"display_width_px"` // of a computer that the client runs
	Height int `json:"display_height_px"`

	InputExamples []json.RawMessage `json:"input_examples"`

	Server  string                   `json:"mcp_server_name"` // of type mcp_toolset
	Default toolsetConfig            `json:"default_config"`
	Configs map[string]toolsetConfig `json:"configs"`
	// of web_search: the server's own limits hold
	MaxUses wire.Unused `json:"max_uses"`

	CacheControl wire.Unused `json:"cache_control"` // see block
}

type toolsetConfig struct {
	Enabled *bool       `json:"enabled"`
	Defer   wire.Unused `json:"defer_loading"` // every tool is shown from the beginning
}

// mcpServer is a server whose tools the server is to call. Without url it is one of the
// configuration's.
type mcpServer struct {
	Type   string         `json:"type"` // "url"
	Name   string         `json:"name"`
	URL    string         `json:"url"`
	Token  string         `json:"authorization_token"`
	Config *toolsetFilter `json:"tool_configuration"`
}

type toolsetFilter struct {
	Enabled *bool    `json:"enabled"`
	Allowed []string `json:"allowed_tools"`
}

type toolChoice struct {
	Type            string `json:"type"` // "auto", "any", "tool", "none"
	Name            string `json:"name"`
	DisableParallel *bool  `json:"disable_parallel_tool_use"`
}

type thinking struct {
	Type         string `json:"type"` // "enabled", "adaptive", "disabled"
	BudgetTokens *int   `json:"budget_tokens"`
}

type outputConfig struct {
	Effort string        `json:"effort"`
	Format *outputFormat `json:"format"`
}

type outputFormat struct {
	Type   string          `json:"type"` // "json_schema"
	Schema json.RawMessage `json:"schema"`
}

type thread struct {
	Type string `json:"type"` // "create", "continue"
}

// answer is a whole message, and in message_start the empty one that the stream fills.
type answer struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"` // "message"
	Role         string  `json:"role"` // "assistant"
	Model        string  `json:"model"`
	Content      []any   `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        usage   `json:"usage"`

	Timings *wire.Timings `json:"timings,omitempty"`
}

type textBlock struct {
	Type string `json:"type"` // "text"
	Text string `json:"text"`
}

type thinkingBlock struct {
	Type      string `json:"type"` // "thinking"
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
}

type toolUseBlock struct {
	Type  string          `json:"type"` // "tool_use"
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// What the server executes, as blocks: the call and its result.
type (
	mcpUseBlock struct {
		Type   string          `json:"type"` // "mcp_tool_use"
		ID     string          `json:"id"`
		Name   string          `json:"name"`
		Server string          `json:"server_name"`
		Input  json.RawMessage `json:"input"`
	}
	mcpResultBlock struct {
		Type    string      `json:"type"` // "mcp_tool_result"
		UseID   string      `json:"tool_use_id"`
		Failed  bool        `json:"is_error"`
		Content []textBlock `json:"content"`
	}
	mcpListingBlock struct {
		Type   string       `json:"type"` // "mcp_tool_listing"
		Server string       `json:"mcp_server_name"`
		Tools  []listedTool `json:"tools"`
	}
	listedTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Schema      json.RawMessage `json:"input_schema"`
	}
	searchResultBlock struct {
		Type    string `json:"type"` // "web_search_tool_result"
		UseID   string `json:"tool_use_id"`
		Content any    `json:"content"` // found results, or an error
	}
	foundBlock struct {
		Type    string  `json:"type"` // "web_search_result"
		URL     string  `json:"url"`
		Title   string  `json:"title"`
		Sealed  string  `json:"encrypted_content"`
		PageAge *string `json:"page_age"`
	}
	searchErrorBlock struct {
		Type string `json:"type"` // "web_search_tool_result_error"
		Code string `json:"error_code"`
	}
)

// usage counts tokens. The prompt's are the sum of the first three.
type usage struct {
	InputTokens         int `json:"input_tokens"` // evaluated now
	CacheCreationTokens int `json:"cache_creation_input_tokens"`
	CacheReadTokens     int `json:"cache_read_input_tokens"`
	OutputTokens        int `json:"output_tokens"`
}

// The stream's events, by type.
type (
	messageStart struct {
		Type    string `json:"type"`
		Message answer `json:"message"`
	}
	blockStart struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Block any    `json:"content_block"`
	}
	blockDelta struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Delta delta  `json:"delta"`
	}
	blockStop struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
	}
	messageDelta struct {
		Type  string `json:"type"`
		Delta struct {
			StopReason   *string `json:"stop_reason"`
			StopSequence *string `json:"stop_sequence"`
		} `json:"delta"`
		Usage   usage         `json:"usage"`
		Timings *wire.Timings `json:"timings,omitempty"`
	}
	messageStop struct {
		Type string `json:"type"`
	}
)

// delta is a piece of a block; the field that goes with Type is set, though it may be "".
type delta struct {
	Type        string  `json:"type"`
	Text        *string `json:"text,omitempty"`
	Thinking    *string `json:"thinking,omitempty"`
	Signature   *string `json:"signature,omitempty"`
	PartialJSON *string `json:"partial_json,omitempty"`
}

type tokenCount struct {
	InputTokens int `json:"input_tokens"`
}

// errorBody is a failed request's answer, and the error event's data.
type errorBody struct {
	Type      string    `json:"type"` // "error"
	Error     wireError `json:"error"`
	RequestID string    `json:"request_id,omitempty"`
}

type wireError struct {
	Type    string        `json:"type"`
	Message string        `json:"message"`
	Details *errorDetails `json:"details,omitempty"`
}

// errorDetails tells the SDKs' tool runners to resend the whole conversation.
type errorDetails struct {
	ErrorCode   string   `json:"error_code"`
	Unsupported []string `json:"unsupported,omitempty"`
}
