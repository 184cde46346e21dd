package tools

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"tenon/grammar"
	"tenon/grammar/schema"
)

// verdict is what package grammar says of a schema.
type verdict struct {
	issues []grammar.Issue
	unsat  string
	err    error
}

// maxVerdicts is how many verdicts are kept; agents send the same few hundred tools with every request.
const maxVerdicts = 2048

var verdicts = struct {
	sync.Mutex
	of map[[32]byte]verdict
}{of: map[[32]byte]verdict{}}

// judge passes a tool's schema through the front end of package grammar: which keywords the mask enforces, and whether any
// value can satisfy it. The error is about a schema that is none.
func (d *declared) judge(params json.RawMessage) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, params); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	d.wire = withoutArguments(compact.Bytes())
	v := verdictOf(d.wire)
	d.unsat = v.unsat
	for _, i := range v.issues {
		i.Tool = d.Name
		if d.Strict && i.Action != grammar.Enforced {
			return fmt.Errorf("strict: the keyword %s at %s cannot be enforced: %s", i.Keyword, i.Pointer, i.Why)
		}
		d.issues = append(d.issues, i)
	}
	return v.err
}

// withoutArguments closes a schema that declares no arguments: by {"properties":{}} clients mean a function that takes none.
func withoutArguments(wire json.RawMessage) json.RawMessage {
	root := members(wire)
	properties, _ := root.first("properties")
	speaks := slices.ContainsFunc(root, func(e member) bool {
		return e.key != "type" && e.key != "properties" && !slices.Contains(annotations, e.key) && !(e.key == "required" && string(e.value) == "[]")
	})
	if string(properties) != "{}" || speaks {
		return wire
	}
	return append(root, member{"additionalProperties", json.RawMessage("false")}).object()
}

func verdictOf(wire json.RawMessage) verdict {
	key := sha256.Sum256(wire)
	verdicts.Lock()
	defer verdicts.Unlock()
	if v, ok := verdicts.of[key]; ok {
		return v
	}
	v := pronounce(wire)
	if len(verdicts.of) >= maxVerdicts {
		clear(verdicts.of) // rare enough that finding the oldest is not worth keeping order
	}
	verdicts.of[key] = v
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
