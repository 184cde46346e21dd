package bind

import (
	"fmt"
	"strings"

	"tenon/tools/families"
	"tenon/tools/format"
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
func Detect(e Evidence) (*format.Dialect, error) {
	d, named := families.Lookup(e.Format)
	switch {
	case e.Format == "", strings.EqualFold(e.Format, "auto"):
		d = recognise(e)
	case !named:
		return nil, fmt.Errorf("no format is named %q; there are auto, %s", e.Format, strings.Join(familyNames(), ", "))
	}
	return d.With(e.Markers), nil
}

// recognise returns the family whose signs fit the template best: the one with the most text in them.
func recognise(e Evidence) *format.Dialect {
	best, weight := families.Fallback(), 0
	for _, d := range families.All() {
		if w := weigh(d, e.Template); w > weight {
			best, weight = d, w
		}
	}
	if best.Ours { // the template may still show calls of its own
		if d := derive(e.Renderings, !strings.Contains(e.Template, "think")); d != nil {
			return d
		}
	}
	return best
}

func weigh(d *format.Dialect, template string) int {
	for _, s := range d.Telltales {
		if strings.Contains(template, s) {
			return len(s)
		}
	}
	w := 0
	for _, s := range d.Signature {
		if !strings.Contains(template, s) {
			return 0
		}
		w += len(s)
	}
	for _, s := range d.Absent {
		if strings.Contains(template, s) {
			return 0
		}
	}
	return w
}

func familyNames() []string {
	var all []string
	for _, d := range families.All() {
		all = append(all, d.Key)
	}
	return all
}
