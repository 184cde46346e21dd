package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"tenon/server/agent"
	"tenon/tools"
)

// Settings are those of one tool. The tags of their fields give each key of the configuration
// file, its help, and whether it is a path.
type Settings interface {
	// Tool makes the tool of that name.
	Tool(name string) (agent.Tool, error)
}

// Common are the settings that every tool has.
type Common struct {
	Approval agent.Approval `key:"approval" help:"ask (the default): each call is approved first; allow: it runs at once; deny: the tool is not offered"`
	Timeout  time.Duration  `key:"timeout" help:"longest time that a call may take"`
	MaxBytes int            `key:"max-bytes" help:"most bytes of a result, or of a file to write; the rest is cut, and said to be"`
}

// Static are tools that are always the same, as a source.
type Static []agent.Tool

// Tools returns them.
func (s Static) Tools(context.Context) ([]agent.Tool, error) { return s, nil }

// names are those of the built-in tools, in the order of the reference.
var names = []string{"read_file", "list_directory", "write_file", "execute_command", "web_search", "fetch"}

// Names are those of the built-in tools.
func Names() []string { return names }

// New returns the settings of a tool with their defaults, to be filled.
func New(name string) Settings {
	common, command := Common{Timeout: 30 * time.Second, MaxBytes: 64 << 10}, confinement{Memory: 1 << 10}
	switch name {
	case "read_file":
		return &readFile{folders{Common: Common{Timeout: common.Timeout, MaxBytes: 256 << 10}}}
	case "list_directory":
		return &listDirectory{folders{Common: common}}
	case "write_file":
		return &writeFile{folders{Common: Common{Timeout: common.Timeout, MaxBytes: 1 << 20}}}
	case "execute_command":
		return &executeCommand{Common: common, confinement: command}
	case "web_search":
		return &webSearch{Common: common, Results: 5}
	case "fetch":
		return &fetch{Common: common}
	}
	return &Own{Common: common, confinement: command}
}

// tool makes a tool whose arguments are decoded into an A.
func tool[A any](c Common, name, description, schema string, run func(context.Context, A) (agent.Result, error)) agent.Tool {
	return agent.Tool{
		Tool:     tools.Tool{Name: name, Description: description, Parameters: json.RawMessage(schema)},
		Source:   "builtin",
		Approval: c.Approval,
		Timeout:  c.Timeout,
		Execute: func(ctx context.Context, arguments json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
			var a A
			if err := json.Unmarshal(arguments, &a); err != nil {
				return agent.Result{}, fmt.Errorf("decode the arguments of %s: %w", name, err)
			}
			return run(ctx, a)
		},
	}
}

// failed is what a tool tells the model that could not do as it was told.
func failed(format string, args ...any) (agent.Result, error) {
	return agent.Result{Failed: true, Text: fmt.Sprintf(format, args...)}, nil
}

// section is the text from an offset on, cut to a size at a character's border.
func section(text string, offset, size int) agent.Result {
	from := min(max(offset, 0), len(text))
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	end := min(from+size, len(text))
	for end > from && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	r := agent.Result{Text: text[from:end], Cut: len(text) - end}
	if r.Cut > 0 {
		r.Text += fmt.Sprintf("\n[%d bytes follow; go on with offset %d]", r.Cut, end)
	}
	return r
}

// printable is a text as a model can read it.
func printable(b []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(b), "\uFFFD"), "\x00", "\uFFFD")
}
