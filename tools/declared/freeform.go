package declared

import (
	"encoding/json"
	"fmt"

	"tenon/grammar"
	"tenon/grammar/gbnf"
	"tenon/tools/turn"
)

func FirstInput(args []byte) json.RawMessage {
	v, _ := Members(args).First(InputKey)
	return v
}

// InputKey is the one argument of a free-form tool where a dialect has only arguments.
const InputKey = "input"

// Schema is that of an object with the tool's text as its only member. A Lark grammar has no place in it.
func Schema(f *turn.Freeform) json.RawMessage {
	input := `{"type":"string"}`
	if f.Syntax == "regex" {
		input = `{"type":"string","pattern":` + JsonString("^(?:"+f.Definition+")$") + `}`
	}
	return json.RawMessage(`{"type":"object","properties":{"` + InputKey + `":` + input + `},"required":["` + InputKey + `"],"additionalProperties":false}`)
}

// Compile prepares the grammar of a free-form tool's text. One that cannot be read is dropped, and the text is any.
func (t *Tool) Compile() {
	f := t.Freeform
	if f == nil || f.Syntax == "" {
		return
	}
	var err error
	switch f.Syntax {
	case "lark":
		t.Text, err = grammar.FromLark(f.Definition)
		if err == nil {
			t.Quoted, err = quotedLark(f.Definition)
		}
	case "regex":
		t.Text, err = grammar.FromRegex(f.Definition)
	default:
		err = fmt.Errorf("unknown syntax %q", f.Syntax)
	}
	if err != nil {
		t.Text, t.Quoted = nil, nil
		why := fmt.Sprintf("the input may be any text: %v", err)
		t.Issues = append(t.Issues, grammar.Issue{Tool: t.Name, Keyword: f.Syntax, Action: grammar.Dropped, Why: why})
	}
}

func quotedLark(src string) (*gbnf.Grammar, error) {
	tree, err := gbnf.ReadLark(src)
	if err != nil {
		return nil, fmt.Errorf("parse lark grammar: %w", err)
	}
	return gbnf.InString(tree)
}

// Matches tells whether a text is one that a free-form tool takes.
func (t *Tool) Matches(text string) bool {
	if t.Text == nil {
		return true
	}
	m := t.Text.Matcher(nil)
	return m.AcceptBytes([]byte(text)) == nil && m.Done()
}
