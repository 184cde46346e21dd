package grammar

import (
	"runtime"
	"strings"
	"testing"
)

// TestPrint_costsLittleForEachLevel counts what is allocated for a schema of 100 levels: once, the
// keys of every level were spelled code point by code point.
func TestPrint_costsLittleForEachLevel(t *testing.T) {
	schema := strings.Repeat(`{"type":"object","properties":{"a":`, 100) + `{"type":"string"}` + strings.Repeat("}}", 100)
	g, err := FromSchema([]byte(schema), SchemaOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := g.Print(GBNF)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if perByte := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(p.Text)); perByte > 400 {
		t.Errorf("%.0f bytes were allocated for each byte printed", perByte)
	}
}
