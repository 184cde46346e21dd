package format

import (
	"strings"
)

// TagOpens are the ways in which a tag may begin that has a name or a key in it: <function= is written <function name= too.
func TagOpens(start string) []string {
	all := []string{TagOpen(start)}
	if a := AttributeTag(start); a != "" {
		all = append(all, a)
	}
	return all
}

// AttributeTag is a tag's start of which the name is the value, with the name as an attribute; "" if that is how it is.
func AttributeTag(start string) string {
	tag, ok := strings.CutSuffix(start, "=")
	if !ok || strings.Contains(tag, " ") {
		return ""
	}
	return tag + " name="
}

// TagOpen is a tag's start without the quote that may open an attribute: models leave it out or write another.
func TagOpen(start string) string { return strings.TrimSuffix(start, `"`) }

// TagClose is a tag's end without the quote that may close an attribute.
func TagClose(end string) string {
	if end == "" {
		return "\n"
	}
	return strings.TrimPrefix(end, `"`)
}
