package tools

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tenon/tools/conform"
)

// names finds the tool that a model means: by its exact name, else by the one name that differs only in case, separators
// or a prefix.
type names struct {
	exact  map[string]int
	normal map[string][]int
}

// match is a tool that was found; rule is set if the name was spelled in another way.
type match struct {
	tool int
	rule string
}

func (n *names) add(name string, tool int) {
	if n.exact == nil {
		n.exact, n.normal = map[string]int{}, map[string][]int{}
	}
	n.exact[name] = tool
	key := conform.Normal(name)
	n.normal[key] = append(n.normal[key], tool)
}

const (
	namePrefix   = "name-prefix"
	nameSpelling = "name-spelling"
)

// namePrefixes are what models write before names, in lower case.
var namePrefixes = []string{toolsPrefix, "function.", "functions::", "tools.", "tool.", "default_api."}

// nameIndex is the running number that Kimi K2 writes behind a name.
var nameIndex = regexp.MustCompile(`:[0-9]+$`)

// find returns the tool that a model means by name. Where it may mean more than one, it means none.
func (n *names) find(name string) (match, bool) {
	if i, ok := n.exact[name]; ok {
		return match{tool: i}, true
	}
	spellings := withoutPrefixes(strings.Trim(strings.TrimSpace(name), "\"'`"))
	for _, s := range spellings {
		if i, ok := n.exact[s]; ok {
			return match{i, namePrefix}, true
		}
	}
	means := map[int]bool{}
	for _, s := range spellings {
		for _, i := range n.normal[conform.Normal(s)] {
			means[i] = true
		}
	}
	for i := range means {
		return match{i, nameSpelling}, len(means) == 1
	}
	return match{}, false
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
		for _, prefix := range namePrefixes {
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

// PromptName is the name by which the model sees a tool. A namespace goes before the name; the namespaces of some clients
// end with their own separator.
func PromptName(namespace, name string) string {
	switch {
	case namespace == "" || strings.HasPrefix(name, namespace):
		return name
	case strings.HasSuffix(namespace, "__") || strings.HasSuffix(namespace, "."):
		return namespace + name
	default:
		return namespace + "__" + name
	}
}

// promptNames are the names by which the model sees tools, each of them once: where a namespace makes two alike, tools without one
// keep theirs, and of others the later ones get a number.
func promptNames(tools []Tool) []string {
	all, taken := make([]string, len(tools)), map[string]bool{}
	for _, spaced := range []bool{false, true} {
		for i, t := range tools {
			if (t.Namespace != "") != spaced {
				continue
			}
			name := PromptName(t.Namespace, t.Name)
			for n := 2; taken[name] && spaced; n++ {
				name = fmt.Sprintf("%s_%d", PromptName(t.Namespace, t.Name), n)
			}
			all[i], taken[name] = name, true
		}
	}
	return all
}
