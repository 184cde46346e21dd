package tools

import (
	"slices"
	"strings"
)

// Dialect is how a family of models writes its turns. Dialects are immutable and shared.
type Dialect struct {
	family
	symbols map[string]bool // markers that the model's vocabulary has as tokens
}

// family is what a family's file declares: its place on the six axes of calling (section, call, name, arguments, id,
// result), its thinking and the strings by which it is recognised.
type family struct {
	name    string
	aliases []string // what the format is called elsewhere
	models  string   // whose format it is, for people
	section span     // around all calls of a turn; zero: none
	// unmarked: models leave the section's markers out as often as not.
	unmarked bool
	// fenced: what a cue starts stands in a JSON code fence, white space between its parts.
	fenced  bool
	call    span // around one call; zero: the codec finds its end
	layout  layout
	codecs  []codec  // the first is how the family writes, the others what it is known to slip into
	opens   []string // further markers that open a region
	cues    []cue    // texts that start a call without being markers
	headers *headers // messages that say in a header what they are (harmony)
	think   span
	// thoughtless: the template knows no thinking. Its markers are read, but no turn is offered any.
	thoughtless bool
	// prefilled: the generation prompt usually leaves thinking open.
	prefilled bool
	text      []string // markers around visible text
	noise     []string // markers that say nothing
	spelt     bool     // models spell the markers in other ways too
	lead      string   // the generation prompt ends with it; it belongs to the grammar of the turn
	labels    []label
	ends      []string // end tokens, and what a model writes when it runs past its turn
	results   []string // markers around results, which are not the model's to write
	id        idCodec
	match     matching
	// oneCall: the family's template renders at most one call a turn.
	oneCall bool
	// ours: the format is tenon's own, for models that were taught none.
	ours bool

	signs  []string // a template that holds all of them is the family's
	named  []string // and one that holds one of these, though it shows no calls
	absent []string // and none of these
}

// span is a pair of markers. An empty close means that only what follows ends it.
type span struct{ open, close string }

// layout is the white space and the commas that a family writes around calls.
type layout struct {
	section string // behind section.open and before section.close
	open    string // behind section.open alone
	call    string // behind call.open and before call.close
	between string // between calls
	before  string // before the first call, after text
}

// label is a text at the start of a line that says what follows. It is no marker and does not belong to the text.
type label struct {
	text string
	kind labelKind
}

type labelKind uint8

const (
	labelText     labelKind = iota // visible text
	labelThinking                  // thinking
	labelStop                      // behind a call nothing: the turn was over before it
)

// cue is a text that starts a call but is no marker: it stays where it was if no call follows.
type cue struct {
	text      string
	lineStart bool // only as the first thing on its line
	bare      bool // the text is also common where no call is meant
	codec     codec
}

// idCodec is how a family writes a call's id.
type idCodec string

const (
	idNone     idCodec = ""
	idNine     idCodec = "9 letters or digits"
	idIndexed  idCodec = "functions.NAME:INDEX"
	idInteger  idCodec = "integer"
	idTen      idCodec = "10 characters"
	idFreeform idCodec = "any"
)

// matching is how a family finds the call that a result answers.
type matching string

const (
	byOrder matching = "order"
	byID    matching = "id"
	byName  matching = "name"
)

// Name is the dialect's name, as tool_format takes it.
func (d *Dialect) Name() string { return d.name }

// Models says whose format it is.
func (d *Dialect) Models() string { return d.models }

// Scaffold tells that the format is tenon's own, for models that were taught none: the prompt must explain it.
func (d *Dialect) Scaffold() bool { return d.ours }

// Prefilled tells that the family's generation prompt usually ends inside thinking.
func (d *Dialect) Prefilled() bool { return d.prefilled }

// Thinking returns the markers around thinking; both are empty if the family has none.
func (d *Dialect) Thinking() (open, end string) { return d.think.open, d.think.close }

// prefixes tells that the family itself writes a prefix before names.
func (d *Dialect) prefixes() bool { return d.id == idIndexed || d.headers != nil }

// thinks tells that the family's turns can hold thinking.
func (d *Dialect) thinks() bool { return d.think.close != "" || d.headers != nil || len(d.labels) > 0 }

// announcesText tells that something stands before visible text that says so: white space behind it is layout.
func (d *Dialect) announcesText() bool { return d.headers != nil || len(d.labels) > 0 || d.lead != "" }

