package server_test

import (
	"fmt"
	"net/http"
	"path"
	"testing"

	"tenon/server"
)

// resolved is a schema behind its references.
func (d description) resolved(schema any) map[string]any {
	s, _ := schema.(map[string]any)
	for s["$ref"] != nil {
		s, _ = d.schemas[path.Base(s["$ref"].(string))].(map[string]any)
	}
	return s
}

// words are the strings that a schema lists, in itself or in what it may be one of.
func (d description) words(schema any) (all []string) {
	s := d.resolved(schema)
	listed, _ := s["enum"].([]any)
	for _, v := range listed {
		if word, ok := v.(string); ok {
			all = append(all, word)
		}
	}
	for _, kind := range []string{"anyOf", "oneOf", "allOf"} {
		parts, _ := s[kind].([]any)
		for _, part := range parts {
			all = append(all, d.words(part)...)
		}
	}
	return all
}

// members are the properties of an object's schema, those of what it may be one of included.
func (d description) members(schema any) map[string]any {
	found := map[string]any{}
	s := d.resolved(schema)
	d.gather(s, found)
	for _, kind := range []string{"anyOf", "oneOf"} {
		parts, _ := s[kind].([]any)
		for _, part := range parts {
			for name, member := range d.members(part) {
				found[name] = member
			}
		}
	}
	return found
}

// Every word that the description lists for a field, or for a member of one, is taken. What says
// of which kind an object is stands with other members, and has tests of its own.
func TestFields_everyWordOfTheDescriptionIsTaken(t *testing.T) {
	d := readDescription(t)
	h := server.New(options(t))
	sent := 0
	for _, p := range allProtocols {
		described := map[string]any{}
		d.gather(d.schemas[p.schema], described)
		for name, schema := range described {
			sample := p.fields[name]
			if name == "model" || p.treatment(t, withStored(t), name, sample) == "refused" {
				continue
			}
			for _, word := range d.words(schema) {
				sent++
				p.takes(t, h, name, fmt.Sprintf("%q", word), sample.beside)
			}
			for member, inner := range d.members(schema) {
				for _, word := range d.words(inner) {
					if member != "type" && member != "mode" {
						sent++
						p.takes(t, h, name, fmt.Sprintf(`{%q:%q}`, member, word), sample.beside)
					}
				}
			}
		}
	}
	if sent < 30 {
		t.Errorf("only %d words were found", sent)
	}
}

func (p protocolFields) takes(t *testing.T, h http.Handler, field, value, beside string) {
	t.Helper()
	if rec := askWith(t, h, p.path, p.body(field, value, beside)); rec.Code != http.StatusOK {
		t.Errorf("%s, %s: %s: %d %s", p.name, field, value, rec.Code, rec.Body)
	}
}
