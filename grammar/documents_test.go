package grammar

import (
	"errors"
	"strings"
	"testing"

	"tenon/grammar/schema"
)

// TestFromSchema_documentsTravelInTheText: what references lead to is written in the grammar, so
// that whoever gets its text compiles the same.
func TestFromSchema_documentsTravelInTheText(t *testing.T) {
	text := []byte(`{"properties":{"a":{"$ref":"https://example.com/x"},"b":{"$ref":"https://example.com/x#n"}},"additionalProperties":false}`)
	documents := map[string][]byte{
		"https://example.com/x":   []byte(`{"type":"string","$defs":{"n":{"$anchor":"n","$ref":"y/z"}}}`),
		"https://example.com/y/z": []byte(`{"type":"integer"}`),
	}
	g, err := FromSchema(text, SchemaOptions{Documents: documents, Space: NoSpace})
	if err != nil {
		t.Fatal(err)
	}
	read, err := Parse(g.Text(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for instance, want := range map[string]bool{`{"a":"x","b":1}`: true, `{"a":1}`: false, `{"b":"x"}`: false} {
		if accepts(g, instance) != want || accepts(read, instance) != want {
			t.Errorf("%s: not %v", instance, want)
		}
	}
}

// TestFromSchema_documentsThatCannotBeUsed: each is told from the others.
func TestFromSchema_documentsThatCannotBeUsed(t *testing.T) {
	text := []byte(`{"$ref":"https://example.com/x"}`)
	for _, c := range []struct {
		document, want string
	}{
		{`{"type":`, "documents: not a JSON object"},
		{`{"type":"string","pattern":"(a)\\1"}`, "cannot enforce pattern at https://example.com/x# exactly"},
		{`[]`, "the document https://example.com/x is no schema"},
		{`{"required":"a"}`, "https://example.com/x#/required"},
	} {
		_, err := FromSchema(text, SchemaOptions{Documents: map[string][]byte{"https://example.com/x": []byte(c.document)}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.document, err)
		}
	}
	twice := []byte(`{"anyOf":[{"$ref":"https://example.com/x"},{"$ref":"https://example.com/x#/items"}]}`)
	g, err := FromSchema(twice, SchemaOptions{Lenient: true, Documents: map[string][]byte{"https://example.com/x": []byte(`{"required":"a"}`)}})
	if err != nil || len(g.Issues()) != 2 || g.Issues()[1].Action != Dropped {
		t.Errorf("referred to twice: %v, %v", err, g)
	}
	var unsupported *schema.UnsupportedError
	if _, err := FromSchema(text, SchemaOptions{}); !errors.As(err, &unsupported) || unsupported.Keyword != "$ref" {
		t.Errorf("without documents: %v", err)
	}
}