// Signs are the strings in a chat template by which the family is recognised.
func (d *Dialect) Signs() []string { return slices.Clone(d.signs) }

// Named are strings of which one alone shows the family, in a template that shows no calls.
func (d *Dialect) Named() []string { return slices.Clone(d.named) }

// Markers are the strings that free text and thinking lose in a turn with tools, sorted.
func (d *Dialect) Markers() []string {
	var all []string
	for _, m := range d.markers() {
		all = append(all, m.text)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// role is what a marker does.
type role uint8

const (
	roleStrip  role = iota // nothing: it is only removed
	roleLayout             // around calls: white space beside it is not text
	roleCall               // opens a call or several
	roleThinkOpen
	roleThinkClose
	roleText   // opens visible text: ends thinking
	roleHeader // opens a message header
	roleEnd    // ends the turn
)

type marker struct {
	text string
	role role
	hole string // what ends the tag that the text only begins, behind a name; "" if it is whole
}

func (d *Dialect) markers() []marker {
	var all []marker
	add := func(r role, texts ...string) {
		for _, t := range texts {
			for _, s := range d.spellings(t) {
				if s != "" && !slices.ContainsFunc(all, func(m marker) bool { return m.text == s }) {
					all = append(all, marker{s, r, d.hole(t)})
				}
			}
		}
	}
	add(roleThinkOpen, d.think.open)
	add(roleThinkClose, d.think.close)
	if d.headers != nil {
		add(roleHeader, d.headers.open...)
		add(roleStrip, d.headers.close)
		add(roleStrip, d.headers.inside...)
	}
	if d.call.open != "" {
		add(roleCall, d.call.open)
		add(roleLayout, d.section.open)
	}
	add(roleCall, d.section.open)
	for _, c := range d.codecs {
		add(roleCall, c.openers()...)
	}
	add(roleCall, d.opens...)
	add(roleLayout, d.call.close, d.section.close)
	for _, c := range d.codecs {
		add(roleLayout, c.inner()...)
	}
	add(roleText, d.text...)
	add(roleEnd, d.ends...)
	add(roleStrip, d.results...)
	add(roleStrip, d.noise...)
	return all
}

// spellings are a marker and what models write in its place, where the family has such.
func (d *Dialect) spellings(marker string) []string {
	if !d.spelt {
		return []string{marker}
	}
	return spellings(marker)
}

// spellings are a DeepSeek marker and the same with the bars, the joints, or both of other writings.
func spellings(marker string) []string {
	all := []string{marker}
	for _, bar := range []string{"｜", "|"} {
		for _, joint := range []string{"▁", "_", " "} {
			s := strings.NewReplacer("｜", bar, "▁", joint).Replace(marker)
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// written is the marker that a text spells.
func (d *Dialect) written(text string) string {
	if !d.spelt {
		return text
	}
	for _, m := range []string{d.call.open, d.section.open} {
		if slices.Contains(d.spellings(m), text) {
			return m
		}
	}
	return text
}

// terminators are the markers that end a call's text wherever they stand outside of its strings, and those among them that are no part
// of calls.
func (d *Dialect) terminators() (all, ends []string) {
	inner := d.innerMarkers()
	for _, m := range d.markers() {
		if m.role == roleStrip || inner[m.text] {
			continue
		}
		all = append(all, m.text)
		if m.role != roleCall && m.role != roleLayout {
			ends = append(ends, m.text)
		}
	}
	return all, ends
}

// innerMarkers are those that stand within calls.
func (d *Dialect) innerMarkers() map[string]bool {
	inner := map[string]bool{}
	for _, c := range d.codecs {
		for _, t := range c.inner() {
			for _, s := range d.spellings(t) {
				inner[s] = true
			}
		}
	}
	return inner
}

// isControl tells whether a marker is written with one token in every vocabulary of its family: its spelling says so.
func isControl(marker string) bool {
	switch {
	case strings.HasPrefix(marker, "<|") && (strings.HasSuffix(marker, "|>") || strings.HasSuffix(marker, ">")),
		strings.HasPrefix(marker, "<｜") && strings.HasSuffix(marker, "｜>"),
		strings.HasPrefix(marker, "<") && strings.HasSuffix(marker, "|>"):
		return true
	}
	inner, ok := strings.CutPrefix(marker, "[") // Mistral's
	return ok && strings.HasSuffix(inner, "]") && strings.ToUpper(inner) == inner
}
