package format

import (
	"slices"
	"strings"
)

// Dialect is how a family of models writes its turns. Dialects are immutable and shared.
type Dialect struct {
	Family
	Symbols map[string]bool // markers that the model's vocabulary has as tokens
	tokens  map[string]int  // where the dialect's markers hold one of them
}

// Family is what package families declares of a family: the markers and the layout around calls,
// the syntaxes of calls, thinking, text and results, and the strings by which it is recognised.
type Family struct {
	Key     string
	Aliases []string // what the format is called elsewhere
	About   string   // whose format it is, for people
	Section Span     // around all calls of a turn; zero: none
	// Unmarked: models leave the section's markers out as often as not.
	Unmarked bool
	// Fenced: an unmarked call is in a JSON code fence, with white space around it.
	Fenced bool
	Call   Span // around one call; zero: the reader finds its end
	Layout Layout
	// the first is how the family writes, the others what it is known to slip into
	Syntaxes       []Syntax
	Opens          []string        // further markers that open a region
	UnmarkedStarts []UnmarkedStart // texts that start a call and are no markers
	Headers        *Headers        // messages that say in a header what they are (harmony)
	Think          Span
	// Thoughtless: the template knows no thinking. Its markers are read, but no turn is
	// offered any.
	Thoughtless bool
	Text        []string // markers around visible text
	Noise       []string // markers that say nothing
	Spelt       bool     // models spell the markers in other ways too
	// the generation prompt ends with it; it belongs to the grammar of the turn
	Lead    string
	Labels  []Label
	Ends    []string // end tokens, and what a model writes when it runs past its turn
	Results []string // markers around results, which are not the model's to write
	// OneCall: the family's template renders at most one call a turn.
	OneCall bool
	// Ours: the format is tenon's own, for models that were taught none: the prompt must
	// explain it.
	Ours bool

	Signature []string // a template that holds all of them is the family's
	Telltales []string // and one that holds one of these, though it shows no calls
	Absent    []string // and none of these
}

// Span is a pair of markers. An empty close means that only what follows ends it.
type Span struct{ Open, Close string }

// Pair are two markers around something.
func Pair(open, end string) Span { return Span{open, end} }

// Layout is the white space and the commas that a family writes around calls.
type Layout struct {
	Section string // behind section.open and before section.close
	Open    string // behind section.open alone
	Call    string // behind call.open and before call.close
	Between string // between calls
	Before  string // before the first call, after text
}

// Label is a text at the start of a line that says what follows. It is no marker and does not
// belong to the text.
type Label struct {
	Text string
	Kind labelKind
}

type labelKind uint8

const (
	LabelText     labelKind = iota // visible text
	LabelThinking                  // thinking
	LabelStop                      // behind a call nothing: the turn was over before it
	LabelInput                     // a call's arguments; it counts where they belong to none
)

// UnmarkedStart is a text that starts a call and is no marker: it stays text if no call follows.
type UnmarkedStart struct {
	Text      string
	LineStart bool // only as the first thing on its line
	Bare      bool // the text is also common where no call is meant
	Syntax    Syntax
}

// With returns the dialect for a vocabulary.
func (d *Dialect) With(markers []string) *Dialect {
	if len(markers) == 0 {
		return d
	}
	bound := *d
	bound.Symbols = make(map[string]bool, len(markers))
	for _, m := range markers {
		bound.Symbols[m] = true
	}
	bound.tokens = map[string]int{}
	for _, m := range d.AllMarkers() {
		longest := 0
		// of those that are as long, the first in the marker
		for s := range bound.Symbols {
			i, n := strings.Index(m.Text, s), len(s)
			if i >= 0 && (n > longest || n == longest && i < bound.tokens[m.Text]) {
				bound.tokens[m.Text], longest = i, n
			}
		}
	}
	return &bound
}

// Token is where a marker has a token of the vocabulary in it, or is one.
func (d *Dialect) Token(marker string) (at int, ok bool) {
	at, ok = d.tokens[marker]
	return at, ok
}

// Name is the dialect's name, as tool_format takes it.
func (d *Dialect) Name() string { return d.Key }

