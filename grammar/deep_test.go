package grammar

import (
	"runtime"
	"strings"
	"testing"
)

// TestPrint_costsLittleForEachLevel counts what is allocated for a schema of 100 levels: once, the
// keys of every level were spelled code point by code point.
func TestPrint_costsLittleForEachLevel(t *testing.T) {
	printing := func(levels int) uint64 {
		schema := strings.Repeat(`{"type":"object","properties":{"a":`, levels) + `{"type":"string"}` + strings.Repeat("}}", levels)
		g, err := FromSchema([]byte(schema), SchemaOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := g.Print(GBNF); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := printing(100), printing(200); many > 3*few {
		t.Errorf("%d bytes are allocated for 100 levels, %d for 200", few, many)
	}
}
