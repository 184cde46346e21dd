package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// file is what a settings file says, before it is held against bounds.
type file struct {
	path   string
	values map[string][]string // by setting
	lines  map[string]int
	models []Model
	grants []Grant

	executed Executed
}

// readFile reads a YAML file of settings.
func readFile(path string) (file, error) {
	f := file{path: path, values: map[string][]string{}, lines: map[string]int{}}
	text, err := os.ReadFile(path)
	if err != nil {
		return f, fmt.Errorf("configuration file: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return f, fmt.Errorf("configuration file %s: %w", path, err)
	}
	if len(document.Content) == 0 {
		return f, nil // an empty file sets nothing
	}
	return f, f.eachKey(document.Content[0], func(key, value *yaml.Node) error {
		switch key.Value {
		case "models":
			return f.readModels(value)
		case "tools":
			return f.readTools(value)
		case "mcp":
			return f.readServers(value)
		case grantsKey:
			return f.readGrants(value)
		}
		return f.setting(key, value)
	})
}

// setting reads one key of the file's top level.
func (f *file) setting(key, value *yaml.Node) error {
	if !slices.Contains(settingNames(false), key.Value) {
		return f.errorf(key, "there is no setting %q%s; see tenon serve --help", key.Value, DidYouMean(key.Value, append(settingNames(false), "models", "tools", "mcp", grantsKey)))
	}
	var err error
	if f.values[key.Value], err = f.written(key.Value, value); err != nil {
		return f.errorf(key, "%s: %w", key.Value, err)
	}
	f.lines[key.Value] = key.Line
	return nil
}

// eachKey calls do for each key of a mapping, which must stand there once.
func (f *file) eachKey(n *yaml.Node, do func(key, value *yaml.Node) error) error {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return f.errorf(n, "expected keys with values")
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if first, twice := seen[key.Value]; twice {
			return f.errorf(key, "%s stands in line %d already", key.Value, first)
		}
		seen[key.Value] = key.Line
		if err := do(key, value); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) errorf(at *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("configuration file %s, line %d: %w", f.path, at.Line, fmt.Errorf(format, args...))
}

// settingNames are the names of all settings, or of those that a model may have of its own.
func settingNames(perModel bool) []string {
	var names []string
	for _, s := range settings() {
		if s.perModel || !perModel {
			names = append(names, s.name)
		}
	}
	return names
}

// written is the text of a setting's value; a path is sought beside the file, wherever the server
// is started.
func (f *file) written(name string, n *yaml.Node) ([]string, error) {
	values, err := written(n)
	i := slices.IndexFunc(settings(), func(s setting) bool { return s.name == name })
	for n, v := range values {
		if i >= 0 && settings()[i].isPath(v) {
			values[n] = f.beside(v)
		}
	}
	return values, err
}

// beside is a path as the file means it. What is absolute, of the home folder or no path at all
// stays as it is.
func (f *file) beside(path string) string {
	if path == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "~") || strings.HasPrefix(path, "hf:") || strings.Contains(path, "://") {
		return path
	}
	return filepath.Join(filepath.Dir(f.path), path)
}

// written is the text of a value, or of a list's elements, as it stands in the file: what YAML
// would make of a key of digits or of a date is another text.
func written(n *yaml.Node) ([]string, error) {
	switch n.Kind {
	case yaml.AliasNode:
		return written(n.Alias)
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return nil, errors.New("has no value; leave the line out for the default")
		}
		return []string{n.Value}, nil
	case yaml.SequenceNode:
		values := []string{}
		for _, e := range n.Content {
			v, err := written(e)
			if err != nil {
				return nil, err
			}
			if len(v) != 1 || e.Kind == yaml.SequenceNode {
				return nil, errors.New("takes a list of values, not of lists")
			}
			values = append(values, v[0])
		}
		return values, nil
	}
	return nil, errors.New("takes a value or a list of them")
}
