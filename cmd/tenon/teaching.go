package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"tenon/cmd/config"
	"tenon/server/chat"
	"tenon/server/chat/adapter"
	"tenon/tools"
)

// teaching is how models are helped with their tools: as the server's settings say, and over them
// the model's adapter. What is wrong with an entry's adapter is an error.
func (p perModel) teaching() (func(id string) chat.Teaching, error) {
	s := p.loader.Settings
	simplify, err := adapter.Simplification(s.SimplifyTools)
	if err != nil {
		return nil, fmt.Errorf("simplify-tools: %w", err)
	}
	server := chat.Teaching{Simplify: simplify, Guidance: s.ToolGuidance, Routing: s.RoutingThought, Retries: &s.CallRetries}
	for id := range p.entries {
		if _, _, err := p.adapter(id); err != nil {
			return nil, err
		}
	}
	return func(id string) chat.Teaching {
		a, _, err := p.adapter(id)
		if err != nil { // every entry's has been read above
			panic("adapter of " + id + ": " + err.Error())
		}
		return a.Over(server)
	}, nil
}

// adapter is the one of a model, and why it is that one.
func (p perModel) adapter(id string) (adapter.Adapter, string, error) {
	m := p.entries[id]
	if m.Adapter.Inline != nil {
		a, err := adapter.Read(m.Name, m.Adapter.At.File, m.Adapter.Inline)
		return a, "the model's entry has values of its own", err
	}
	a, why, err := p.adapters.For(id, m.Adapter.Name)
	if err != nil {
		return a, why, fmt.Errorf("configuration file %s: models: %s: %w%s", m.Adapter.At, m.Name, err, config.DidYouMean(m.Adapter.Name, p.adapters.Names()))
	}
	return a, why, nil
}

// checkFormat tells whether a way of calling tools is known, before a model is loaded for it.
func checkFormat(name string) error {
	known := append([]string{"", "auto", "native", "json", "react", "xml"}, familyNames()...)
	if _, family := tools.Lookup(name); family || slices.Contains(known, strings.ToLower(name)) {
		return nil
	}
	return fmt.Errorf("%q is no format%s; expected auto, json, react, xml (deprecated) or a family that 'tenon families' lists", name, config.DidYouMean(name, known))
}

// familyNames are what --family and a tool format may be, beside those of tenon's own.
func familyNames() (all []string) {
	for _, d := range tools.Families() {
		all = append(all, d.Name())
	}
	return all
}

// checkFolder tells whether a folder that a setting names can be read.
func checkFolder(dir string) error {
	if dir == "" {
		return nil
	}
	_, err := os.ReadDir(dir)
	return err
}
