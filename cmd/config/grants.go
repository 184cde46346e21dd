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
	Keys   []string `key:"keys"`   // names of API keys; none: everybody
	Models []string `key:"models"` // ids or aliases; none: every model
	Tools  []string `key:"tools"`  // SOURCE/TOOL, with * for any part of either
	Offer  bool     `key:"offer"`  // without being asked for
	// with a tool of the client's: "rename", "client", "server"; "": rename
	Clash string `key:"clash"`
}

const grantsKey = "tool-grants"

func (f *file) readGrants(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return f.errorf(n, "%s: expected a list of entries with tools", grantsKey)
	}
	for _, entry := range n.Content {
		var g Grant
		if err := f.fill(grantsKey, &g, entry); err != nil {
			return err
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
