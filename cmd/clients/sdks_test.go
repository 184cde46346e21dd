package clients

import (
	"context"
	"embed"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	gomcp "github.com/modelcontextprotocol/go-sdk/mcp"
)

// scripts are the SDKs' steps. They are copied beside the packages that they import.
//
//go:embed scripts
var scripts embed.FS

// sdks are libraries, each driven by a script of steps.
var sdks = []client{
	sdk("openai-js", "js", "openai.mjs"),
	sdk("anthropic-js", "js", "anthropic.mjs", threads),
	sdk("ai-sdk", "js", "ai-sdk.mjs"),
	sdk("openai-py", "python", "openai_sdk.py"),
	sdk("anthropic-py", "python", "anthropic_sdk.py", threads),
	sdk("langchain", "langchain", "langchain_sdk.py"),
	sdk("openai-agents", "openai-agents", "agents_sdk.py"),
	sdk("pydantic-ai", "pydantic-ai", "pydantic_ai_sdk.py"),
	studio("lmstudio-js", "lmstudio-js", "lmstudio.mjs"),
	studio("lmstudio-js-1", "lmstudio-js-1", "lmstudio.mjs"),
	studio("lmstudio-py", "lmstudio-py", "lmstudio_sdk.py"),
	suite,
	evaluation,
}

// evaluation counts how many of a real model's calls fit (S3-23).
var evaluation = func() client {
	c := sdk("lmstudio-eval", "lmstudio-js", "lmstudio_eval.mjs")
	c.untaught, c.most = true, 1000
	return c
}()

// studio is an SDK of LM Studio's: its steps say themselves what a scripted model answers.
func studio(name, environment, script string) client {
	c := sdk(name, environment, script)
	c.obeyed = true
	c.run = func(ctx context.Context, s *seat) (string, error) {
		if err := s.studioExample(script); err != nil {
			return "", err
		}
		return s.steps(ctx, script)
	}
	return c
}

// clients are the rows of the table.
var clients = append(agents[:len(agents):len(agents)], sdks...)

// threads is the refusal that Anthropic's tool runners ask for: they send the whole conversation
// then.
const threads = "thread_unsupported_request"

// wanted are refusals that the scripts provoke, to see them arrive as the SDK's own types.
var wanted = []string{"no-such-model", "messages: is empty", "max_tokens: is 0"}

// oslo is what a scripted model knows of the weather: as its answer, or as a call of the tool by
// which a client asks for data. Its members come in the order of the schema, as strict tools have
// them.
var oslo = struct {
	City    string `json:"city"`
	Celsius int    `json:"celsius"`
}{"Oslo", 3}

func sdk(name, environment, script string, refusals ...string) client {
	return client{
		name: name, environment: environment, script: script, run: func(ctx context.Context, s *seat) (string, error) { return s.steps(ctx, script) },
		calls:    []call{{"get_secret", map[string]any{"reason": "asked"}}, {"json", oslo}, {"weather", oslo}, {"final_result", oslo}},
		refusals: append(refusals, wanted...),
	}
}

// steps runs a script beside the packages it imports.
func (s *seat) steps(ctx context.Context, script string) (string, error) {
	entries, err := scripts.ReadDir("scripts")
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		b, err := scripts.ReadFile("scripts/" + e.Name())
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(s.dir, e.Name()), b, 0o644); err != nil {
			return "", err
		}
	}
	program := s.node
	if strings.HasSuffix(script, ".py") {
		program = filepath.Join(s.dir, "venv", "bin", "python")
	}
	notes := notebook(s.secret)
	defer notes.Close()
	defer notes.CloseClientConnections()
	env := s.private("BASE_URL="+s.url, "MCP_URL="+notes.URL, "MODEL="+s.model, "SECRET="+s.secret, "PYTHONDONTWRITEBYTECODE=1", "AI_SDK_LOG_WARNINGS=false")
	return s.start(ctx, env, program, filepath.Join(s.dir, script))
}

// notebook is an MCP server that has the tool which clients run themselves elsewhere.
func notebook(secret string) *httptest.Server {
	type arguments struct {
		Reason string `json:"reason"`
	}
	s := gomcp.NewServer(&gomcp.Implementation{Name: "notes", Version: "1"}, nil)
	gomcp.AddTool(s, &gomcp.Tool{Name: "get_secret", Description: "Returns the secret word"}, func(context.Context, *gomcp.CallToolRequest, arguments) (*gomcp.CallToolResult, any, error) {
		return &gomcp.CallToolResult{Content: []gomcp.Content{&gomcp.TextContent{Text: "The secret word is " + secret}}}, nil, nil
	})
	return httptest.NewServer(gomcp.NewStreamableHTTPHandler(func(*http.Request) *gomcp.Server { return s }, nil))
}
