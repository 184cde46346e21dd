package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenon/cmd/terminal"
	"tenon/engine"
	"tenon/models/catalog"
	models "tenon/models/fleet"
	"tenon/server/chat/prepared"
	"tenon/server/fleet"
	"tenon/templates"
	"tenon/tools"
)

func newShowCommand() *cobra.Command {
	var f renderFlags
	var asJSON, rules bool
	cmd := &cobra.Command{
		Use:   "show (MODEL | --template FILE)",
		Short: "Print what a model is and what its chat template does",
		Long: `Print a model's file, size, quantization and context, and what its chat template does, found out by rendering canonical
conversations with it: roles, tools, calls, ids, thinking, what it drops from old turns, how the assistant's turn opens and closes.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if rules {
				return printRules(screenOf(cmd))
			}
			if len(args) == 1 {
				f.model = args[0]
			}
			source, options, err := f.load(cmd)
			if err != nil {
				return err
			}
			// it cannot be served: this says why
			if f.entry.Path != "" && f.entry.ID == "" {
				_, err := (&catalog.Catalog{}).Add(f.entry.Path)
				return err
			}
			return show(screenOf(cmd), f.entry, source, options, asJSON)
		},
	}
	f.source(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&rules, "rules", false, "print every healing rule, the client headers that are left out, and the edits of templates")
	return cmd
}

// show prints the probe, or why there is none. A template that cannot be used is no error: the
// model would be served.
func show(s *terminal.Screen, e catalog.Entry, source string, o templates.Options, asJSON bool) error {
	model := fleet.Describe(models.Status{Entry: e, State: models.NotLoaded})
	t, err := templates.Parse(source, o)
	if err != nil {
		err = fmt.Errorf("it cannot be used: %w", err)
	}
	if source == "" {
		err = errNoTemplate
	}
	if err != nil && asJSON {
		return s.JSON(struct {
			Unusable string      `json:"template_error"`
			Model    fleet.Model `json:"model"`
		}{err.Error(), model})
	}
	if err != nil {
		rows := fileRows(e)
		if last := len(rows) - 1; last < 0 || rows[last][0] != upstreamsTools {
			rows = append(rows, []string{"chat template", err.Error() + "; using the built-in rendering"})
		}
		return s.Table(aboutModel, rows)
	}
	p := t.Probe()
	b := tools.Bind(prepared.EvidenceOf(source, o.EOS, nil, p))
	if asJSON {
		return s.JSON(struct {
			templates.Probe
			Dialect string      `json:"dialect"` // by which calls are read and masked
			Binding bindingJSON `json:"binding"`
			Model   fleet.Model `json:"model"`
		}{p, b.Dialect.Key, describe(b), model})
	}
	return s.Table(aboutModel, append(fileRows(e), probeRows(p, b)...))
}

// aboutModel are the headings of the table of a model.
var aboutModel = []string{"about", "found"}

// bindingJSON is the dialect that was found for a template, and how.
type bindingJSON struct {
	Why     string   `json:"why"`
	Exact   bool     `json:"exact"` // its grammar writes the rendered calls byte for byte
	Tried   []string `json:"tried"`
	Markers []string `json:"markers"`
}

func describe(b tools.Binding) bindingJSON {
	d := bindingJSON{Why: b.Why, Exact: b.Exact, Tried: []string{}, Markers: b.Dialect.Markers()}
	for _, t := range b.Tried {
		d.Tried = append(d.Tried, t.String())
	}
	return d
}

// protocolOf says how tools, calls and results get into the prompt, and why not as the template
// has them where that is so.
func protocolOf(p templates.Probe, scaffold bool) string {
	switch {
	case scaffold && (p.Native() || p.Described || p.Written):
		return "json (the template shows calls, in a syntax that no dialect can be derived for)"
	case p.Described:
		return "native (the template shows no declared tools: they are told in words)"
	case p.Written:
		return "native (the template shows no calls: they are written as the family writes them)"
	case !p.Native():
		return "json (the template does not show tools, calls and results)"
	}
	return "native"
}

func fileRows(e catalog.Entry) [][]string {
	if e.Remote != nil {
		rows := [][]string{{"served at", strings.Join(e.Remote.URLs, " ")}, {"file", orNone(e.Path)}}
		m, err := served(context.Background(), e)
		switch {
		case err != nil:
			return append(rows, []string{"guarantees", "not known: " + err.Error()})
		case m.Can.Asks(engine.ChatTools):
			rows = append(rows, []string{"chat template", "the upstream's"}, []string{upstreamsTools, "as its API has them"})
		case m.Can.Chat != "":
			rows = append(rows, []string{"chat template", "the upstream's"}, []string{upstreamsTools, "told in words: it shows its model none"})
		}
		return slices.Insert(rows, 2, []string{"guarantees", guarantees(m.Can)})
	}
	if e.Path == "" {
		return nil
	}
	return [][]string{
		{"file", e.Path}, {"size", terminal.Size(e.Size)}, {"architecture", e.Architecture}, {"quantization", orNone(e.Quantization)},
		{"context", fmt.Sprintf("%d tokens", e.ContextTrained)}, {"guarantees", guarantees(engine.Everything)},
	}
}

// upstreamsTools is said of an upstream that renders conversations by itself.
const upstreamsTools = "tools"

// guarantees is how the server's promises hold on an engine, on a line.
func guarantees(c engine.Can) string {
	var all []string
	for _, g := range c.Guarantees() {
		all = append(all, g.Name+": "+g.Kept)
	}
	return strings.Join(all, "; ")
}

func probeRows(p templates.Probe, b tools.Binding) (rows [][]string) {
	yes := map[bool]string{true: "yes", false: "no"}
	row := func(name, value string) { rows = append(rows, []string{name, value}) }
	row("tool protocol", protocolOf(p, b.Dialect.Ours))
	d := describe(b)
	row("dialect", fmt.Sprintf("%s (%s)", b.Dialect.Key, b.Dialect.About))
	row("bound because", d.Why)
	row("calls written exactly", yes[d.Exact])
	row("tried", orNone(strings.Join(d.Tried, "; ")))
	row("markers", orNone(strings.Join(d.Markers, " ")))
	row("edit", orNone(p.Edit))
	row("system messages", string(p.System))
	row("several of them", yes[p.SystemMany])
	row("role developer", yes[p.Developer])
	row("roles must alternate", yes[p.Alternation])
	row("user must come first", yes[p.UserFirst])
	row("needs a user's turn", yes[p.UserNeeded])
	row("tools", orNone(string(p.Tools)))
	row("calls in a turn", orNone(string(p.Calls)))
	row("text beside calls", yes[p.CallsWithText])
	row("arguments", orNone(p.Arguments))
	row("ids", string(p.IDs))
	row("results matched by", orNone(string(p.Results)))
	row("earlier thinking", orNone(p.Thinking))
	row("thinking markers", orNone(strings.Join(p.ThinkingMarkers, " ")))
	for _, s := range p.Switches {
		row("switch "+s.Name, strings.Join(s.Values, ", ")+defaultOf(s))
	}
	row("dropped later", orNone(strings.Join(p.Drops, "; ")))
	row("generation prompt", fmt.Sprintf("%q", p.GenerationPrompt))
	row("after a result", fmt.Sprintf("%q", p.AfterResult))
	row("end of turn", fmt.Sprintf("%q", p.TurnEnd))
	row("prompt opens thinking", yes[p.PrefilledThought])
	row("depends on the date", yes[p.Dates])
	row("markers without token", orNone(strings.Join(p.UnknownMarkers, " ")))
	return rows
}

// printRules lists what may be done to a conversation or a template.
func printRules(s *terminal.Screen) error {
	var rows [][]string
	for _, r := range templates.Rules() {
		rows = append(rows, []string{"rule", r.Name, r.About})
	}
	for _, v := range templates.VolatileRules() {
		rows = append(rows, []string{"header", v.Name, v.About})
	}
	for _, e := range templates.Edits() {
		rows = append(rows, []string{"edit", e.Name, e.About})
	}
	return s.Table([]string{"kind", "name", "what it does"}, rows)
}

func defaultOf(s templates.Switch) string {
	if s.Default == "" {
		return ""
	}
	return " (default " + s.Default + ")"
}

func orNone(s string) string { return cmp.Or(s, "none") }
