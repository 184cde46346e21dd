package jinja

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConcat_partsKeepTheirOrigins(t *testing.T) {
	tmpl, err := Parse("{{ s }}")
	if err != nil {
		t.Fatal(err)
	}
	vars := NewDict()
	vars.Set("s", Concat(NewString("a", Content), NewString("", Content), NewString("b", Trusted), NewString("c", Content+1)))
	out, err := tmpl.Render(vars, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := Output{Text: "abc", Spans: []Span{{0, 1, Content}, {1, 2, Trusted}, {2, 3, Content + 1}}}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
}
