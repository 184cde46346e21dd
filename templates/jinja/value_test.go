package jinja

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestFromJSON_keepsOrderAndNumberKinds(t *testing.T) {
	v, err := FromJSON([]byte(`{"b":1,"a":1.0,"b":12345678901234567890}`), Content)
	if err != nil {
		t.Fatal(err)
	}
	d := v.(*Dict)
	var keys []string
	d.Each(func(k string, _ Value) { keys = append(keys, k) })
	if diff := cmp.Diff([]string{"b", "a"}, keys); diff != "" {
		t.Error(diff)
	}
	if b, _ := d.Get("b"); b.typeName() != "int" {
		t.Errorf("b is a %s", b.typeName())
	}
	if a, _ := d.Get("a"); a != Float(1) {
		t.Errorf("a = %v", a)
	}
}

func TestFromJSON_refusesDeepNesting(t *testing.T) {
	if _, err := FromJSON([]byte(strings.Repeat("[", 100_000)), Content); err == nil {
		t.Fatal("no error")
	}
}

func TestDict_equalKeysAreOneKey(t *testing.T) {
	d := NewDict()
	for i := range 20 {
		d.put(Int(i), Int(i))
	}
	d.put(Bool(true), None)
	d.put(Float(2), None)
	if d.Len() != 20 {
		t.Errorf("%d keys", d.Len())
	}
	if v, _ := d.get(Int(1)); v != None {
		t.Errorf("1 -> %v", v)
	}
}

func TestStr_sliceKeepsOrigins(t *testing.T) {
	var b textBuilder
	b.write("<s>", Trusted)
	b.write("hello", Content)
	b.write("</s>", Trusted)
	s := b.str()
	if got := s.slice(3, 8); got.runs != nil || got.origin != Content || got.text != "hello" {
		t.Errorf("got %+v", got)
	}
	var o textBuilder
	o.add(s.slice(2, 9))
	want := []Span{{0, 1, Trusted}, {1, 6, Content}, {6, 7, Trusted}}
	if diff := cmp.Diff(want, o.output().Spans); diff != "" {
		t.Error(diff)
	}
}

// What is decoded is what encoding/json decodes, key order and the size of ints aside.
func FuzzFromJSON_agreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{`{"a": [1, -2.5e3, true, null], "b\u00e9\"": {"": "x\ud83d\ude00\ud800"}}`, ` [ ] `, `{"a":1,"a":2}`, `123456789012345678901`, `"`, `{"a":}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // several bytes become one U+FFFD here
		}
		v, err := FromJSON([]byte(text), Content)
		if !json.Valid([]byte(text)) {
			if err == nil {
				t.Fatalf("%q was read as %v", text, v)
			}
			return
		}
		if err != nil {
			return // too deep, too many digits
		}
		var want any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			return // a float beyond all bounds
		}
		if diff := cmp.Diff(numberless(want), toGo(v)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	})
}

// toGo makes of a value what encoding/json would have decoded.
func toGo(v Value) any {
	switch v := v.(type) {
	case Bool:
		return bool(v)
	case *Str:
		return v.text
	case *List:
		out := make([]any, len(v.items))
		for i, it := range v.items {
			out[i] = toGo(it)
		}
		return out
	case *Dict:
		out := map[string]any{}
		for _, e := range v.entries {
			out[e.key.(*Str).text] = toGo(e.value)
		}
		return out
	case noneValue:
		return nil
	}
	return 0.0
}

// numberless makes every number 0: how they are read has tests of its own.
func numberless(v any) any {
	switch v := v.(type) {
	case float64:
		return 0.0
	case []any:
		for i := range v {
			v[i] = numberless(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numberless(v[k])
		}
	}
	return v
}
