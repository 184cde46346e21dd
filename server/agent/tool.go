package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"tenon/server/chat"
	"tenon/tools"
)

// Tool is a tool that the server executes.
type Tool struct {
	tools.Tool // as the model is told of it
	// who offers it: "builtin", "command", "http", or the label of an MCP server
	Source string
	// its name at the source, where Name was changed because two clash; "": Name
	Original string
	Approval Approval // the zero value asks
	Timeout  time.Duration
	Execute  Execute
}

// Approval says whether a call runs by itself.
type Approval uint8

const (
	Ask   Approval = iota // a person or the client approves each call
	Allow                 // a call runs at once
	Deny                  // the tool is not offered
)

// Execute runs one call and returns when it has ended or ctx has. Arguments are an object that
// validates against the tool's schema. Progress may be called until Execute returns, from its own
// goroutine only. An error says that the tool could not be run at all; what the tool itself calls
// a failure is a [Result] with Failed set.
type Execute func(ctx context.Context, arguments json.RawMessage, progress func(Progress)) (Result, error)

// Progress is how far a running tool is, in its own units.
type Progress struct {
	Done, Total float64 // Total is 0 where it is not known
	Message     string
}

// Result is what a tool returned.
type Result struct {
	Text       string          // as the model will read it, before it is folded to the context
	Structured json.RawMessage // an MCP server's structuredContent; nil: none
	Failed     bool            // the tool says that it failed; Text tells the model why
	Exit       int             // of a command; 0 elsewhere
	Cut        int             // bytes that were left out of Text because of a limit
}

// Source offers tools. All methods may be called from any goroutine.
type Source interface {
	// Tools are those that exist now. An error names what could not be reached; the tools that
	// could be listed are returned with it.
	Tools(ctx context.Context) ([]Tool, error)
}

// Connector reaches servers that requests name.
type Connector interface {
	// Connect connects to the address that s gives, until ctx ends. Its headers are the
	// server's credentials: they are never logged and never kept. If the configuration does
	// not allow the server's host, as it is written or once it is resolved, the error says so,
	// and nothing has been sent.
	Connect(ctx context.Context, s chat.HostedTools) (Source, error)
}

var approvals = []string{"ask", "allow", "deny"}

func (a Approval) String() string { return approvals[a] }

// UnmarshalText reads an approval as settings write it.
func (a *Approval) UnmarshalText(text []byte) error {
	i := slices.Index(approvals, string(text))
	if i < 0 {
		return fmt.Errorf("is %q; expected ask, allow or deny", text)
	}
	*a = Approval(i)
	return nil
}
