package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenon/cmd/config"
	"tenon/cmd/terminal"
	"tenon/server/agent"
	"tenon/server/agent/mcp"
)

func newMCPCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "mcp list|call|read|test",
		Short: "Use the MCP servers of the settings file",
		Long:  "Use the MCP servers that stand under mcp: in the settings file, from here: the server need not run. What is called here needs no approval.",
	}
	c.AddCommand(
		mcpCommand("list [SERVER…]", "List what servers offer: tools, resources, prompts", cobra.ArbitraryArgs, listMCP),
		mcpCommand("call SERVER TOOL [ARGUMENTS]", "Call a tool with arguments in JSON", cobra.RangeArgs(2, 3), callMCP),
		mcpCommand("read SERVER URI|PROMPT [KEY=VALUE…]", "Print a resource, or a prompt with its arguments", cobra.MinimumNArgs(2), readMCP),
		mcpCommand("test [SERVER…]", "Connect to servers and check their tools; the exit status says", cobra.ArbitraryArgs, testMCP),
	)
	return c
}

// mcpCommand makes a command that gets the servers which its first arguments name, or all.
func mcpCommand(use, short string, args cobra.PositionalArgs, run func(ctx context.Context, screen *terminal.Screen, servers mcp.Servers, args []string) error) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: args}
	loader := config.RegisterOnly(c.Flags())
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := loader.Load(os.Environ()); err != nil {
			return err
		}
		named := args
		if strings.Contains(use, " SERVER ") {
			named = args[:1]
		}
		servers, err := chooseServers(loader.Executed.Servers, named)
		if err != nil {
			return err
		}
		defer servers.Close()
		return run(cmd.Context(), screenOf(cmd), servers, args)
	}
	return c
}

func chooseServers(all []*mcp.Server, names []string) (mcp.Servers, error) {
	var labels []string
	var chosen mcp.Servers
	for _, s := range all {
		if labels = append(labels, s.Label); len(names) == 0 || slices.Contains(names, s.Label) {
			chosen = append(chosen, mcp.NewClient(s))
		}
	}
	for _, n := range names {
		if !slices.Contains(labels, n) {
			return nil, fmt.Errorf("there is no MCP server %q%s; the settings file names: %s", n, config.DidYouMean(n, labels), strings.Join(labels, ", "))
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("the settings file names no MCP server (mcp:)")
	}
	return chosen, nil
}

func listMCP(ctx context.Context, screen *terminal.Screen, servers mcp.Servers, _ []string) error {
	var rows [][]string
	var failures []error
	for _, s := range servers {
		found, err1 := s.Tools(ctx)
		for _, t := range found {
			rows = append(rows, []string{s.Label(), "tool", t.Name, t.Approval.String(), firstLine(t.Description)})
		}
		resources, err2 := s.Resources(ctx)
		for _, r := range resources {
			rows = append(rows, []string{s.Label(), "resource", firstLine(r.URI), "", firstLine(r.Name)})
		}
		prompts, err3 := s.Prompts(ctx)
		for _, p := range prompts {
			rows = append(rows, []string{s.Label(), "prompt", firstLine(p.Name), "", firstLine(p.Description)})
		}
		failures = append(failures, err1)
		if err1 == nil { // else they say the same
			failures = append(failures, err2, err3)
		}
	}
	return errors.Join(append([]error{screen.Table([]string{"server", "kind", "name", "approval", "is"}, rows)}, failures...)...)
}

// firstLine is how a text begins, without what a terminal would obey.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	shown := []rune(strings.Trim(fmt.Sprintf("%q", line), `"`))
	return string(shown[:min(len(shown), 80)])
}

func callMCP(ctx context.Context, screen *terminal.Screen, servers mcp.Servers, args []string) error {
	found, err := servers.Tools(ctx)
	i := slices.IndexFunc(found, func(t agent.Tool) bool { return t.Name == args[1] || t.Original == args[1] })
	if i < 0 {
		return errors.Join(fmt.Errorf("%s has no tool %q", args[0], args[1]), err)
	}
	arguments := json.RawMessage("{}")
	if len(args) > 2 {
		arguments = json.RawMessage(args[2])
	}
	if !json.Valid(arguments) || arguments[0] != '{' {
		return errors.New("the arguments are no JSON object")
	}
	ctx, cancel := context.WithTimeout(agent.WithAid(ctx, typist{screen, args[0] + "/" + args[1]}), found[i].Timeout)
	defer cancel()
	r, err := found[i].Execute(ctx, arguments, func(p agent.Progress) { screen.Note("%g of %g %s", p.Done, p.Total, firstLine(p.Message)) })
	if err != nil {
		return err
	}
	if r.Failed {
		return fmt.Errorf("%s failed: %s", args[1], r.Text)
	}
	screen.Printf("%s\n", told(screen, r.Text))
	return nil
}

func readMCP(ctx context.Context, screen *terminal.Screen, servers mcp.Servers, args []string) error {
	if strings.Contains(args[1], "://") {
		text, err := servers[0].Read(ctx, args[1])
		screen.Printf("%s", told(screen, text))
		return err
	}
	arguments := map[string]string{}
	for _, pair := range args[2:] {
		name, value, _ := strings.Cut(pair, "=")
		arguments[name] = value
	}
	text, err := servers[0].Prompt(ctx, args[1], arguments)
	screen.Printf("%s", told(screen, text))
	return err
}

func testMCP(ctx context.Context, screen *terminal.Screen, servers mcp.Servers, _ []string) error {
	bad := 0
	for _, s := range servers {
		begun := time.Now()
		about, err := s.About(ctx)
		var found []agent.Tool
		if err == nil {
			found, err = s.Tools(ctx)
			screen.Printf("%s: %s; %d tools, in %v\n", s.Label(), firstLine(about), len(found), time.Since(begun).Round(time.Millisecond))
		}
		for _, t := range found {
			if c := checkTool(declaredTool{Name: t.Name, Parameters: t.Parameters}); !c.Callable {
				err = errors.Join(err, fmt.Errorf("%s: its schema cannot be met: %s", t.Name, c.Error))
			}
		}
		if err != nil {
			bad++
			screen.Printf("%s: %s\n", s.Label(), told(screen, err.Error()))
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d servers are not well", bad, len(servers))
	}
	return nil
}
