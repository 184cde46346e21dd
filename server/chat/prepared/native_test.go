package prepared

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/templates"
)

// S3-16: the prompt of a model whose template shows tools is what the template makes of the
// request, and nothing else: no instructions of ours, no examples, no other way of calling.
func TestPrepare_nativePromptsHaveNoOtherText(t *testing.T) {
	const request = `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"What is the weather in Oslo?"}],
		"tools":[{"type":"function","function":{"name":"weather","description":"The weather of a city","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}]}`
	var in struct {
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
	}
	if err := json.Unmarshal([]byte(request), &in); err != nil {
		t.Fatal(err)
	}
	f := in.Tools[0].Function
	paths, _ := filepath.Glob("../../../../shared/data/templates/*.jinja")
	if len(paths) == 0 {
		t.Skip("../../../../shared/data/templates is absent")
	}
	now, native, equal := time.Now(), 0, 0
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Prepare(catalog.Entry{ID: "m"}, templated{enginetest.Script(), string(source)}, Options{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got, err := m.Renderer.Render(templates.Conversation{
			Now:      now,
			Messages: []templates.Message{{Role: templates.System, Text: "Be brief."}, {Role: templates.User, Text: "What is the weather in Oslo?"}},
			Tools:    []templates.Tool{{Name: f.Name, Description: f.Description, Parameters: f.Parameters}},
		})
		if err != nil || got.Protocol != templates.Native {
			continue
		}
		native++
		empty := ""
		want, err := templates.AsSent{Source: string(source), BOS: &empty, EOS: &empty, Now: now}.Request([]byte(request))
		if err != nil {
			t.Logf("%s raises: %v", filepath.Base(path), err)
			continue
		}
		if !strings.Contains(want.String(), f.Description) {
			continue // it shows calls, and no tools
		}
		equal++
		if got.String() != want.String() {
			t.Errorf("%s:\n%s\n--- want\n%s", filepath.Base(path), got.String(), want.String())
		}
	}
	t.Logf("%d of %d templates call in their own way, %d of them compared", native, len(paths), equal)
}
