package grammar

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"tenon/grammar/schema"
)

// maxHostileBytes bounds what answering a hostile schema may allocate, all in all: what is in use
// at one time is less than half of it. Bytes are counted rather than seconds: a machine allocates
// several hundred megabytes a second.
const maxHostileBytes = 220 << 20

// TestFromSchema_hostileSchemasAreAnsweredWithinBounds compiles them leniently, which begins with
// what exact compilation does and refuses no keyword, takes the first masks, and asks for the way
// to the end.
func TestFromSchema_hostileSchemasAreAnsweredWithinBounds(t *testing.T) {
	v := walkVocab(t)
	for name, text := range hostileSchemas() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		g, err := FromSchema([]byte(text), SchemaOptions{Lenient: true})
		if unsupported := (*schema.UnsupportedError)(nil); errors.As(err, &unsupported) {
			t.Errorf("%s: lenient compilation refuses: %v", name, err)
		}
		if err == nil {
			m := g.Matcher(v)
			for i := range 8 {
				mask := m.Mask()
				if i%4 == 3 && m.Distance() < 1<<29 {
					mask = m.MaskWithin(0)
				}
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

// TestFromSchema_hostileSchemasAreRefusedByKeyword: what is refused strictly is so for a keyword
// that the error names.
func TestFromSchema_hostileSchemasAreRefusedByKeyword(t *testing.T) {
	for name, text := range hostileSchemas() {
		_, err := schema.Compile(text, schema.Options{})
		var invalid *schema.InvalidError
		var unsupported *schema.UnsupportedError
		var unsat *schema.UnsatError
		if err != nil && !errors.As(err, &invalid) && !errors.As(err, &unsupported) && !errors.As(err, &unsat) {
			t.Errorf("%s: unexpected error %v", name, err)
		}
		if unsupported != nil && unsupported.Keyword == "" {
			t.Errorf("%s: the error names no keyword: %v", name, err)
		}
	}
}

// TestMatcher_manyAlternativesOfObjectsCostLittle: what may be one of many objects is read as one
// for as long as it does not matter which. The masks along a text, of which most are within keys
// that few of the objects name, allocate little, and little is kept.
func TestMatcher_manyAlternativesOfObjectsCostLittle(t *testing.T) {
	v, tok := realVocab(t)
	all := hostileSchemas()
	for _, name := range []string{"anyOf of 300 keys beside 300", "anyOf of 1,500 open objects"} {
		g := mustSchema(t, all[name], SchemaOptions{})
		m := g.Matcher(v)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, id := range tok.Tokenize([]byte(`{"k1": "abc", "key": 7, "k29": "x", "otherness": 8, "\u0020": [], "k30": "", "k1500": {}}`)) {
			m.Mask()
			if err := m.Accept(id); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 || g.Size() > 40<<20 {
			t.Errorf("%s: %d MB were allocated, %d MB are kept", name, n>>20, g.Size()>>20)
		}
		DropCaches()
	}
}

// TestParse_longRowsAreAnsweredOrRefusedClearly: of a row of parts that may be left out, each
// leads to all behind it.
func TestParse_longRowsAreAnsweredOrRefusedClearly(t *testing.T) {
	for _, c := range []struct {
		row  string
		fits bool
	}{{strings.Repeat(`"a"? `, 500), true}, {strings.Repeat(`"a"? `, 5000), false}, {strings.Repeat(`("a" "b"?)? `, 5000), false}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m := mustParse(t, "root ::= "+c.row).Matcher(walkVocab(t))
		m.Mask()
		err := m.AcceptBytes([]byte("aaa"))
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 3*maxHostileBytes/2 || (err == nil) != c.fits || err != nil && !strings.Contains(err.Error(), "too many ways") {
			t.Errorf("%.20s: %d MB were allocated; error %v", c.row, n>>20, err)
		}
		DropCaches()
	}
}
