package grammar

import (
	"runtime"
	"testing"

	"tenon/grammar/grammartest"
)

// maxHostileBytes bounds what answering a hostile schema may allocate, all in all:
// what is in use at one time is less than half of it. Bytes are counted rather than
// seconds: a machine allocates several hundred megabytes a second.
const maxHostileBytes = 220 << 20

// TestFromSchema_hostileSchemasAreAnsweredWithinBounds compiles them leniently,
// which begins with what exact compilation does, and takes the first masks.
func TestFromSchema_hostileSchemasAreAnsweredWithinBounds(t *testing.T) {
	v := walkVocab(t)
	for name, text := range grammartest.HostileSchemas() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		g, err := FromSchema([]byte(text), SchemaOptions{Lenient: true})
		if err == nil {
			m := g.Matcher(v)
			for range 6 {
				mask := m.Mask()
				if mask.Len() == 0 {
					t.Errorf("%s: a mask is empty", name)
					break
				}
				if token := pick(mask, v, mask.Len()/2); v.IsEOG(token) || m.Accept(token) != nil {
					break
				}
			}
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > maxHostileBytes {
			t.Errorf("%s: %d MB were allocated; error %v", name, n>>20, err)
		}
		DropCaches()
	}
}
