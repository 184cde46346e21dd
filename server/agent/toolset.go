package agent

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"tenon/server/chat"
	"tenon/tools"
)

// toolset is what a request may have executed.
type toolset struct {
	tools map[string]offered // by the name in the prompt
	lists []chat.HostedCall  // of the sources that the request asks for
	notes []string           // what is left out, and why
	order []string           // of the names
	lost  []string           // names of the client's tools that the server's replace
}

// offered is a tool that the model is told of.
type offered struct {
	Tool
	kind string // the protocol's word for it
	ask  bool
}

// NoTools refuses what asks for tools where the configuration names none.
func NoTools(field string) *chat.Error {
	return &chat.Error{Kind: chat.NotSupportedHere, Field: field, Message: "the server executes no tools: its configuration names none"}
}

// original is the tool's name at its source.
func (t Tool) original() string { return cmp.Or(t.Original, t.Name) }

// choose finds out what a request to the model of an id may have executed.
func (o *Options) choose(ctx context.Context, r chat.Request, model string) (toolset, error) {
	c := chooser{options: o, request: r, caller: chat.CallerOf(ctx), model: model, set: toolset{tools: map[string]offered{}}, taken: map[string]bool{}}
	for _, t := range r.Tools {
		c.taken[tools.PromptName(t.Namespace, t.Name)] = true
	}
	offers := r.Prompt == nil && r.N <= 1 && o.offers(c.caller.Name, c.model)
	if len(r.Hosted.Asked) > 0 || offers {
		c.list(ctx)
	}
	for _, asked := range r.Hosted.Asked {
		if err := c.asked(ctx, asked); err != nil {
			return c.set, err
		}
	}
	if offers {
		for _, t := range c.all {
			if g, ok := o.granted(c.caller.Name, c.model, t.Source, t.original(), false); ok && !c.has(t) {
				c.offer(t, g, chat.HostedTools{})
			}
		}
	}
	return c.set, nil
}

// chooser chooses the tools of one request.
type chooser struct {
	options *Options
	request chat.Request
	caller  chat.Caller
	model   string
	all     []Tool          // of the configuration
	failed  bool            // a source could not be asked
	taken   map[string]bool // names in the prompt
	set     toolset
}

func (c *chooser) list(ctx context.Context) {
	for _, s := range c.options.Sources {
		listed, err := s.Tools(ctx)
		c.all = append(c.all, listed...)
		if err != nil { // it may tell of servers that this caller knows nothing of
			slog.WarnContext(ctx, "tools could not be listed", "error", err)
			c.failed = true
		}
	}
}

func (c *chooser) note(field, why string) {
	c.set.notes = append(c.set.notes, field+" ("+why+")")
}

// asked adds the tools of an entry of the request.
func (c *chooser) asked(ctx context.Context, h chat.HostedTools) error {
	from, source, err := c.find(ctx, h)
	if err != nil {
		return err
	}
	list := chat.HostedCall{Source: h.Source, Kind: h.Kind}
	for _, t := range from {
		g, ok := c.options.granted(c.caller.Name, c.model, source, t.original(), true)
		if !ok || h.Names != nil && !slices.Contains(h.Names, t.original()) || slices.Contains(h.Without, t.original()) || c.has(t) {
			continue
		}
		if c.offer(t, g, h) {
			shown := t.Tool
			shown.Name = t.original()
			list.Tools = append(list.Tools, shown)
		}
	}
	switch {
	case len(list.Tools) > 0:
	case c.failed:
		list.Message = "the tools could not be listed; the server's log says why"
	case h.Optional:
		c.note(h.Field, cmp.Or(h.Kind, h.Source))
		return nil
	default:
		return c.missing(h)
	}
	c.set.lists = append(c.set.lists, list)
	return nil
}

// find returns the tools that an entry may mean, and what grants call their source.
func (c *chooser) find(ctx context.Context, h chat.HostedTools) (from []Tool, source string, err error) {
	if len(c.all) == 0 && !c.failed && c.options.Connector == nil && !h.Optional {
		return nil, "", NoTools(h.Field)
	}
	if h.URL == "" {
		for _, t := range c.all {
			if t.Source == h.Source {
				from = append(from, t)
			}
		}
		return from, h.Source, nil
	}
	if slices.Contains([]string{"builtin", "command", "http", requested}, h.Source) {
		return nil, "", chat.Invalidf(h.Field, "is called %q, which stands for tools of another kind", h.Source)
	}
	if slices.Contains(c.options.Labels, h.Source) {
		return nil, "", chat.Invalidf(h.Field, "is called %q, as a server of the configuration is; leave out its address, or call it otherwise", h.Source)
	}
	if c.options.Connector == nil {
		return nil, "", &chat.Error{Kind: chat.Forbidden, Field: h.Field, Message: "the server's configuration allows no servers that requests name"}
	}
	s, err := c.options.Connector.Connect(ctx, h)
	if err == nil {
		from, err = s.Tools(ctx)
	}
	if err != nil {
		return nil, "", &chat.Error{Kind: chat.Forbidden, Field: h.Field, Message: err.Error(), Err: err}
	}
	for i := range from {
		from[i].Source = h.Source
	}
	return from, requested, nil
}

