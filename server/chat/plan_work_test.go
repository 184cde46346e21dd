package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/tools"
)

// wideSchemas are schemas that are wide, by how many members they have.
var wideSchemas = map[string]func(n int) string{
	"members of any type": func(n int) string { return `{"type":"object","properties":{` + repeated(n, `"p%d":{}`) + `}}` },
	"members that may be null": func(n int) string {
		return `{"type":"object","properties":{` + repeated(n, `"p%d":{"type":["string","null"]}`) + `}}`
	},
	"members that must be there": func(n int) string {
		return `{"type":"object","properties":{` + repeated(n, `"p%d":{"type":"string"}`) + `},"required":[` + repeated(n, `"p%d"`) + `]}`
	},
	"demanded, not declared": func(n int) string {
		return `{"type":"object","properties":{"a":{}},"required":[` + repeated(n, `"p%d"`) + `]}`
	},
	"references that may be null": func(n int) string {
		return `{"type":"object","$defs":{"a":{"type":"string"}},"properties":{` + repeated(n, `"p%d":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}`) + `}}`
	},
	"alternatives": func(n int) string {
		return `{"type":"object","properties":{"a":{"enum":[` + repeated(n, `"p%d"`) + `]}}}`
	},
}

func repeated(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, ",")
}

// Issue 19: what a tool's schema costs grows with its length, not with its square: a page of
// members took minutes.
func TestPlan_wideSchemasCostTheirLength(t *testing.T) {
	for name, schema := range wideSchemas {
		const few, many = 300, 2400
		if a, b := planningBytes(t, schema(few)), planningBytes(t, schema(many)); b > 2*many/few*a {
			t.Errorf("%s: %d bytes are allocated for %d, %d for %d", name, a, few, b, many)
		}
	}
}

// planningBytes is how many bytes are allocated to plan a turn.
func planningBytes(t *testing.T, schema string) uint64 {
	t.Helper()
	r := request()
	r.Tools = []tools.Tool{{Name: "f", Parameters: json.RawMessage(schema)}}
	m, _, err := scripted{enginetest.Script()}.Acquire(context.Background(), r.Model)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := (&Service{}).plan(m, r); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Issue 19: each argument that refers to definitions takes a copy of them along. That a short body
// asks for gigabytes costs the tool, not the server.
func TestPlan_definitionsAreNotCopiedWithoutEnd(t *testing.T) {
	schema := func(n int) string {
		return `{"type":"object","$defs":{"a":{"type":"integer"},"b":{"description":"` + strings.Repeat("x", 50_000) + `"}},"properties":{` +
			repeated(n, `"p%d":{"$ref":"#/$defs/a"}`) + `}}`
	}
	for n, callable := range map[int]bool{20: true, 2_000: false} {
		if bytes := planningBytes(t, schema(n)); bytes > 200<<20 {
			t.Errorf("%d bytes are allocated for %d arguments", bytes, n)
		}
		p, err := tools.Fallback().Plan(tools.Turn{Tools: []tools.Tool{{Name: "f", Parameters: json.RawMessage(schema(n))}}})
		if err != nil {
			t.Fatal(err)
		}
		if issues := p.Issues(); (len(issues) == 0) != callable {
			t.Errorf("%d arguments: %v", n, issues)
		}
	}
}

// leaving is the context of a client that leaves when it has been asked so often, and counts.
type leaving struct {
	context.Context
	after, asked int
}

func (l *leaving) Err() error {
	if l.asked++; l.asked > l.after {
		return context.Canceled
	}
	return nil
}

// Issue 19: once a client has left, no more of its tools are compiled, and its prompt is not made;
// who waits for the same plan gets one.
func TestPlan_endsWhenItsClientHasLeft(t *testing.T) {
	r := request()
	r.Tools = nil
	for i := range 150 {
		r.Tools = append(r.Tools, tools.Tool{Name: fmt.Sprint("f", i), Parameters: json.RawMessage(
			`{"type":"object","properties":{` + repeated(20, fmt.Sprintf(`"left%d_%%d":{"type":"string"}`, i)) + `}}`)})
	}
	s := &Service{Models: scripted{enginetest.Script(enginetest.Say("fine"))}}
	for _, after := range []int{0, 10, 100} {
		client := &leaving{Context: t.Context(), after: after}
		err := s.Run(client, r, func(Event) error { return nil })
		// where it is found out, it is asked again
		if !IsClientGone(err) || client.asked > after+4 {
			t.Errorf("it left at %d: asked %d times, %v", after, client.asked, err)
		}
	}
	client := &leaving{Context: t.Context(), after: 1 << 30}
	if err := s.Run(client, r, func(Event) error { return nil }); IsClientGone(err) || client.asked < len(r.Tools) {
		t.Errorf("asked %d times, %v", client.asked, err)
	}
}
