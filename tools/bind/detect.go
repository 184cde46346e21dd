package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tenon/tools/families"
	"tenon/tools/format"
	"tenon/tools/parse"
)

// Evidence is what is known of a model's way of calling.
type Evidence struct {
	Template string // the chat template's source, "" if the model has none
	// Markers are the tokens of the vocabulary that text can only mean, not spell.
	Markers []string
	EOS     string // the vocabulary's end token, "" if it is not known
	Shown   Shown  // how the template renders canonical turns
	// Format overrides the template: a family's name, "json" or "react". "" and "auto" do not.
	Format string
}

// Shown is how a template renders canonical turns (package templates). Each text is what one turn
// adds to the prompt, "" where the template shows none.
type Shown struct {
	Generation string // the generation prompt
	TurnEnd    string // behind an assistant's text
	Answer     string // text alone
	Call       string // one call
	TwoCalls   string // two calls in one turn
	TextCall   string // text, then a call
	Thought    string // thinking, then a call
	NoArgument string // a call without arguments
	Typed      string // a call with a number, a bool, null, a list and an object
	Result     string // what a tool answered
}

// The words of the probe's canonical turns (package templates).
const (
	ProbeTool    = "zqtool"
	ProbeOther   = "zqother"
	ProbeText    = "zqtext"
	probeKey     = "zqkey"
	probeValue   = "zqvalue"
	probeThought = "zqthought"
	probeResult  = "zqresult"
)

// Binding is the dialect that was found for a template, and how.
type Binding struct {
	Dialect *format.Dialect
	Why     string // in one line, for people
	Exact   bool   // its grammar writes the rendered calls byte for byte
	Tried   []Try  // what was held against the renderings, in order
}

// Try is a candidate and why it was not taken; nil if it was.
type Try struct {
	Name string
	Err  error
}

// String is the candidate and what it did not read.
func (t Try) String() string {
	if t.Err == nil {
		return t.Name + " reads everything"
	}
	return t.Name + ": " + t.Err.Error()
}

// Known are the families that a template may be bound to, and those whose calls are read in
// others' turns.
type Known struct {
	Families []*format.Dialect
	Others   *parse.Others
}

// Detect finds the dialect of a model. Candidates are the families whose signs the template holds,
// those with the most text in them first, then the skeletons filled from its renderings. The first
// is taken that finds in the renderings what the probe put there; if none does, tenon's own JSON
// format is. The error says that Format is unknown and what is known.
func Detect(e Evidence, k Known) (Binding, error) {
	b := Binding{}
	d, named := families.Lookup(e.Format)
	switch {
	case e.Format == "", strings.EqualFold(e.Format, "auto"):
		b = bound(e, k)
	case !named:
		return b, fmt.Errorf("no format is named %q; there are auto, %s", e.Format, strings.Join(familyNames(), ", "))
	default:
		b = Binding{Dialect: d, Why: "it was asked for"}
	}
	b.Dialect = b.Dialect.With(e.Markers)
	return b, nil
}

// bound tries the candidates.
func bound(e Evidence, k Known) Binding {
	candidates := recognised(e.Template, k.Families)
	if !strings.Contains(e.Shown.Call, ProbeTool) { // the template shows no calls: its signs alone tell
		if len(candidates) > 0 {
			return Binding{Dialect: candidates[0], Why: "the template holds its signs, and shows no calls"}
		}
		return Binding{Dialect: families.Fallback(), Why: "the template shows no calls"}
	}
	var b Binding
	e.Shown = e.Shown.joined()
	for _, d := range candidates {
		if d.Ours {
			continue
		}
		if b.try(d, d.Key, e.Shown, k.Others) {
			b.Why = "the template holds its signs, and it reads what the template writes"
			return b
		}
	}
	if b.derive(e, k.Others) {
		return b
	}
	b.Dialect, b.Why = families.Fallback(), "nothing reads what the template writes"
	if len(candidates) > 0 && candidates[0].Ours {
		b.Dialect = candidates[0]
	}
	return b
}

// try takes a dialect that reads the renderings.
func (b *Binding) try(d *format.Dialect, name string, s Shown, others *parse.Others) bool {
	t, err := newTrial(d, others)
	if err == nil {
		err = t.reads(s)
	}
	b.Tried = append(b.Tried, Try{name, err})
	if err != nil {
		return false
	}
	b.Dialect, b.Exact = d, t.writes(s)
	return true
}

// derive fills the skeletons from the renderings, and takes the first that reads and writes them,
// else the first that reads them.
func (b *Binding) derive(e Evidence, others *parse.Others) bool {
	var best Binding
	for _, k := range skeletons {
		f, ok := k.family(e)
		d := &format.Dialect{Family: f}
		if !ok || !distinctMarkers(d) {
			continue
		}
		if b.try(d, "derived: "+k.name, e.Shown, others) && (best.Dialect == nil || b.Exact) {
			best = *b
		}
		if best.Exact {
			break
		}
	}
	if best.Dialect == nil {
		return false
	}
	b.Dialect, b.Exact, b.Why = best.Dialect, best.Exact, "read off the template's own rendering of calls"
	return true
}

// recognised are the families whose signs a template holds, those with the most text in them
// first.
func recognised(template string, known []*format.Dialect) []*format.Dialect {
	var all []*format.Dialect
	for _, d := range known {
		if weigh(d, template) > 0 {
			all = append(all, d)
		}
	}
	slices.SortStableFunc(all, func(a, b *format.Dialect) int { return cmp.Compare(weigh(b, template), weigh(a, template)) })
	return all
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
