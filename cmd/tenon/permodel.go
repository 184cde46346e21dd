package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"tenon/cmd/config"
	"tenon/engine"
	"tenon/engine/tokenjson"
	"tenon/models/catalog"
	"tenon/server/chat/adapter"
	"tenon/server/chat/loader"
)

// perModel is what is set for each model: the server's settings, and those of the file's entries
// under models:.
type perModel struct {
	loader   *config.Loader
	entries  map[string]config.Model // by the id of a model at hand
	adapters adapter.Set
	faults   []error // adapters that are left out
}

// newPerModel is what is set before any model is found.
func newPerModel(l *config.Loader) perModel {
	p := perModel{loader: l, entries: map[string]config.Model{}}
	p.adapters, p.faults = adapter.Open(l.Settings.Adapters)
	return p
}

// of is what is in force for a model.
func (p perModel) of(id string) config.Effective {
	e, err := p.loader.For(p.entries[id])
	if err != nil { // Load has read every entry
		panic("settings of " + id + ": " + err.Error())
	}
	return e
}

// apply gives models what their entries say: a name, aliases, a template, a context. Those that
// are found later get theirs, too.
func (p perModel) apply(fetch fetcher, c *catalog.Catalog) error {
	for _, m := range p.loader.Models {
		i, err := p.find(fetch, c, m)
		switch {
		case errors.Is(err, errNotFetched):
			continue
		case err != nil && fetch.lenient:
			slog.Warn("settings of a model that is not there", "at", m.At, "model", m.Name, "error", err)
			continue
		}
		if err != nil {
			return fmt.Errorf("configuration file %s: models: %s: %w", m.At, m.Name, err)
		}
		p.entries[c.Entries[i].ID] = m
		for _, alias := range m.Aliases {
			if err := c.Alias(alias, c.Entries[i].ID); err != nil {
				return fmt.Errorf("configuration file %s: models: %s: %w", m.At, m.Name, err)
			}
		}
	}
	for i := range c.Entries {
		p.set(&c.Entries[i])
	}
	c.Found = p.set
	return nil
}

// sourced tells whether an entry says where its model is.
func (p perModel) sourced() bool {
	return slices.ContainsFunc(p.loader.Models, func(m config.Model) bool { return m.Source != "" || len(m.Remote.URLs) > 0 })
}

// set gives a model what is in force for it.
func (p perModel) set(e *catalog.Entry) {
	s := p.of(e.ID).Settings
	m := p.entries[e.ID]
	e.Template, e.Context, e.TTL, e.Pinned = s.ChatTemplateFile, cmp.Or(s.CtxSize, e.Context), s.KeepAlive, m.Pin
	for _, alias := range m.Aliases {
		if !slices.Contains(e.Aliases, alias) {
			e.Aliases = append(slices.Clone(e.Aliases), alias)
		}
	}
}

// find is the place of the model that an entry is for. One with a source is added, under the
// entry's name.
func (p perModel) find(fetch fetcher, c *catalog.Catalog, m config.Model) (int, error) {
	path := ""
	if len(m.Remote.URLs) > 0 {
		m.Remote.Tokenizer = tokenjson.Folder(m.Source)
	}
	if m.Source != "" && m.Remote.Tokenizer == "" {
		var err error
		if path, err = fetch.bring(m.Source); err != nil {
			return 0, err
		}
	}
	switch {
	case len(m.Remote.URLs) > 0:
		return c.AddRemote(m.Name, path, m.Remote)
	case path != "":
		return c.AddAs(m.Name, path)
	}
	if found, ok := c.Find(m.Name); ok {
		return slices.IndexFunc(c.Entries, func(e catalog.Entry) bool { return e.ID == found.ID }), nil
	}
	return 0, fmt.Errorf("there is no such model%s; there is: %s", config.DidYouMean(m.Name, c.Names()), orNone(strings.Join(c.Names(), ", ")))
}

// check tells what is wrong with the settings of any model, before one is loaded.
func (p perModel) check() error {
	for _, m := range append(p.loader.Models, config.Model{}) {
		e, err := p.loader.For(m)
		if err != nil {
			return err
		}
		for name, err := range map[string]error{
			"tool-format":        checkFormat(e.Settings.ToolFormat),
			"chat-template-file": checkTemplate(e.Settings.ChatTemplateFile),
			"lora":               checkAdapters(e.Settings.LoRA),
			"draft":              checkDraft(m, e.Settings),
			"adapters":           checkFolder(e.Settings.Adapters),
			"remote":             checkRemote(m.Remote),
			"remote-fallback":    checkFallback(m),
		} {
			if err != nil {
				return fmt.Errorf("%s: %w (set by %s)", name, err, cmp.Or(e.Origins[name], fmt.Sprintf("models: %s (%s)", m.Name, m.At)))
			}
		}
	}
	return nil
}

// chosen tells whether somebody has set a setting, for all models.
func (p perModel) chosen(flag string) bool {
	return p.loader.Sources[flag] != config.FromDefault
}

// options are how models are talked to.
func (p perModel) options() (loader.Options, error) {
	taught, err := p.teaching()
	if err != nil {
		return loader.Options{}, err
	}
	o := loader.Options{
		ToolFormat: map[string]string{"": p.loader.Settings.ToolFormat},
		Teaching:   taught,
		Sampling:   map[string]engine.Sampling{},
		Chosen:     sampling(p.loader.Settings, p.chosen),
		Defaults:   sampling(p.loader.Settings, isSampling),
		StateDir:   stateDir(),
	}
	for id, m := range p.entries {
		s := p.of(id).Settings
		o.ToolFormat[id], o.Sampling[id] = s.ToolFormat, sampling(s, m.Has)
	}
	return o, nil
}