// Settle leaves out of a family's ends, results and noise what stands there twice or has another
// role.
func (f *Family) Settle() {
	taken := []string{f.Think.Open, f.Think.Close, f.Call.Open, f.Call.Close, f.Section.Open, f.Section.Close, ""}
	taken = append(taken, f.Text...)
	for _, c := range f.Syntaxes {
		taken = append(append(taken, c.Openers()...), c.inner()...)
	}
	for _, list := range []*[]string{&f.Ends, &f.Results, &f.Noise} {
		var some []string
		for _, t := range *list {
			if !slices.Contains(taken, t) {
				some, taken = append(some, t), append(taken, t)
			}
		}
		*list = some
	}
}

// Prefixes tells that the family itself writes a prefix before names.
func (d *Dialect) Prefixes() bool {
	c, ok := d.Syntaxes[0].(Named)
	return ok && c.Index || d.Headers != nil
}

// Thinks tells that the family's turns can hold thinking.
func (d *Dialect) Thinks() bool {
	return d.Think.Close != "" || d.Headers != nil || len(d.Labels) > 0
}

// AnnouncesText tells that something stands before visible text that says so: white space behind
// it is layout.
func (d *Dialect) AnnouncesText() bool {
	return d.Headers != nil || len(d.Labels) > 0 || d.Lead != ""
}

