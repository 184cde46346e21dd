package tools

import (
	"regexp"
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

// namePrefixes are what models write before names.
var namePrefixes = []string{toolsPrefix, "function.", "functions::", "tools.", "tool.", "default_api."}

// nameIndex is the running number that Kimi K2 writes behind a name.
var nameIndex = regexp.MustCompile(`:[0-9]+$`)

func (n *names) find(name string) (match, bool) {
	if i, ok := n.exact[name]; ok {
		return match{tool: i}, true
	}
	name = strings.Trim(strings.TrimSpace(name), "\"'`")
	name = nameIndex.ReplaceAllString(name, "")
	for _, prefix := range namePrefixes {
		name = strings.TrimPrefix(name, prefix)
	}
	if i, ok := n.exact[name]; ok {
		return match{i, namePrefix}, true
	}
	if found := n.normal[conform.Normal(name)]; len(found) == 1 && name != "" {
		return match{found[0], nameSpelling}, true
	}
	return match{}, false
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

func promptNames(tools []Tool) []string {
	all := make([]string, len(tools))
	for i, t := range tools {
		all[i] = PromptName(t.Namespace, t.Name)
	}
	return all
}
