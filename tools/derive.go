package tools

import (
	"regexp"
	"slices"
	"strings"
)

// A template that no family's signs fit still shows how its model calls: the probe renders a call of a tool, with a
// key and a value, that stand for nothing else. What stands around them is the format.

// The words of the probe's canonical call (package templates).
const (
	probeTool  = "zqtool"
	probeKey   = "zqkey"
	probeValue = "zqvalue"
	probeText  = "zqtext"
)

var (
	probeObject = regexp.MustCompile(`\{\s*"` + probeKey + `"\s*:\s*"` + probeValue + `"\s*\}`)
	probeCall   = regexp.MustCompile(`(?s)(\[\s*)?\{[^{}]*"` + probeTool + `"[^{}]*\{[^{}]*\}[^{}]*\}(\s*\])?`)
	nameField   = regexp.MustCompile(`"(\w+)"\s*:\s*"` + probeTool + `"`)
	argsField   = regexp.MustCompile(`"(\w+)"\s*:\s*\{\s*"` + probeKey + `"`)
	firstTag    = regexp.MustCompile(`^\s*(<+[^<>]*>+|\[[^\[\]]*\])`)
	anyTag      = regexp.MustCompile(`<+[^<>]*>+`)
)

// derive makes a dialect of a rendered call, nil if the call cannot be made out in it.
func derive(renderings []string) *Dialect {
	start, end := turnAround(renderings)
	for _, r := range renderings {
		if !strings.Contains(r, probeTool) || !strings.Contains(r, probeValue) {
			continue
		}
		r = strings.TrimSuffix(strings.TrimPrefix(r, start), end)
		f, ok := deriveJSON(r)
		if !ok {
			f, ok = deriveNamed(r)
		}
		if !ok {
			f, ok = deriveTagged(r)
		}
		if ok {
			f.name, f.models, f.match = "derived", "read off the template's own rendering of a call", byOrder
			f.think = span{"<think>", "</think>"}
			f.ends = []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<|end|>", "<end_of_turn>"}
			if end = strings.TrimSpace(end); end != "" && !slices.Contains(f.ends, end) {
				f.ends = append(f.ends, end)
			}
			return &Dialect{family: f}
		}
	}
	return nil
}

// turnAround is what stands before and behind an assistant's text, as far as a rendering shows it: the generation prompt and the
// end of the turn are no part of a call.
func turnAround(renderings []string) (start, end string) {
	for _, r := range renderings {
		before, after, ok := strings.Cut(r, probeText)
		if !ok {
			continue
		}
		if start == "" || strings.Contains(r, probeTool) {
			start = before
		}
		if !strings.Contains(r, probeTool) {
			end = after
		}
	}
	return start, end
}

// deriveJSON reads a call that is one object with name and arguments, in an array or alone.
func deriveJSON(r string) (family, bool) {
	at := probeCall.FindStringIndex(r)
	if at == nil {
		return family{}, false
	}
	call := r[at[0]:at[1]]
	name, args := nameField.FindStringSubmatch(call), argsField.FindStringSubmatch(call)
	if name == nil || args == nil {
		return family{}, false
	}
	c := jsonCodec{nameKey: name[1], argsKey: args[1], array: strings.HasPrefix(call, "[")}
	f := family{codecs: []codec{c}, noise: anyTag.FindAllString(r[at[1]:], -1)}
	around := span{strings.TrimSpace(r[:at[0]]), tagAt(r[at[1]:])}
	if c.array {
		f.section = around
	} else {
		f.call = around
	}
	return f, true
}

// deriveNamed reads a call whose name stands before an object of arguments.
func deriveNamed(r string) (family, bool) {
	at := probeObject.FindStringIndex(r)
	name := strings.Index(r, probeTool)
	if at == nil || name < 0 || name > at[0] {
		return family{}, false
	}
	open, separator := strings.TrimSpace(r[:name]), r[name+len(probeTool):at[0]]
	if open == "" || separator == "" {
		return family{}, false
	}
	return family{
		call:   span{open, tagAt(r[at[1]:])},
		noise:  anyTag.FindAllString(r[at[1]:], -1), // what closes an outer tag
		codecs: []codec{namedCodec{separator: separator, splits: []string{strings.TrimSpace(separator), "\n"}}},
	}, true
}

// deriveTagged reads a call whose arguments stand between tags.
func deriveTagged(r string) (family, bool) {
	name, key := strings.Index(r, probeTool), strings.Index(r, probeKey)
	value := strings.Index(r, probeValue)
	if name < 0 || key < name || value < key {
		return family{}, false
	}
	head, afterName := r[:name], r[name+len(probeTool):key]
	afterKey, afterValue := r[key+len(probeKey):value], r[value+len(probeValue):]
	close := strings.IndexByte(afterName, '>')
	open := strings.LastIndexByte(afterName, '<')
	callTag := strings.LastIndexByte(head, '<')
	if close < 0 || open <= close-1 || callTag < 0 || !strings.Contains(afterKey, ">") {
		return family{}, false
	}
	argEnd := tagAt(afterValue)
	rest := strings.TrimPrefix(strings.TrimLeft(afterValue, "\n"), argEnd)
	callEnd := tagAt(rest)
	if argEnd == "" || callEnd == "" {
		return family{}, false
	}
	outer := strings.TrimSpace(head[:callTag])
	c := taggedCodec{
		call: span{head[callTag:], afterName[:close+1]}, callEnd: callEnd,
		arg: span{afterName[open:], strings.TrimRight(afterKey, "\n")}, argEnd: argEnd,
		lines: strings.HasSuffix(afterKey, "\n"),
	}
	f := family{codecs: []codec{c}}
	if outer != "" {
		f.section = span{outer, tagAt(strings.TrimPrefix(strings.TrimLeft(rest, "\n"), callEnd))}
	}
	return f, true
}

// tagAt is the tag or bracketed marker that a text starts with, white space aside.
func tagAt(s string) string {
	if m := firstTag.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}