// Markers are the strings that free text and thinking lose in a turn with tools, sorted.
func (d *Dialect) Markers() []string {
	var all []string
	for _, m := range d.AllMarkers() {
		all = append(all, m.Text)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// role is what a marker does.
type role uint8

const (
	RoleStrip      role = iota // nothing: it is only removed
	RoleLayout                 // around calls: white space beside it is not text
	RoleCall                   // opens a call or several
	RoleThinkOpen              // opens thinking
	RoleThinkClose             // closes thinking
	RoleText                   // opens visible text: ends thinking
	RoleHeader                 // opens a message header
	RoleEnd                    // ends the turn
)

// Marker is a text that a family writes around or between parts of a turn, and its role.
type Marker struct {
	Text string
	Role role
	// TagEnd ends the tag that Text only begins, behind a name: ">" for "<function="; else "".
	TagEnd string
}

// AllMarkers lists the dialect's markers, in every spelling.
func (d *Dialect) AllMarkers() []Marker {
	var all []Marker
	add := func(r role, texts ...string) {
		for _, t := range texts {
			for _, s := range d.Spellings(t) {
				if !slices.ContainsFunc(all, func(m Marker) bool { return m.Text == s }) {
					all = append(all, Marker{s, r, d.tagEnd(t)})
				}
			}
		}
	}
	add(RoleThinkOpen, d.Think.Open)
	add(RoleThinkClose, d.Think.Close)
	if d.Headers != nil {
		add(RoleHeader, d.Headers.Open...)
		add(RoleStrip, d.Headers.Close)
		add(RoleStrip, d.Headers.Inside...)
	}
	if d.Call.Open != "" {
		add(RoleCall, d.Call.Open)
		add(RoleLayout, d.Section.Open)
	}
	add(RoleCall, d.Section.Open)
	for _, c := range d.Syntaxes {
		add(RoleCall, c.Openers()...)
	}
	add(RoleCall, d.Opens...)
	add(RoleLayout, d.Call.Close, d.Section.Close)
	for _, c := range d.Syntaxes {
		add(RoleLayout, c.inner()...)
	}
	add(RoleText, d.Text...)
	add(RoleEnd, d.Ends...)
	add(RoleStrip, d.Results...)
	add(RoleStrip, d.Noise...)
	return all
}

// Spellings are a marker and what models write in its place, where the family has such.
func (d *Dialect) Spellings(marker string) []string {
	switch {
	case marker == "":
		return nil
	case !d.Spelt:
		return []string{marker}
	}
	return Spellings(marker)
}

// Spellings are a DeepSeek marker and the same with the bars, the joints, or both of other
// writings.
func Spellings(marker string) []string {
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

// Written is the marker that a text spells.
func (d *Dialect) Written(text string) string {
	if !d.Spelt {
		return text
	}
	for _, m := range []string{d.Call.Open, d.Section.Open} {
		if slices.Contains(d.Spellings(m), text) {
			return m
		}
	}
	return text
}

// Terminators are the markers that end a call's text wherever they stand outside of its strings,
// and those among them that are no part of calls.
func (d *Dialect) Terminators() (all, ends []string) {
	inner := d.InnerMarkers()
	for _, m := range d.AllMarkers() {
		if m.Role == RoleStrip || inner[m.Text] {
			continue
		}
		all = append(all, m.Text)
		if m.Role != RoleCall && m.Role != RoleLayout {
			ends = append(ends, m.Text)
		}
	}
	return all, ends
}

// InnerMarkers are those that stand within calls.
func (d *Dialect) InnerMarkers() map[string]bool {
	inner := map[string]bool{}
	for _, c := range d.Syntaxes {
		for _, t := range c.inner() {
			for _, s := range d.Spellings(t) {
				inner[s] = true
			}
		}
	}
	return inner
}

// Closers are the markers that close the dialect's calls, and the section of them.
func (d *Dialect) Closers() []string {
	return slices.Concat(d.Spellings(d.Call.Close), d.Spellings(d.Section.Close))
}

// Bare are some markers, and their closing tags without the noise in them.
func (d *Dialect) Bare(markers []string) []string {
	for _, noise := range d.Noise {
		for _, m := range markers[:len(markers):len(markers)] {
			if bare := strings.Replace(m, noise, "", 1); bare != m && strings.HasPrefix(bare, "</") {
				markers = append(markers, bare)
			}
		}
	}
	return markers
}

// Opener is the marker that stands before a call.
func (d *Dialect) Opener() string {
	if d.Call.Open != "" {
		return d.Call.Open
	}
	return d.Section.Open
}

// tagEnd ends the tag that a marker of the dialect only begins; "" if the marker is complete.
func (d *Dialect) tagEnd(marker string) string {
	if !strings.HasSuffix(strings.TrimSuffix(marker, `"`), "=") {
		return ""
	}
	for _, c := range d.Syntaxes {
		if t, ok := c.(Tagged); ok && marker == t.Call.Open {
			return TagClose(t.Call.Close)
		} else if ok && marker == t.Arg.Open {
			return TagClose(t.Arg.Close)
		}
	}
	return ">"
}

// Late tells that only the marker around a call ends it: before it another argument may follow,
// and a %check mark must stand where there is no choice.
func (d *Dialect) Late() bool {
	c, ok := d.Syntaxes[0].(Tagged)
	return ok && c.CallEnd == ""
}

// ClosersOf lists the markers that close a region which opener opened.
func (d *Dialect) ClosersOf(opener string) []string {
	all := d.Spellings(d.Call.Close)
	if opener == d.Section.Open || d.Call.Close == "" {
		all = append(all, d.Spellings(d.Section.Close)...)
	}
	return all
}

// LacksOpener tells whether the family's calls have a marker before them that is not what opened a
// region.
func (d *Dialect) LacksOpener(marker string) bool {
	if d.Opener() == "" || d.Unmarked {
		return false
	}
	written := d.Written(marker)
	return marker == "" || written != d.Call.Open && written != d.Section.Open && !slices.Contains(d.Opens, marker)
}

// Headers describes a family whose messages say in a header what they are: OpenAI's harmony and
// those like it.
type Headers struct {
	Open   []string // markers that open a header
	Close  string   // ends the header; the message's text follows
	Inside []string // further markers that stand in headers
	Starts []string // that a header may begin with, should its opening marker be missing
	// Thinking names the channels or recipients of thinking; a call is a message to anyone but
	// these and the user.
	Thinking []string
	Texts    []string
	Several  []string // recipients of messages that hold several calls
	Anyone   bool     // messages to anyone but the user are calls, in the family's own syntax
	// thought, text and call are how the family writes the headers; call has %s for the name.
	Thought, Text, Call string
	Preamble            string // the header of text before a call
	Between             string // ends a message and begins the next one's header
}
