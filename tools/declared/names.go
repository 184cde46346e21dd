package declared

import (
	"regexp"
	"slices"
	"strings"

	"tenon/tools/conform"
)

// ToolsPrefix is what models of many families write before names.
const ToolsPrefix = "functions."

// Names finds the tool that a model means: by its exact name, else by the one name that differs only in case, separators
// or a prefix.
type Names struct {
	Exact  map[string]int
	normal map[string][]int
}

// Match is a tool that was found; rule is set if the name was spelled in another way.
type Match struct {
	Tool int
	Rule string
}

func (n *Names) Add(name string, tool int) {
	if n.Exact == nil {
		n.Exact, n.normal = map[string]int{}, map[string][]int{}
	}
	n.Exact[name] = tool
	key := conform.Normal(name)
	n.normal[key] = append(n.normal[key], tool)
}

const (
	NamePrefix   = "name-prefix"
	nameSpelling = "name-spelling"
)

// NamePrefixes are what models write before names, in lower case.
var NamePrefixes = []string{ToolsPrefix, "function.", "functions::", "tools.", "tool.", "default_api."}

// nameIndex is the running number that Kimi K2 writes behind a name.
var nameIndex = regexp.MustCompile(`:[0-9]+$`)

// Find returns the tool that a model means by name. Where it may mean more than one, it means none.
func (n *Names) Find(name string) (Match, bool) {
	if i, ok := n.Exact[name]; ok {
		return Match{Tool: i}, true
	}
	spellings := withoutPrefixes(strings.Trim(strings.TrimSpace(name), "\"'`"))
	for _, s := range spellings {
		if i, ok := n.Exact[s]; ok {
			return Match{i, NamePrefix}, true
		}
	}
	means := map[int]bool{}
	for _, s := range spellings {
		for _, i := range n.normal[conform.Normal(s)] {
			means[i] = true
		}
	}
	for i := range means {
		return Match{i, nameSpelling}, len(means) == 1
	}
	return Match{}, false
}

// withoutPrefixes is what a name may be, the whole first: each time without one more of the prefixes, and without a running number.
func withoutPrefixes(name string) (all []string) {
	for {
		for _, s := range []string{name, nameIndex.ReplaceAllString(name, "")} {
			if s != "" && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
		next := name
		for _, prefix := range NamePrefixes {
			if n := len(prefix); next == name && len(name) > n && strings.EqualFold(name[:n], prefix) {
				next = name[n:]
			}
		}
		if next == name {
			return all
		}
		name = next
	}
}
