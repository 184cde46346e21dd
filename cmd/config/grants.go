package config

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Grant is an entry under tool-grants: in the settings file, who gets which of the tools that the
// server executes:
//
//	tool-grants:
//	  - keys: [alice]
//	    models: [coder]
//	    tools: [filesystem/*, builtin/web_search]
//	    offer: true
//
// Without entries each request gets the tools that it asks for.
type Grant struct {
	Keys   []string // names of API keys; none: everybody
	Models []string // ids or aliases; none: every model
	Tools  []string // SOURCE/TOOL, with * for any part of either
	Offer  bool     // without being asked for
	Clash  string   // with a tool of the client's: "rename", "client", "server"; "": rename
}

const grantsKey = "tool-grants"

func (f *file) readGrants(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return f.errorf(n, "%s: expected a list of entries with tools", grantsKey)
	}
	known := []string{"keys", "models", "tools", "offer", "clash"}
	for _, entry := range n.Content {
		if err := f.eachKey(entry, func(key, _ *yaml.Node) error {
			if !slices.Contains(known, key.Value) {
				return f.errorf(key, "%s: there is no key %q%s", grantsKey, key.Value, DidYouMean(key.Value, known))
			}
			return nil
		}); err != nil {
			return err
		}
		var g Grant
		if err := entry.Decode(&g); err != nil {
			return f.errorf(entry, "%s: %w", grantsKey, err)
		}
		if wrong := slices.IndexFunc(g.Tools, badPattern); wrong >= 0 || len(g.Tools) == 0 {
			return f.errorf(entry, "%s: tools are %q; expected SOURCE/TOOL, where * stands for any part of either", grantsKey, g.Tools)
		}
		if !slices.Contains([]string{"", "rename", "client", "server"}, g.Clash) {
			return f.errorf(entry, "%s: clash is %q; expected rename, client or server", grantsKey, g.Clash)
		}
		f.grants = append(f.grants, g)
	}
	return nil
}

func badPattern(p string) bool {
	_, err := path.Match(p, "")
	return err != nil || strings.Count(p, "/") != 1
}
