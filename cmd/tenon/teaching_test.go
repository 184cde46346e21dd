package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/server/chat"
	"tenon/templates/schema"
)

func TestTeaching_eachModelGetsItsOwn(t *testing.T) {
	got, err := teaching([]string{"small", "all"}, []string{"describe:40,hide-others", "tiny=required-only,keep:unit,flatten,enum-text"}, []string{"24", "tiny=8", "large=0"})
	if err != nil {
		t.Fatal(err)
	}
	common := schema.Simplification{MaxDescription: 40, HideOthers: true}
	want := map[string]chat.Teaching{
		"":      {Simplify: common, Guidance: true, Routing: 24},
		"small": {Simplify: common, Guidance: true, Routing: 24},
		"large": {Simplify: common, Guidance: true},
		"tiny":  {Simplify: schema.Simplification{RequiredOnly: true, Keep: []string{"unit"}, Flatten: true, EnumText: true}, Guidance: true, Routing: 8},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := teaching(nil, nil, nil); err != nil || len(got) != 0 {
		t.Errorf("by default models are taught %v: %v", got, err)
	}
}

func TestToolFormats_eachModelHasItsOwn(t *testing.T) {
	want := map[string]string{"": "json", "small": "react", "org/big": "hermes"}
	if diff := cmp.Diff(want, toolFormats([]string{"json", "small=react", "org/big=hermes"})); diff != "" {
		t.Error(diff)
	}
}

func TestTeaching_whatIsNotKnownIsNamed(t *testing.T) {
	for _, spec := range []string{"shorter", "m=describe:no", "describe:0", ""} {
		if _, err := teaching(nil, []string{spec}, nil); err == nil || !strings.Contains(err.Error(), "simplify-tools") {
			t.Errorf("%q: %v", spec, err)
		}
	}
	for _, spec := range []string{"many", "m=", "-1", "m=1.5"} {
		if _, err := teaching(nil, nil, []string{spec}); err == nil || !strings.Contains(err.Error(), "routing-thought") {
			t.Errorf("%q: %v", spec, err)
		}
	}
}
