package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"tenon/server/agent"
	"tenon/server/agent/builtin"
	"tenon/server/agent/mcp"
)

// Executed is what the file's sections tools: and mcp: say: what the server executes.
type Executed struct {
	Tools   builtin.Static
	Servers []*mcp.Server
	written string // the sections
}

// note remembers a section, to see whether it changes.
func (e *Executed) note(section *yaml.Node) {
	text, _ := yaml.Marshal(section) // it was just read
	e.written += string(text)
}

// Connector reaches servers that requests name; nil if none may be named.
func (s *Settings) Connector() agent.Connector {
	if len(s.MCPHosts) == 0 {
		return nil
	}
	c := &mcp.Connector{Hosts: s.MCPHosts, Private: s.MCPPrivate}
	_ = c.Approval.UnmarshalText([]byte(s.MCPApproval)) // it is one of the choices
	return c
}

// readTools reads the section tools:, an entry for each tool.
func (f *file) readTools(n *yaml.Node) error {
	f.executed.note(n)
	return f.eachKey(n, func(key, value *yaml.Node) error {
		s := builtin.New(key.Value)
		if err := f.fill("tools: "+key.Value, s, value); err != nil {
			return err
		}
		t, err := s.Tool(key.Value)
		if err != nil {
			return f.errorf(key, "tools: %s: %w", key.Value, err)
		}
		f.executed.Tools = append(f.executed.Tools, t)
		return nil
	})
}

// readServers reads the section mcp:, an entry for each server.
func (f *file) readServers(n *yaml.Node) error {
	f.executed.note(n)
	return f.eachKey(n, func(key, value *yaml.Node) error {
		s := mcp.NewServer(key.Value)
		if err := f.fill("mcp: "+key.Value, s, value); err != nil {
			return err
		}
		if err := s.Check(); err != nil {
			return f.errorf(key, "mcp: %s: %w", key.Value, err)
		}
		f.executed.Servers = append(f.executed.Servers, s)
		return nil
	})
}

// sectionKey is a key of an entry, from the tags of its field.
type sectionKey struct {
	name, help string
	path       bool
	field      []int
}

func sectionKeys(t reflect.Type) []sectionKey {
	var all []sectionKey
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("key"); name != "" {
			all = append(all, sectionKey{name, f.Tag.Get("help"), f.Tag.Get("path") != "", f.Index})
		}
	}
	return all
}

// fill sets the fields of settings, a pointer to a struct with tags, to what an entry says.
func (f *file) fill(place string, settings any, n *yaml.Node) error {
	if n.Tag == "!!null" {
		return nil // the defaults will do
	}
	into := reflect.ValueOf(settings).Elem()
	keys := sectionKeys(into.Type())
	return f.eachKey(n, func(key, value *yaml.Node) error {
		i := slices.IndexFunc(keys, func(k sectionKey) bool { return k.name == key.Value })
		if i < 0 {
			names := make([]string, len(keys))
			for i, k := range keys {
				names[i] = k.name
			}
			return f.errorf(key, "%s: there is no key %q%s", place, key.Value, DidYouMean(key.Value, names))
		}
		if err := f.assign(keys[i], into.FieldByIndex(keys[i].field), value); err != nil {
			return f.errorf(key, "%s: %s: %w", place, key.Value, err)
		}
		return nil
	})
}

func (f *file) assign(k sectionKey, field reflect.Value, n *yaml.Node) (err error) {
	if n.Tag == "!!null" {
		return errors.New("has no value; leave the line out for the default")
	}
	switch v := field.Addr().Interface().(type) {
	case *string:
		texts, err := f.texts(k, n)
		if err != nil || len(texts) != 1 {
			return cmp.Or(err, errNoList)
		}
		*v = texts[0]
		return nil
	case *[]string:
		*v, err = f.texts(k, n)
		return err
	case *bool:
		if n.Decode(v) != nil {
			return fmt.Errorf("is %q; expected true or false", n.Value)
		}
		return nil
	}
	if err := n.Decode(field.Addr().Interface()); err != nil {
		return errors.New(strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:")), " "))
	}
	switch v := field.Interface().(type) {
	case int:
		if v < 1 {
			err = fmt.Errorf("is %d; expected 1 or more", v)
		}
	case map[string]string:
		for name := range v {
			v[name] = variableOf.ReplaceAllStringFunc(v[name], func(of string) string {
				value, set := os.LookupEnv(of[2 : len(of)-1])
				if !set {
					err = fmt.Errorf("the environment has no variable %s", of[2:len(of)-1])
				}
				return value
			})
		}
	}
	return err
}

// texts is a text, or a list of them; a path is sought beside the file.
func (f *file) texts(k sectionKey, n *yaml.Node) ([]string, error) {
	texts, err := written(n)
	for i := range texts {
		if k.path {
			texts[i] = f.beside(texts[i])
		}
	}
	return texts, err
}

// variableOf is a variable of the environment in env and headers: so keys need not stand in the
// file.
var variableOf = regexp.MustCompile(`\$\{\w+\}`)
