package tools

import (
	"fmt"
	"strings"
)

// Evidence is what is known of a model's way of calling.
type Evidence struct {
	Template string // the chat template's source, "" if the model has none
	// Markers are the tokens of the vocabulary that text can only mean, not spell.
	Markers []string
	// Renderings are assistant turns with calls as the template renders them, from where the model would begin to the end
	// of its turn.
	Renderings []string
	// Format overrides the template: a family's name, "json" or "react". "" and "auto" do not.
	Format string
}

// Detect finds the dialect of a model: the family whose signs its template holds, else the one that the template's own
// rendering of calls shows, else tenon's JSON format. The error says that Format is unknown and what is known.
func Detect(e Evidence) (*Dialect, error) {
	d, named := Lookup(e.Format)
	switch {
	case e.Format == "", strings.EqualFold(e.Format, "auto"):
		d = recognise(e)
	case !named:
		return nil, fmt.Errorf("no format is named %q; there are auto, %s", e.Format, strings.Join(familyNames(), ", "))
	}
	return d.with(e.Markers), nil
}

// Fallback is the format of models that were taught none: tenon's own JSON.
func Fallback() *Dialect { return registry["json"] }

// with returns the dialect for a vocabulary.
func (d *Dialect) with(markers []string) *Dialect {
	if len(markers) == 0 {
		return d
	}
	bound := *d
	bound.symbols = make(map[string]bool, len(markers))
	for _, m := range markers {
		bound.symbols[m] = true
	}
	return &bound
}

// recognise returns the family whose signs fit the template best: the one with the most text in them.
func recognise(e Evidence) *Dialect {
	best, weight := Fallback(), 0
	for _, d := range Families() {
		if w := d.weigh(e.Template); w > weight {
			best, weight = d, w
		}
	}
	if best.ours { // the template may still show calls of its own
		if d := derive(e.Renderings, !strings.Contains(e.Template, "think")); d != nil {
			return d
		}
	}
	return best
}

func (d *Dialect) weigh(template string) int {
	for _, s := range d.named {
		if strings.Contains(template, s) {
			return len(s)
		}
	}
	w := 0
	for _, s := range d.signs {
		if !strings.Contains(template, s) {
			return 0
		}
		w += len(s)
	}
	for _, s := range d.absent {
		if strings.Contains(template, s) {
			return 0
		}
	}
	return w
}

func familyNames() []string {
	var all []string
	for _, d := range Families() {
		all = append(all, d.name)
	}
	return all
}
