package bind

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"tenon/templates/canonical"
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
	// Bound is the name of the candidate that was taken for the same evidence before, "" if
	// that is not known: nothing else is tried then.
	Bound string
}

// Shown is how a template renders the canonical turns.
type Shown canonical.Turns

// Binding is the dialect that was found for a template, and how.
type Binding struct {
	Dialect *format.Dialect
	Name    string // of the candidate that was taken; "" where none was
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
	Families      []*format.Dialect
	OtherFamilies *parse.OtherFamilies
}

// Detect finds the dialect of a model. Candidates are the families whose signs the template holds,
// those with the most text in them first, then the skeletons filled from its renderings. The first
// that reads the renderings and writes them again is taken. A family that only reads them takes
// its calls from a skeleton that does both. If no candidate does both, the first reader is taken;
// if none reads them, tenon's own JSON format.
func Detect(e Evidence, k Known) Binding {
	b := bound(e, k)
	b.Dialect = b.Dialect.With(e.Markers)
	return b
}

// bound tries the candidates.
func bound(e Evidence, k Known) Binding {
	candidates := recognised(e.Template, k.Families)
	// the template shows no calls: its signs alone tell
	if !strings.Contains(e.Shown.Call, canonical.Tool) {
		if len(candidates) > 0 {
			return Binding{Dialect: candidates[0], Why: "the template holds its signs, and shows no calls"}
		}
		return Binding{Dialect: families.Fallback(), Why: "the template shows no calls"}
	}
	e.Shown = e.Shown.joined()
	if d := e.again(candidates); d != nil {
		return Binding{Dialect: d, Name: e.Bound, Why: "it was bound so before"}
	}
	var b, best Binding
	for name, d := range e.held(candidates) {
		switch read := b.try(d, name, e.Shown, k.OtherFamilies); {
		case !read:
		case best.Dialect == nil, b.Exact && (d.Key != derived || best.Dialect.Key == derived):
			best = b
		case b.Exact: // the family's format has changed: what else is known of it stays
			if b.try(refitted(best.Dialect, d), best.Dialect.Key+refit+name, e.Shown, k.OtherFamilies) && b.Exact {
				best = b
			}
		}
		if best.Exact {
			break
		}
	}
	best.Tried = b.Tried
	switch {
	case best.Dialect == nil:
		best.Dialect, best.Why = families.Fallback(), "nothing reads what the template writes"
		if len(candidates) > 0 && candidates[0].Ours {
			best.Dialect = candidates[0]
		}
	case best.Dialect.Key == derived:
		best.Why = "read off the template's own rendering of calls"
	default:
		best.Why = "the template holds its signs, and it reads what the template writes"
	}
	return best
}

// refit stands between a family and the skeleton that writes its calls.
const refit = ", its calls "

// again is the candidate that was taken before, nil if there is none.
func (e Evidence) again(candidates []*format.Dialect) (found *format.Dialect) {
	if e.Bound == "" {
		return nil
	}
	family, calls, _ := strings.Cut(e.Bound, refit)
	for name, d := range e.held(candidates) {
		switch {
		case name == e.Bound:
			return d
		case name == family:
			found = d
		case name == calls && found != nil:
			return refitted(found, d)
		}
	}
	return nil
}

// held are the dialects that are held against the renderings: the families that are recognised,
// then the skeletons, filled from the renderings.
func (e Evidence) held(candidates []*format.Dialect) iter.Seq2[string, *format.Dialect] {
	return func(yield func(string, *format.Dialect) bool) {
		for _, d := range candidates {
			if !d.Ours && !yield(d.Key, d) {
				return
			}
		}
		for _, k := range skeletons {
			f, ok := k.family(e)
			d := &format.Dialect{Family: f}
			if ok && distinctMarkers(d) && !yield("derived: "+k.name, d) {
				return
			}
		}
	}
}

// refitted is a family that writes its calls as a dialect which was read off the renderings.
func refitted(family, d *format.Dialect) *format.Dialect {
	f := family.Family
	f.Section, f.Call, f.Layout = d.Section, d.Call, d.Layout
	f.Syntaxes = append([]format.Syntax{d.Syntaxes[0]}, f.Syntaxes...)
	return &format.Dialect{Family: f}
}

// try holds a dialect against the renderings, and takes it if it reads them.
func (b *Binding) try(d *format.Dialect, name string, s Shown, others *parse.OtherFamilies) bool {
	t := newTrial(d, others)
	err := t.reads(s)
	b.Tried = append(b.Tried, Try{name, err})
	if err != nil {
		return false
	}
	b.Dialect, b.Name, b.Exact = d, name, t.writes(s)
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
