package declared

import (
	"encoding/json"

	"tenon/grammar"
	"tenon/grammar/gbnf"
	"tenon/tools/conform"
	"tenon/tools/lenient"
	"tenon/tools/turn"
)

// Parameters are the names of a tool's arguments in the order in which its schema has them.
func (t *Tool) Parameters() []string {
	properties, _ := Members(t.Wire).First("properties")
	var all []string
	for _, e := range Members(properties) {
		all = append(all, e.Key)
	}
	return all
}

// Tool is a tool as the model sees it.
type Tool struct {
	turn.Tool
	Prompt  string          // the name in the prompt
	Wire    json.RawMessage // the schema, compact
	Schema  *conform.Schema
	Issues  []grammar.Issue
	Unsat   string // why no arguments can validate
	Allowed bool
	Members []Property       // the arguments, where each has a place of its own
	Held    bool             // arguments are validated before any of them is sent: the mask enforces only a part of the schema
	Text    *grammar.Grammar // of a free-form tool's input; nil: any
	Quoted  *gbnf.Grammar    // of the same inside a JSON string, where it is not a regular expression
}

// Shape is that of a tool's arguments: the keys it declares, and any if it declares none.
func (t *Tool) Shape() lenient.Shape {
	if len(t.Parameters()) == 0 {
		return nil
	}
	return func(key string) (lenient.Shape, bool) { return nil, t.Schema.Declares(key) }
}
