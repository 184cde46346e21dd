package source

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestDecode_keepsOrderAndSpelling(t *testing.T) {
	v, err := Decode(`{"b":1.50,"a":[ -0e2 , "x\u00e9\ud83d\ude00\n" ],"b":2}`, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Members) != 2 || v.Members[0].Key != "b" || v.Members[1].Key != "a" {
		t.Fatalf("members are %+v", v.Members)
	}
	if got := v.Get("b").Text; got != "2" {
		t.Errorf("a repeated key has value %s, want the last one", got)
	}
	list := v.Get("a")
	if list.Items[0].Text != "-0e2" || list.Items[1].Text != "xé😀\n" {
		t.Errorf("elements are %q and %q", list.Items[0].Text, list.Items[1].Text)
	}
	if p := list.Items[1].Pointer(); p != "/a/1" {
		t.Errorf("pointer is %q", p)
	}
}

func TestDecode_manyMembers(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	text := `{` + b.String() + `"k7":"again"}`
	v, err := Decode(text, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Members) != 50 || v.Get("k7").Text != "again" || v.Get("k49").Text != "49" || v.Get("k50") != nil {
		t.Errorf("%d members, k7 is %+v", len(v.Members), v.Get("k7"))
	}
}

func TestDecode_refusesWhatIsNotJSON(t *testing.T) {
	for _, text := range []string{``, ` `, `{`, `[1,]`, `{"a"}`, `{"a":}`, `{a:1}`, `01`, `1.`, `.5`, `1e`, `+1`, `nul`, `"a`, "\"\n\"",
		`"\x"`, `"\u12"`, `1 2`, `{"a":1,}`, `[1 2]`, `-`, `'a'`} {
		if v, err := Decode(text, 10); err == nil {
			t.Errorf("%q is read as %+v", text, v)
		}
	}
	if _, err := Decode(strings.Repeat("[", 11)+strings.Repeat("]", 11), 10); err == nil {
		t.Errorf("nesting beyond the limit: %v", err)
	}
}

// TestDecode_readsWhatEncodingJSONDoes: of texts that are nearly JSON, too.
func TestDecode_readsWhatEncodingJSONDoes(t *testing.T) {
	const bytes = `{}[]",:\ \u0019-+.eEnulltrfas` + "\x00\n\xff"
	rng := rand.New(rand.NewPCG(1, 2))
	valid := 0
	for _, seed := range []string{`{"a":[1,2.5e-3,"\u0041\ud800\n"],"b":null, "":{}}`, ` [true,false,[],"\"", -0.1E+2 ] `, `"a\\"`, `{"a":{"b":[{}]}}`} {
		for range 20_000 {
			text := []byte(seed)
			for range rng.IntN(3) {
				at := rng.IntN(len(text))
				switch b := bytes[rng.IntN(len(bytes))]; rng.IntN(3) {
				case 0:
					text[at] = b
				case 1:
					text = slices.Insert(text, at, b)
				default:
					text = slices.Delete(text, at, at+1)
				}
			}
			v, err := Decode(string(text), 10)
			if want := json.Valid(text); (err == nil) != want || (v == nil) == want {
				t.Fatalf("%q: %v, %v; encoding/json says %v", text, v, err, want)
			} else if want {
				valid++
			}
		}
	}
	if valid < 1000 {
		t.Errorf("only %d are JSON", valid)
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5e-3,"\u0041\ud800"],"b":null}`, `[true,false]`, "\"\xff\"", `{"a":1,"a":2}`, `1e700`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Decode(string(text), 100)
		if err != nil {
			return
		}
		again, err := Decode(v.Canonical(), 100)
		if err != nil || again.Canonical() != v.Canonical() {
			t.Errorf("%s is %s, and that %v (%v)", text, v.Canonical(), again, err)
		}
	})
}
