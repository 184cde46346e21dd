package agent

import (
	"path"
	"slices"
)

// Grant gives tools to the requests of some keys to some models.
type Grant struct {
	Keys   []string // names of API keys; none: everybody
	Models []string // ids; none: every model
	// SOURCE/TOOL, where * stands for any part of either; of servers that requests name the
	// source is "request"
	Tools []string
	Offer bool  // without being asked for
	Clash Clash // with tools of the client's own
}

// Clash says what becomes of a server's tool that is called like one of the client's.
type Clash string

const (
	Rename     Clash = ""       // the source's name goes before its own
	ClientWins Clash = "client" // it is left out
	ServerWins Clash = "server" // the client's is left out
)

// requested is the source, in grants, of servers that requests name.
const requested = "request"

// granted finds the grant by which a caller may use a tool of a model. Without grants each request
// gets what it asks for, and nothing else.
func (o *Options) granted(key, model, source, tool string, asked bool) (Grant, bool) {
	if len(o.Grants) == 0 {
		return Grant{}, asked
	}
	for _, g := range o.Grants {
		if (asked || g.Offer) && g.covers(key, model) && g.names(source, tool) {
			return g, true
		}
	}
	return Grant{}, false
}

// offers tells whether a caller's requests may get tools that they do not ask for.
func (o *Options) offers(key, model string) bool {
	return slices.ContainsFunc(o.Grants, func(g Grant) bool { return g.Offer && g.covers(key, model) })
}

func (g Grant) covers(key, model string) bool {
	return (len(g.Keys) == 0 || slices.Contains(g.Keys, key)) && (len(g.Models) == 0 || slices.Contains(g.Models, model))
}

func (g Grant) names(source, tool string) bool {
	return slices.ContainsFunc(g.Tools, func(pattern string) bool {
		ok, _ := path.Match(pattern, source+"/"+tool) // the settings were checked
		return ok
	})
}
