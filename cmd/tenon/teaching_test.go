package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"tenon/server/chat"
	"tenon/templates/schema"
)

// taught is what is in force for a model of the settings.
func taught(t *testing.T, yaml, id string) (chat.Teaching, error) {
	t.Helper()
	_, _, p, err := catalogue(fetchFor(&cobra.Command{}), loaded(t, yaml), nil)
	if err != nil {
		t.Fatal(err)
	}
	of, err := p.teaching()
	if err != nil {
		return chat.Teaching{}, err
	}
	got := of(id)
	if got.Retries == nil || *got.Retries != 1 {
		t.Errorf("%s: tried again %v times, want once", id, got.Retries)
	}
	got.Retries = nil // that of call-retries
	return got, nil
}

func TestTeaching_isThatOfTheFlags(t *testing.T) {
	got, err := taught(t, "models-dir: .\nsimplify-tools: ['required-only,keep:unit', 'flatten,enum-text,describe:40']\ntool-guidance: true\nrouting-thought: 24\n", "tiny")
	if err != nil {
		t.Fatal(err)
	}
	simplify := schema.Simplification{RequiredOnly: true, Keep: []string{"unit"}, Flatten: true, EnumText: true, MaxDescription: 40}
	if diff := cmp.Diff(chat.Teaching{Simplify: simplify, Guidance: true, Routing: 24}, got); diff != "" {
		t.Error(diff)
	}
	if got, err := taught(t, "models-dir: .\n", "tiny"); err != nil || !cmp.Equal(got, chat.Teaching{}) {
		t.Errorf("by default models are taught %v: %v", got, err)
	}
}

// S0-22, S0-24: an entry's adapter, named or its own, wins over the flags, for its model alone.
func TestTeaching_anEntrysAdapterWins(t *testing.T) {
	const flags = "models-dir: .\ntool-guidance: true\nmodels:\n  tiny:\n    adapter: "
	for entry, want := range map[string]chat.Teaching{
		"off\n": {},
		"\n      routing-thought: 8\n      simplify: [describe:9]\n": {Guidance: true, Routing: 8, Simplify: schema.Simplification{MaxDescription: 9}},
	} {
		if got, err := taught(t, flags+entry, "tiny"); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %+v, %v", entry, got, err)
		}
		if other, err := taught(t, flags+entry, "other"); err != nil || !cmp.Equal(other, chat.Teaching{Guidance: true}) {
			t.Errorf("%q: another model is taught %+v, %v", entry, other, err)
		}
	}
	for entry, want := range map[string]string{
		"oft\n":                       "line 5: models: tiny: adapter \"oft\"",
		"\n      guidance: perhaps\n": "line 6: guidance",
	} {
		if _, err := taught(t, flags+entry, "tiny"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", entry, err)
		}
	}
}

func TestTeaching_whatIsNotKnownIsNamed(t *testing.T) {
	for _, spec := range []string{"shorter", "m=describe:1", "describe:0"} {
		if _, err := taught(t, "models-dir: .\nsimplify-tools: ['"+spec+"']\n", "tiny"); err == nil || !strings.Contains(err.Error(), "simplify-tools") {
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
