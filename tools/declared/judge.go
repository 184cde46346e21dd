package declared

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tenon/grammar"
	"tenon/grammar/schema"
	"tenon/tools/conform"
	"tenon/tools/memo"
)

// verdict is what package grammar says of a schema.
type verdict struct {
	issues []grammar.Issue
	unsat  string
	err    error
}

// verdicts are those that were pronounced before.
var verdicts = memo.New[[sha256.Size]byte, verdict](2048, 16<<20)

// Judge passes a tool's schema through the front end of package grammar: which keywords the mask enforces, and whether any
// value can satisfy it. The error is about a schema that is none.
func (d *Tool) Judge(params json.RawMessage) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, params); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	d.Wire = withoutArguments(compact.Bytes())
	if d.Schema.Crowded() {
		d.Unsat = fmt.Sprintf("a value of its schema has more than %d alternatives", conform.MaxAlternatives)
		return nil
	}
	v := verdictOf(d.Wire)
	d.Unsat = v.unsat
	for _, i := range v.issues {
		i.Tool = d.Name
		if d.Strict && i.Action != grammar.Enforced {
			return fmt.Errorf("strict: the keyword %s at %s cannot be enforced: %s", i.Keyword, i.Pointer, i.Why)
		}
		d.Issues = append(d.Issues, i)
	}
	return v.err
}

// withoutArguments closes a schema that declares no arguments: by {"properties":{}} clients mean a function that takes none.
func withoutArguments(wire json.RawMessage) json.RawMessage {
	root := Members(wire)
	properties, _ := root.First("properties")
	speaks := slices.ContainsFunc(root, func(e Member) bool {
		return e.Key != "type" && e.Key != "properties" && !slices.Contains(annotations, e.Key) && !(e.Key == "required" && string(e.Value) == "[]")
	})
	if string(properties) != "{}" || speaks {
		return wire
	}
	return append(root, Member{"additionalProperties", json.RawMessage("false")}).Object()
}

func verdictOf(wire json.RawMessage) verdict {
	v, _ := verdicts.Get(sha256.Sum256(wire), len(wire), func() (verdict, error) { return pronounce(wire), nil })
	return v
}

func pronounce(wire json.RawMessage) verdict {
	g, err := grammar.FromSchema(wire, grammar.SchemaOptions{Lenient: true})
	var unsat *schema.UnsatError
	switch {
	case errors.As(err, &unsat):
		return verdict{unsat: unsat.Error()}
	case err != nil:
		return verdict{err: err}
	}
	return verdict{issues: g.Issues()}
}
