package turn

import (
	"fmt"
	"strings"
)

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

// PromptNames are the names by which the model sees tools, each of them once: where a namespace makes two alike, tools without one
// keep theirs, and of others the later ones get a number.
func PromptNames(tools []Tool) []string {
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
