package chat

import (
	"testing"

	"tenon/templates"
)

// Tokens behind a stop sequence are computed for nothing, whoever asked for it. The built-in
// rendering has stops of its own.
func TestWhole_onlyWhereNoStopSequenceEndsTheAnswer(t *testing.T) {
	for what, c := range map[string]struct {
		renderer templates.Renderer
		stops    []string
		want     bool
	}{
		"no stops":            {openingRenderer{}, nil, true},
		"the request's stops": {openingRenderer{}, []string{"STOP"}, false},
		"the prompt's stops":  {templates.Builtin{}, nil, false},
	} {
		t.Run(what, func(t *testing.T) {
			m, _, _ := scripted{&asker{}}.Acquire(t.Context(), "m")
			m.Renderer = c.renderer
			r := request()
			r.Tools, r.Whole, r.Stops = nil, true, c.stops
			p, err := (&Service{}).plan(m, r)
			if err != nil {
				t.Fatal(err)
			}
			if p.turn.Whole != c.want {
				t.Errorf("whole %v, want %v", p.turn.Whole, c.want)
			}
		})
	}
}