// missing tells which sources there are, of those that the caller may use.
func (c *chooser) missing(h chat.HostedTools) error {
	var there []string
	for _, t := range c.all {
		if _, ok := c.options.granted(c.caller.Name, c.model, t.Source, t.original(), true); ok && t.Approval != Deny {
			there = append(there, t.Source)
		}
	}
	slices.Sort(there)
	return chat.Invalidf(h.Field, "%q has no tools for this request; there is: %s", h.Source, cmp.Or(strings.Join(slices.Compact(there), ", "), "none"))
}

func (c *chooser) has(t Tool) bool {
	for _, have := range c.set.tools {
		if have.Source == t.Source && have.original() == t.original() {
			return true
		}
	}
	return false
}

// offer adds a tool, unless something speaks against it.
func (c *chooser) offer(t Tool, g Grant, h chat.HostedTools) bool {
	place := cmp.Or(h.Field, "tools") + ": " + t.Source + "/" + t.original()
	ask := t.Approval == Ask || h.Ask != nil && h.Ask(t.original())
	switch {
	case t.Approval == Deny:
		return false
	case ask && !c.request.Hosted.CanAsk:
		c.note(place, "each call needs an approval, for which this protocol has no form")
		return false
	}
	if err := chat.CheckTool(t.Tool); err != nil {
		c.note(place, err.Error())
		return false
	}
	if c.taken[t.Name] && g.Clash == ServerWins && c.drop(t.Name) {
		c.taken[t.Name] = false
	}
	if c.taken[t.Name] && g.Clash != ClientWins {
		t.Original, t.Name = t.original(), prefixed(t.Source, t.Name)
	}
	if c.taken[t.Name] {
		c.note(place, "another tool has its name")
		return false
	}
	c.taken[t.Name] = true
	c.set.tools[t.Name] = offered{Tool: t, kind: h.Kind, ask: ask}
	c.set.order = append(c.set.order, t.Name)
	return true
}

// drop leaves out a tool of the client's; false means that the name is not one of those.
func (c *chooser) drop(name string) bool {
	_, ours := c.set.tools[name]
	if !ours {
		c.set.lost = append(c.set.lost, name)
		c.note("tools", name+" is the server's")
	}
	return !ours
}

var unnamable = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// prefixed is a tool's name with its source's before it.
func prefixed(source, name string) string {
	const longest = 64
	name = unnamable.ReplaceAllString(source, "_") + "__" + name
	return name[:min(len(name), longest)]
}

// declare adds the tools to those of a request.
func (s toolset) declare(r chat.Request) chat.Request {
	if len(s.order) == 0 && r.Hosted.Choose == nil {
		return r
	}
	declared, places := []tools.Tool{}, []string{}
	for i, t := range r.Tools {
		if !slices.Contains(s.lost, tools.PromptName(t.Namespace, t.Name)) {
			declared = append(declared, t)
			places = append(places, place(r, i))
		}
	}
	for _, name := range s.order {
		declared = append(declared, s.tools[name].Tool.Tool)
		places = append(places, "tools ("+name+", of the server)")
	}
	r.Tools, r.Places.Tools = declared, places
	if c := r.Hosted.Choose; c != nil {
		r.Choice = tools.Choice{Mode: tools.Required}
		for _, name := range s.order {
			if t := s.tools[name]; t.Source == c.Source && (c.Names == nil || slices.Contains(c.Names, t.original())) {
				r.Choice.Names = append(r.Choice.Names, name)
			}
		}
		if len(r.Choice.Names) == 0 {
			r.Choice.Names = []string{c.Source} // the plan says that there is none
		}
	}
	return r
}

func place(r chat.Request, i int) string {
	if i < len(r.Places.Tools) {
		return r.Places.Tools[i]
	}
	return fmt.Sprintf("tools[%d]", i)
}

// noting is sink, told at the start what is left out.
func (s toolset) noting(sink chat.Sink) chat.Sink {
	if len(s.notes) == 0 {
		return sink
	}
	return func(e chat.Event) error {
		if e.Kind == chat.Started {
			e.Ignored = append(slices.Clip(e.Ignored), s.notes...)
		}
		return sink(e)
	}
}
