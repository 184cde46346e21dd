package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"tenon/cmd/background"
	"tenon/cmd/config"
	"tenon/cmd/terminal"
	"tenon/server/agent"
	"tenon/server/agent/mcp"
)

// offers are the tools that the configuration has the server execute, and how servers are reached
// that requests name.
type offers struct {
	sources   []agent.Source
	servers   mcp.Servers     // of those, to be closed
	connector agent.Connector // nil: none is reached
}

// after is what other settings offer. Servers that are the same keep their connection; stale are
// those that are offered no more.
func (o offers) after(l *config.Loader) (next offers, stale mcp.Servers) {
	next.connector, stale = l.Settings.Connector(), slices.Clone(o.servers)
	for _, s := range l.Executed.Servers {
		client := mcp.NewClient(s)
		if i := slices.IndexFunc(stale, func(c *mcp.Client) bool { return c.Serves(s) }); i >= 0 {
			client = stale[i]
			stale = slices.Delete(stale, i, i+1)
		}
		next.servers = append(next.servers, client)
	}
	next.sources = []agent.Source{l.Executed.Tools, next.servers}
	return next, stale
}

// executing says what the server executes, for whom, and how long.
func (a *app) executing(l *config.Loader, o offers) agent.Options {
	s := l.Settings
	out := agent.Options{
		Sources: o.sources, Connector: o.connector, Journal: a.journal, Identify: a.identify,
		Limits: agent.Limits{Rounds: s.AgentRounds, Time: s.AgentTime, Tokens: s.AgentTokens, EqualCalls: s.AgentEqualCalls, Call: s.AgentCallTime},
	}
	for _, server := range l.Executed.Servers {
		out.Labels = append(out.Labels, server.Label)
	}
	for _, g := range l.Grants {
		grant := agent.Grant{Keys: g.Keys, Tools: g.Tools, Offer: g.Offer}
		if g.Clash != "rename" {
			grant.Clash = agent.Clash(g.Clash)
		}
		for _, name := range g.Models {
			grant.Models = append(grant.Models, a.identify(name))
		}
		out.Grants = append(out.Grants, grant)
	}
	return out
}

// identify is the id of the model that serves a name.
func (a *app) identify(name string) string {
	e, err := a.manager.Resolve(name)
	if d := a.settings.Load().loader.Settings.DefaultModel; err != nil && d != "" {
		e, err = a.manager.Resolve(d)
	}
	if err != nil {
		return name // the request meets the error
	}
	return e.ID
}

// openJournal opens the journal of executed calls, where anything can be executed.
func openJournal(l *config.Loader, o offers) (*agent.Journal, error) {
	if len(l.Executed.Tools)+len(o.servers) == 0 && o.connector == nil {
		return nil, nil
	}
	path, err := journalPath(l.Settings)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the journal's folder: %w", err)
	}
	return agent.OpenJournal(path)
}

func journalPath(s config.Settings) (string, error) {
	if s.AgentJournal != "" {
		return s.AgentJournal, nil
	}
	where, err := background.Default()
	return filepath.Join(string(where), "agent.jsonl"), err
}

func newAgentCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "agent", Short: "See what the server has executed"}
	cmd.AddCommand(newAgentLogCommand())
	return cmd
}

func newAgentLogCommand() *cobra.Command {
	var asJSON bool
	var most int
	cmd := &cobra.Command{
		Use: "log", Args: cobra.NoArgs, Short: "Show the calls that the server has executed",
		Long: `Show the calls of tools that the server has executed: when, for which key, on which model, who approved, how it ended. A call
without an end was running when the server ended, or runs now. The journal is the file of --agent-journal.`,
	}
	loader := config.RegisterOnly(cmd.Flags(), "agent-journal")
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print each call whole, as JSON")
	f.IntVarP(&most, "lines", "n", 100, "so many of the last calls; 0: all")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := loader.Load(os.Environ()); err != nil {
			return err
		}
		path, err := journalPath(loader.Settings)
		if err != nil {
			return err
		}
		file, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("nothing has been executed: there is no journal %s", path)
		}
		if err != nil {
			return fmt.Errorf("open the journal: %w", err)
		}
		defer func() { _ = file.Close() }() // it was only read
		return showJournal(screenOf(cmd), file, most, asJSON)
	}
	return cmd
}

// showJournal shows a journal: of each call one entry, its end where it has one.
func showJournal(screen *terminal.Screen, in io.Reader, most int, asJSON bool) error {
	type name struct{ request, call string }
	var calls []agent.Entry
	open := map[name]int{} // by their places in calls
	broken, err := agent.ReadJournal(in, func(e agent.Entry) error {
		this := name{e.Request, e.Call}
		i, begun := open[this]
		switch {
		case e.Event == "end" && begun:
			e.Time = calls[i].Time
			calls[i] = e
			delete(open, this)
		case e.Event == "start":
			open[this] = len(calls)
			fallthrough
		default:
			calls = append(calls, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if most > 0 {
		calls = calls[max(len(calls)-most, 0):]
	}
	for _, c := range calls {
		if asJSON {
			if err := screen.JSON(c); err != nil {
				return err
			}
			continue
		}
		screen.Printf("%s\n", strings.Map(harmless, describeCall(c)))
	}
	if broken > 0 {
		screen.Note("%d lines are cut off: the machine ended while they were written", broken)
	}
	return nil
}

// harmless puts a space in place of what moves a terminal's cursor or turns its text: a result may
// be anything.
func harmless(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}

func describeCall(e agent.Entry) string {
	clip := func(s string) string {
		const most = 80
		if r := []rune(s); len(r) > most {
			return string(r[:most]) + "…"
		}
		return s
	}
	line := fmt.Sprintf("%s  %s/%s %s  key %s, model %s, approved by %s", e.Time.Format(time.RFC3339), e.Source, e.Tool, clip(string(e.Arguments)),
		cmp.Or(e.Key, "none"), e.Model, e.Approved)
	if e.Event == "sample" || e.Event == "question" {
		line = strings.Replace(line, "/", "/"+e.Event+" of ", 1)
	}
	switch {
	case e.Outcome == nil:
		return line + ": no end"
	case e.Success:
		return fmt.Sprintf("%s: ok in %.3f s: %s", line, e.Seconds, clip(e.Result))
	}
	return fmt.Sprintf("%s: %s (exit %d) in %.3f s: %s", line, cmp.Or(e.Why, "failed"), e.Exit, e.Seconds, clip(*cmp.Or(e.Error, new(string))))
}
