package templates

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSlice_cutsAtBytes(t *testing.T) {
	r := Rendering{Segments: []Segment{{Text: "<s>", Kind: Marker}, {Text: "user: "}, {Text: "hello", Kind: Content, Message: 3}, {Text: "</s>", Kind: Marker}}}
	want := []Segment{{Text: "er: "}, {Text: "hello", Kind: Content, Message: 3}, {Text: "</"}}
	if diff := cmp.Diff(want, r.Slice(5, 16)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(r.Segments, r.Slice(0, 99)); diff != "" {
		t.Error(diff)
	}
	if got := r.Slice(4, 4); got != nil {
		t.Error(got)
	}
}
