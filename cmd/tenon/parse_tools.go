package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"tenon/server/responses"
	"tenon/tools"
	"tenon/tools/format"
)

// readTools reads an OpenAI tools array, of Chat Completions or of Responses. left are those that
// are no part of what a model writes.
func readTools(path string) (declared []tools.Tool, left []string, err error) {
	if path == "" {
		return nil, nil, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var all []map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, nil, fmt.Errorf("%s: an OpenAI tools array is wanted: %w", path, err)
	}
	for i, t := range all {
		if t != nil { // null, which is refused below
			all[i] = flat(t)
		}
	}
	raw, _ := json.Marshal(all) // it was JSON before
	declared, left, err = responses.ReadTools(raw)
	for i := range declared {
		declared[i].Strict = false // it is about masks, and there are none
	}
	return declared, left, err
}

// flat is a tool of Chat Completions as Responses has it: what stands below its type there, and
// the grammar of its format.
func flat(t map[string]json.RawMessage) map[string]json.RawMessage {
	for _, kind := range []string{"function", "custom"} {
		var inner map[string]json.RawMessage
		if json.Unmarshal(t[kind], &inner) == nil && inner != nil {
			t = inner
			t["type"] = json.RawMessage(`"` + kind + `"`)
		}
	}
	if t["type"] == nil {
		t["type"] = json.RawMessage(`"function"`)
	}
	var format, grammar map[string]json.RawMessage
	if json.Unmarshal(t["format"], &format) == nil && json.Unmarshal(format["grammar"], &grammar) == nil && grammar != nil {
		grammar["type"] = format["type"]
		t["format"], _ = json.Marshal(grammar) // it was JSON before
	}
	return t
}

// toolWord is what a tool may be called. Families write a prefix before it.
var toolWord = regexp.MustCompile(`[\pN]*[\pL_][\pL\pN_.-]*`)

// anyTools declares each word of a text that could name a tool, with any arguments: a call is one
// by how it is written then.
func anyTools(d *tools.Dialect, raw string) (declared []tools.Tool) {
	const most = 20000 // longer than an answer; each costs time
	seen := map[string]bool{}
	for _, word := range toolWord.FindAllString(withoutOwnWords(d, raw), -1) {
		name := strings.TrimPrefix(strings.TrimRight(word, ".-"), "functions.")
		if name == "" || len(name) > 64 || seen[name] {
			continue
		}
		if seen[name] = true; len(seen) > most {
			break
		}
		declared = append(declared, tools.Tool{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return declared
}

// withoutOwnWords is a text without what a family writes around names: its markers and the other
// families', the word and the id before a name. Else <tool_call>{…}</tool_call> would be an
// element of a tool's name.
func withoutOwnWords(d *tools.Dialect, raw string) string {
	var own []string
	for _, c := range d.Syntaxes {
		n, _ := c.(format.Named)
		own = append(own, n.Before)
		if n.IDFirst != "" {
			raw = regexp.MustCompile(`[\w-]*`+regexp.QuoteMeta(n.IDFirst)).ReplaceAllString(raw, " ")
		}
	}
	for _, f := range append([]*tools.Dialect{d}, tools.Families()...) {
		own = append(own, f.Markers()...)
	}
	// some begin as others do
	slices.SortFunc(own, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, s := range own {
		if s != "" {
			pairs = append(pairs, s, " ")
		}
	}
	return strings.NewReplacer(pairs...).Replace(raw)
}
