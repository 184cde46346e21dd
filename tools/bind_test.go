package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenon/templates"
	"tenon/tools/bind"
	"tenon/tools/families"
	"tenon/tools/format"
	"tenon/tools/parse"
	"tenon/tools/plan"
)

// shownBy renders a template's canonical turns.
func shownBy(source, eos string) (Evidence, bool) {
	t, err := templates.Parse(source, templates.Options{EOS: eos})
	if err != nil {
		return Evidence{}, false
	}
	shown := Shown(t.Probe().Shown)
	return Evidence{Template: source, EOS: eos, Shown: shown}, shown.Call != ""
}

// vendorTemplates are the published templates that render calls, one for each family.
func vendorTemplates(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	paths, _ := filepath.Glob("../../shared/data/templates/*.jinja")
	if len(paths) == 0 {
		t.Skip("../../shared/data/templates is absent")
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		family := vendors[strings.TrimSuffix(filepath.Base(path), ".jinja")]
		if _, ok := shownBy(string(source), ""); ok && all[family] == "" {
			all[family] = string(source)
		}
	}
	return all
}

// eosOf is the end token that a model's file names.
func eosOf(family string) string {
	d, _ := families.Lookup(family)
	return d.Ends[0]
}

// score counts transcripts that are read as they are meant.
type score struct{ clean, ofClean, malformed, ofMalformed int }

func (s *score) add(o score) {
	s.clean, s.ofClean, s.malformed, s.ofMalformed = s.clean+o.clean, s.ofClean+o.ofClean, s.malformed+o.malformed, s.ofMalformed+o.ofMalformed
}

// scoreOf has a binding read the transcripts of a family.
func scoreOf(t *testing.T, d *format.Dialect, others *parse.OtherFamilies, family string, log bool) (s score) {
	t.Helper()
	dialect := &Dialect{d}
	for _, tr := range transcripts(t) {
		if tr.family != family {
			continue
		}
		var want, got message
		if err := json.Unmarshal(tr.want, &want); err != nil {
			t.Fatal(err)
		}
		got = playWith(t, dialect, others, tr)
		same := sameCalls(want, got) && deref(want.Content) == deref(got.Content) && deref(want.Reasoning) == deref(got.Reasoning)
		if log && !same && len(want.Repairs) == 0 && want.Notes == 0 {
			t.Logf("%s: %q\n  want %s\n  got %s", tr.path, tr.raw, sayMessage(want), sayMessage(got))
		}
		if len(want.Repairs) > 0 || want.Notes > 0 {
			s.ofMalformed++
			s.malformed += count(same)
			continue
		}
		s.ofClean++
		s.clean += count(same)
	}
	for _, c := range malformedLines(t) {
		if c.Family != family {
			continue
		}
		s.ofMalformed++
		got := playWith(t, dialect, others, transcript{tools: defaultTools(t), raw: c.Raw, turn: turnFile{Thinking: c.Thinking}})
		same := sameCalls(message{Calls: c.Calls}, got)
		if log && !same {
			t.Logf("malformed %s: %q\n  got %s", c.Name, c.Raw, sayMessage(got))
		}
		s.malformed += count(same)
	}
	return s
}

func count(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

func sayMessage(m message) string {
	b, _ := json.Marshal(m)
	return string(b)
}

func sameCalls(a, b message) bool {
	x, _ := json.Marshal(a.Calls)
	y, _ := json.Marshal(b.Calls)
	return string(x) == string(y)
}

// playWith reads a transcript without any family but those given.
func playWith(t *testing.T, d *Dialect, others *parse.OtherFamilies, tr transcript) message {
	t.Helper()
	core, err := plan.Prepare(d.Dialect, tr.planTurn())
	if err != nil {
		t.Fatal(err)
	}
	return play(parse.NewTolerant(parse.NewReading(core, others), true, nil), tr.raw, 0, tr.turn.Truncated)
}

// without is what is known once some families are gone.
func without(gone func(*format.Dialect) bool) bind.Known {
	some := slices.DeleteFunc(slices.Clone(families.All()), gone)
	return bind.Known{Families: some, OtherFamilies: parse.NewOtherFamilies(some)}
}

// With the files of one family gone, or of all, what the template renders is enough to read its
// models' calls (issue 22).
func TestBind_leaveOneOut(t *testing.T) {
	all := vendorTemplates(t)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	var one, none score
	t.Logf("%-18s %-10s %9s %9s    %s", "family", "bound to", "clean", "malformed", "all families gone: clean, as")
	for _, name := range names {
		e, _ := shownBy(all[name], eosOf(name))
		gone := without(func(d *format.Dialect) bool { return d.Key == name })
		b := bind.Detect(e, gone)
		verbose := os.Getenv("TENON_VERBOSE") == name
		s := scoreOf(t, b.Dialect, gone.OtherFamilies, name, verbose)
		bare := without(func(*format.Dialect) bool { return true })
		c := bind.Detect(e, bare)
		z := scoreOf(t, c.Dialect, bare.OtherFamilies, name, false)
		t.Logf("%-18s %-10s %5d/%-4d %4d/%-4d   %4d/%-4d  %s", name, b.Dialect.Key, s.clean, s.ofClean, s.malformed, s.ofMalformed, z.clean, z.ofClean, c.Dialect.About)
		one.add(s)
		none.add(z)
	}
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
	t.Logf("%d families: clean %.1f %%, malformed %.1f %%; all gone: clean %.1f %%, malformed %.1f %%", len(names),
		share(one.clean, one.ofClean), share(one.malformed, one.ofMalformed), share(none.clean, none.ofClean), share(none.malformed, none.ofMalformed))
	for what, least := range map[string]struct{ got, least float64 }{
		"clean":               {share(one.clean, one.ofClean), 93},
		"malformed":           {share(one.malformed, one.ofMalformed), 93.9},
		"clean, all gone":     {share(none.clean, none.ofClean), 93},
		"malformed, all gone": {share(none.malformed, none.ofMalformed), 92},
	} {
		if least.got < least.least {
			t.Errorf("%s: %.1f %% are read; %.1f %% were", what, least.got, least.least)
		}
	}
}

// Neither the skeletons nor what fills them knows how any family writes (issue 22).
func TestBind_holdsNoFamilysMarkers(t *testing.T) {
	var code strings.Builder
	paths, _ := filepath.Glob("bind/*.go")
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(b)
	}
	for _, d := range families.All() {
		for _, m := range d.AllMarkers() {
			if strings.ContainsAny(m.Text, "<[|") && strings.Contains(code.String(), m.Text) {
				t.Errorf("bind holds %q of %s", m.Text, d.Key)
			}
		}
	}
}

// Each published template is bound to the family of its vendor, which reads what the template
// renders.
func TestBind_publishedTemplates(t *testing.T) {
	paths, _ := filepath.Glob("../../shared/data/templates/*.jinja")
	if len(paths) == 0 {
		t.Skip("../../shared/data/templates is absent")
	}
	exact := 0
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		e, shown := shownBy(string(source), "")
		b := Bind(e)
		if name := strings.TrimSuffix(filepath.Base(path), ".jinja"); b.Dialect.Key != vendors[name] {
			t.Errorf("%s is bound to %s (%s), want %s; tried %v", name, b.Dialect.Key, b.Why, vendors[name], b.Tried)
		}
		exact += count(shown && b.Exact)
	}
	t.Logf("%d of %d templates: the grammar writes the rendered calls byte for byte", exact, len(paths))
	if len(paths) == 50 && exact < 41 {
		t.Errorf("%d templates are written byte for byte; 41 were", exact)
	}
}
