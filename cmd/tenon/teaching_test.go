package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/cmd/config"
	"tenon/server/chat"
	"tenon/templates/schema"
)

func TestTeaching_isThatOfTheFlags(t *testing.T) {
	got, err := teaching(config.Settings{SimplifyTools: []string{"required-only,keep:unit", "flatten,enum-text,describe:40"}, ToolGuidance: true, RoutingThought: 24})
	if err != nil {
		t.Fatal(err)
	}
	simplify := schema.Simplification{RequiredOnly: true, Keep: []string{"unit"}, Flatten: true, EnumText: true, MaxDescription: 40}
	if diff := cmp.Diff(chat.Teaching{Simplify: simplify, Guidance: true, Routing: 24}, got); diff != "" {
		t.Error(diff)
	}
	if got, err := teaching(config.Settings{}); err != nil || got.Guidance || got.Routing != 0 || !got.Simplify.IsZero() {
		t.Errorf("by default models are taught %v: %v", got, err)
	}
}

func TestTeaching_whatIsNotKnownIsNamed(t *testing.T) {
	for _, spec := range []string{"shorter", "m=describe:1", "describe:0", ""} {
		if _, err := teaching(config.Settings{SimplifyTools: []string{spec}}); err == nil || !strings.Contains(err.Error(), "simplify-tools") {
			t.Errorf("%q: %v", spec, err)
		}
	}
}

func TestFormat_anUnknownOneIsAnErrorWithTheNearest(t *testing.T) {
	for _, known := range []string{"auto", "json", "ReAct", "xml", "hermes", "Qwen3-Coder"} {
		if err := checkFormat(known); err != nil {
			t.Errorf("%s: %v", known, err)
		}
	}
	if err := checkFormat("hermse"); err == nil || !strings.Contains(err.Error(), "did you mean hermes?") {
		t.Error(err)
	}
}
