package plan

import (
	"bytes"
	"sort"
	"strings"

	"tenon/tools/conform"
	"tenon/tools/declared"
	"tenon/tools/peek"
)

// MaxIndex is how many digits a call's number may have.
const MaxIndex = 4

// BeginsName tells whether a name that can be called may start with a word, or is one with a part
// of a number behind it.
func (p *Plan) BeginsName(word []byte, index bool) bool {
	k := sort.Search(len(p.Called), func(k int) bool { return p.Called[k] >= string(word) })
	return k < len(p.Called) && strings.HasPrefix(p.Called[k], string(word)) || p.IsName(word, index)
}

// IsName tells whether a word is the name of a tool that can be called. With index the call's
// number may follow it.
func (p *Plan) IsName(word []byte, index bool) bool {
	if p.CallableName(word) {
		return true
	}
	n := len(word)
	for index && n > 0 && len(word)-n < MaxIndex && word[n-1] >= '0' && word[n-1] <= '9' {
		n--
	}
	return index && n > 0 && word[n-1] == ':' && p.CallableName(word[:n-1])
}

// CallableName tells whether a word is exactly the name of a tool that can be called.
func (p *Plan) CallableName(word []byte) bool {
	i, ok := p.Names.Exact[string(word)]
	return ok && p.Tools[i].Allowed
}

// couldName tells whether a word may be the beginning of a tool's name, in any spelling that is
// understood.
func (p *Plan) couldName(word []byte) bool {
	n := conform.Normal(string(word))
	for _, prefix := range append([]string{""}, declared.NamePrefixes...) {
		rest := strings.TrimPrefix(n, conform.Normal(prefix))
		k := sort.SearchStrings(p.normal, rest)
		if k < len(p.normal) && strings.HasPrefix(p.normal[k], rest) {
			return true
		}
	}
	return false
}

// Prose tells whether body[from:i] is prose and not a tool's name. It can tell where another word
// begins at i, and the words before it begin no name.
func (p *Plan) Prose(body []byte, from, i int) bool {
	if i == from || !peek.IsSpace(body[i-1]) || peek.IsSpace(body[i]) || body[i] == '{' || body[i] == '[' {
		return false
	}
	word := bytes.TrimSpace(body[min(from, i):i])
	return len(word) > 0 && !p.couldName(word)
}
