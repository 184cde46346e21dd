package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"tenon/models/catalog"
)

// Model is an entry under models: in the settings file, what is set for one model alone:
//
//	models:
//	  coder:
//	    source: hf:Qwen/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M
//	    aliases: [gpt-4o, claude-sonnet-4-5]
//	    ctx-size: 65536
//	    cache-type-k: q8_0
//	    temp: 0.7
//	    keep-alive: 2h
//	    adapter: qwen3-coder
//
// Every setting that can differ between models has here the name that it has as a flag.
type Model struct {
	// the entry's key: where Source is "", a model that is found without it; else what clients
	// call it
	Name           string
	Source         string   `key:"source" path:"yes" help:"a file, a folder, 'hf:owner/repo[:quant]' or an https address; with remote also a 'tokenizer.json', or its folder; without one the entry's name says which model is meant"`
	Aliases        []string `key:"aliases" help:"other names for the model"`
	Pin            bool     `key:"pin" help:"true: the model is loaded at start and stays, whatever else asks for room"`
	catalog.Remote          // where other machines serve it
	Adapter        Adapter  `key:"adapter" help:"how the model is helped with its tools: a name, or values of its own"`
	At             Position

	values map[string][]string // of settings
	lines  map[string]int
}

// Adapter is how a model is helped with its tools: the name of one that is kept elsewhere, or
// values of the entry's own. What the values may be is known to who reads adapters.
type Adapter struct {
	Name   string     // "off", a preset or a file's; "": see Inline
	Inline *yaml.Node // a mapping; nil: see Name
	At     Position
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (a *Adapter) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		a.Inline = n
		return nil
	}
	return n.Decode(&a.Name)
}

// Position is where something stands in the settings file.
type Position struct {
	File string
	Line int
}

func (p Position) String() string { return fmt.Sprintf("%s, line %d", p.File, p.Line) }

// modelKeys are the keys of an entry that are no settings.
var modelKeys = sectionKeys(reflect.TypeFor[Model]())

func modelKeyNames() []string {
	names := settingNames(true)
	for _, k := range modelKeys {
		names = append(names, k.name)
	}
	return names
}

func (f *file) readModels(n *yaml.Node) error {
	return f.eachKey(n, func(key, value *yaml.Node) error {
		m := Model{Name: key.Value, At: Position{f.path, key.Line}, values: map[string][]string{}, lines: map[string]int{}}
		if err := f.eachKey(value, func(k, v *yaml.Node) error { return f.modelKey(&m, k, v) }); err != nil {
			return err
		}
		f.models = append(f.models, m)
		return nil
	})
}

// modelKey reads one key of an entry.
func (f *file) modelKey(m *Model, key, value *yaml.Node) error {
	if key.Value == "adapter" {
		m.Adapter.At = Position{f.path, key.Line}
	}
	var err error
	i := slices.IndexFunc(modelKeys, func(k sectionKey) bool { return k.name == key.Value })
	switch {
	case i >= 0:
		err = f.assign(modelKeys[i], reflect.ValueOf(m).Elem().FieldByIndex(modelKeys[i].field), value)
	case PerModel(key.Value):
		m.lines[key.Value] = key.Line
		m.values[key.Value], err = f.written(key.Value, value)
		if err == nil && len(m.values[key.Value]) != 1 && !takesList(key.Value) {
			err = errNoList
		}
	default:
		return f.errorf(key, "models: %s: there is no key %q%s", m.Name, key.Value, DidYouMean(key.Value, modelKeyNames()))
	}
	if err != nil {
		return f.errorf(key, "models: %s: %s: %w", m.Name, key.Value, err)
	}
	return nil
}

func takesList(name string) bool {
	return slices.ContainsFunc(settings(), func(s setting) bool { return s.name == name && s.list() })
}

// Effective is what is in force for one model, and where each value came from.
type Effective struct {
	Settings Settings
	Origins  map[string]string // by setting
}

// For returns what is in force for a model: its entry's values, and for what that leaves out the
// server's. An entry wins over flags: it is the narrower of the two.
func (l *Loader) For(m Model) (Effective, error) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	own := Register(flags)
	own.Settings = l.Settings
	e := Effective{Origins: map[string]string{}}
	for _, s := range settings() {
		e.Origins[s.name] = strings.TrimSuffix(l.origin(s.name), ",")
		values, ok := m.values[s.name]
		if !ok {
			continue
		}
		at := Position{m.At.File, m.lines[s.name]}
		if err := set(flags.Lookup(s.name), values); err != nil {
			return e, fmt.Errorf("configuration file %s: models: %s: %s: %w", at, m.Name, s.name, err)
		}
		v := reflect.ValueOf(own.Settings).FieldByIndex(s.index)
		if want := s.wanted(v); want != "" {
			return e, fmt.Errorf("configuration file %s: models: %s: %s is %s%s; expected %s", at, m.Name, s.name, shown(v), DidYouMean(v.String(), s.choices), want)
		}
		e.Origins[s.name] = fmt.Sprintf("models: %s (%s)", m.Name, at)
	}
	e.Settings = own.Settings
	return e, nil
}

// Value is what is in force of a setting, and where it came from.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// Entry is the file's entry for a model, by its name or an alias; one that says nothing if there
// is none.
func (l *Loader) Entry(name string) Model {
	for _, m := range l.Models {
		if slices.ContainsFunc(append([]string{m.Name}, m.Aliases...), func(n string) bool { return strings.EqualFold(n, name) }) {
			return m
		}
	}
	return Model{Name: name}
}

// Has tells whether the entry sets a setting itself.
func (m Model) Has(name string) bool { _, ok := m.values[name]; return ok }

// PerModel tells whether a setting may differ between models.
func PerModel(name string) bool { return slices.Contains(settingNames(true), name) }

// checkModels holds every entry against bounds, and names against each other.
func (l *Loader) checkModels() error {
	taken := map[string]Model{}
	for _, m := range l.Models {
		if _, err := l.For(m); err != nil {
			return err
		}
		for _, name := range append([]string{m.Name}, m.Aliases...) {
			if other, twice := taken[strings.ToLower(name)]; twice {
				return fmt.Errorf("configuration file %s: models: %s: the name %q is that of %s, line %d, too", m.At, m.Name, name, other.Name, other.At.Line)
			}
			taken[strings.ToLower(name)] = m
		}
	}
	return nil
}
