package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"tenon/cmd/config"
	"tenon/engine"
	"tenon/models/fleet"
	"tenon/templates"
)

// explain tells what is in force for a model, for GET /tenon/v1/explain.
func (a *app) explain(name string) (any, error) {
	e, err := a.manager.Resolve(name)
	if err != nil {
		return nil, err
	}
	for _, s := range a.manager.Status() {
		if s.ID == e.ID {
			return a.settings.Load().explain(s)
		}
	}
	return a.settings.Load().explain(fleet.Status{Entry: e})
}

// explain is what is in force for a model, and where each value came from.
func (p perModel) explain(s fleet.Status) ([]config.Value, error) {
	m, in := p.entries[s.ID], p.of(s.ID)
	from := "the settings"
	if m.At.Line > 0 {
		from = fmt.Sprintf("models: %s (%s)", m.Name, m.At)
	}
	values := []config.Value{
		{Name: "model", Value: s.ID, From: s.Source}, {Name: "file", Value: s.Path, From: s.Source},
		{Name: "aliases", Value: strings.Join(s.Aliases, ", "), From: from + ", tenon alias"}, {Name: "pin", Value: strconv.FormatBool(s.Pinned), From: from + ", tenon pin"},
	}
	if s.FallbackFrom != "" && s.Template == "" {
		values = append(values, config.Value{Name: "chat template", Value: cmp.Or(s.Fallback, "none"), From: s.FallbackFrom})
	}
	if s.Model.Context > 0 {
		values = append(values, config.Value{Name: "context", Value: strconv.Itoa(s.Model.Context), From: "as loaded"})
	}
	own := map[string]string{} // by flag, what the settings leave to the model
	for _, f := range engine.SamplingFields {
		if v, set := f.Get(s.Sampling.Or(s.Model.Defaults)); set && !m.Has(f.Flag) {
			own[f.Flag] = strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	if seed := s.Sampling.Or(s.Model.Defaults).Seed; seed != nil && !m.Has(seedFlag) {
		own[seedFlag] = fmt.Sprint(*seed)
	}
	for _, v := range in.Values() {
		value, ok := own[v.Name]
		switch {
		case s.Remote != nil && isSampling(v.Name) && !m.Has(v.Name) && !p.chosen(v.Name):
			v.Value, v.From = "", "the upstream"
		case s.Remote == nil && ok:
			v.Value, v.From = value, "the model"
		}
		values = append(values, v)
	}
	helped, err := p.explainAdapter(s.ID, in)
	return append(values, helped...), err
}

// explainAdapter is how a model is helped with its tools.
func (p perModel) explainAdapter(id string, in config.Effective) ([]config.Value, error) {
	teaching, err := p.teaching()
	if err != nil {
		return nil, err
	}
	a, why, err := p.adapter(id)
	t := teaching(id)
	values := []config.Value{{Name: "adapter", Value: a.Name, From: a.From + ": " + why}}
	for _, v := range []struct {
		name, setting string
		value         any
		own           bool
	}{
		{"simplify", "simplify-tools", t.Simplify, a.Simplify != nil}, {"guidance", "tool-guidance", t.Guidance, a.Guidance != nil},
		{"routing-thought", "routing-thought", t.Routing, a.Routing != nil}, {"retries", "call-retries", t.Retries, a.Retries != nil},
		{"repeats", "", t.Repeats, a.Repeats != ""}, {"guess", "", t.Guess, a.Guess != nil}, {"leaked-calls", "", t.Leaked, a.Leaked != nil}, {"wording", "", t.Wording, a.Wording != templates.Wording{}},
	} {
		text, _ := json.Marshal(v.value) // plain values
		from := in.Origins[v.setting]
		if v.own {
			from = "adapter " + a.Name
		}
		switch {
		case !v.own && v.setting == "":
			text, from = []byte("built in"), "default"
		case v.name == "simplify" && reflect.ValueOf(v.value).IsZero():
			text = []byte("none")
		}
		values = append(values, config.Value{Name: "adapter: " + v.name, Value: string(text), From: from})
	}
	return values, err
}
