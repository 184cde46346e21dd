package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Change is a setting that is another after the file was read again.
type Change struct {
	Model, Name, Value string // Model "": the server's own
}

// Changes are what differs in after, for the server and for each model that the file names.
func (l *Loader) Changes(after *Loader) []Change {
	all := differences("", l.Settings, after.Settings)
	if !reflect.DeepEqual(l.Grants, after.Grants) {
		all = append(all, Change{"", grantsKey, fmt.Sprintf("(%d entries)", len(after.Grants))})
	}
	if e := after.Executed; l.Executed.written != e.written {
		all = append(all, Change{"", "tools and mcp", fmt.Sprintf("(%d tools, %d servers)", len(e.Tools), len(e.Servers))})
	}
	for _, m := range after.Models {
		before := Model{}
		if i := slices.IndexFunc(l.Models, func(old Model) bool { return old.Name == m.Name }); i >= 0 {
			before = l.Models[i]
		}
		was, _ := l.For(before) // Load has read both
		is, _ := after.For(m)
		for _, c := range differences(m.Name, was.Settings, is.Settings) {
			if !slices.Contains(all, Change{"", c.Name, c.Value}) {
				all = append(all, c)
			}
		}
		for _, c := range []struct{ name, was, is string }{
			{"source", before.Source, m.Source}, {"aliases", strings.Join(before.Aliases, ", "), strings.Join(m.Aliases, ", ")},
			{"remote", strings.Join(before.Remote.URLs, ", "), strings.Join(m.Remote.URLs, ", ")},
			{"remote-fallback", strconv.FormatBool(before.Remote.Fallback), strconv.FormatBool(m.Remote.Fallback)},
			{"pin", strconv.FormatBool(before.Pin), strconv.FormatBool(m.Pin)},
		} {
			if c.was != c.is {
				all = append(all, Change{m.Name, c.name, c.is})
			}
		}
	}
	return all
}

func differences(model string, was, is Settings) []Change {
	var all []Change
	for _, s := range settings() {
		a, b := reflect.ValueOf(was).FieldByIndex(s.index), reflect.ValueOf(is).FieldByIndex(s.index)
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			value := fmt.Sprint(b.Interface())
			if s.secret {
				value = "(hidden)"
			}
			all = append(all, Change{model, s.name, value})
		}
	}
	return all
}
