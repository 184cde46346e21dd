package worker

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMeasurements_surviveWhateverIsInTheFile(t *testing.T) {
	m := measurements{dir: filepath.Join(t.TempDir(), "state")}
	if known := m.all(); len(known) > 0 {
		t.Errorf("known before it was put: %v", known)
	}
	for key, value := range map[string]string{"a": "off", "b": "on"} {
		if err := m.put(map[string]string{key: value}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]string{"a": "off", "b": "on"}, m.all()); diff != "" {
		t.Error(diff)
	}
	for _, damage := range []string{"", "[1,2]", `{"a": 1}`, "\x00"} {
		if err := os.WriteFile(m.path(), []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		if known := m.all(); len(known) > 0 {
			t.Errorf("%v known from %q", known, damage)
		}
		if err := m.put(map[string]string{"a": "on"}); err != nil || m.all()["a"] != "on" {
			t.Errorf("put over %q: %v", damage, err)
		}
	}
	if err := (measurements{}).put(map[string]string{"a": "on"}); err != nil || len((measurements{}).all()) > 0 {
		t.Errorf("without a folder: %v", err)
	}
}

// A child that an evil file has taken over may say what it likes.
func TestMeasurements_childCannotFillTheDisk(t *testing.T) {
	m := measurements{dir: t.TempDir()}
	if err := m.put(map[string]string{strings.Repeat("k", longestMeasurement+1): "on"}); err == nil {
		t.Error("a long key was remembered")
	}
	for i := range mostMeasurements + 5 {
		if err := m.put(map[string]string{strconv.Itoa(i): "on"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(m.all()); n > mostMeasurements {
		t.Errorf("%d entries", n)
	}
}
