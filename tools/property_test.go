package tools

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tenon/tools/format"
	"tenon/tools/parse"
)

// The properties that hold for every text, every family and every cut of the text.

// playCut feeds raw in pieces of random length.
func playCut(p Parser, raw []byte, r *rand.Rand) message {
	var all []Event
	for len(raw) > 0 {
		n := min(len(raw), 1+r.IntN(1+r.IntN(40)))
		all = append(all, p.Token(raw[:n], false)...)
		raw = raw[n:]
	}
	all = append(all, p.Close(false)...)
	return collect(all, p)
}

func checkProperties(t *testing.T, plan *Plan, raw []byte, seed uint64) {
	t.Helper()
	whole := play(plan.TextParser(), string(raw), 0, false)
	r := rand.New(rand.NewPCG(seed, 1))
	if diff := cmp.Diff(whole, playCut(plan.TextParser(), raw, r)); diff != "" {
		t.Fatalf("%s: %q: cut differently (-whole +cut):\n%s", plan.core.Dialect.Key, raw, diff)
	}
	if diff := cmp.Diff(whole, play(plan.TextParser(), string(raw), 1, false)); diff != "" {
		t.Fatalf("%s: %q: byte by byte (-whole +bytes):\n%s", plan.core.Dialect.Key, raw, diff)
	}
	checkMessage(t, plan, raw, whole)
}

// checkMessage holds a message to what is promised of every one: text without markers, calls that
// fit.
func checkMessage(t *testing.T, plan *Plan, raw []byte, whole message) {
	t.Helper()
	for _, s := range []*string{whole.Content, whole.Reasoning} {
		if s == nil {
			continue
		}
		if !utf8.ValidString(*s) {
			t.Fatalf("%s: %q: invalid UTF-8", plan.core.Dialect.Key, raw)
		}
		for _, m := range plan.core.Dialect.Markers() {
			if strings.Contains(*s, m) {
				t.Fatalf("%s: %q: marker %q is left in %q", plan.core.Dialect.Key, raw, m, *s)
			}
		}
	}
	for _, c := range whole.Calls {
		at, ok := plan.core.Names.Find(c.Name)
		args, err := json.Marshal(c.Arguments)
		if !ok || err != nil || args[0] != '{' || plan.core.Tools[at.Tool].Schema.Validate(args) != nil {
			t.Fatalf("%s: %q: call %+v", plan.core.Dialect.Key, raw, c)
		}
	}
}

func planFor(t testing.TB, d *Dialect, th Thinking) *Plan {
	t.Helper()
	return planned(t, d, Turn{Tools: defaultTools(t), Parallel: true, Thinking: th})
}

func planned(t testing.TB, d *Dialect, turn Turn) *Plan {
	t.Helper()
	p, err := d.Plan(turn)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Mutated goldens: pieces cut out, doubled, swapped between families, with bytes that are no text.
func TestParser_everyTextGivesAValidTurn(t *testing.T) {
	all := transcripts(t)
	rounds := 1
	if os.Getenv("TENON_LONG") != "" {
		rounds = 200
	}
	r := rand.New(rand.NewPCG(7, 7))
	plans := map[string]*Plan{}
	for _, d := range Families() {
		plans[d.Key] = planFor(t, d, Thinking{})
	}
	for range rounds {
		for i := range all {
			raw := mutate(r, []byte(all[i].raw), []byte(all[r.IntN(len(all))].raw), plans[all[i].family].core.Dialect)
			checkProperties(t, plans[all[i].family], raw, r.Uint64())
		}
	}
}

func mutate(r *rand.Rand, a, b []byte, d *format.Dialect) []byte {
	a = bytes.Clone(a)
	for range 1 + r.IntN(4) {
		i := r.IntN(len(a) + 1)
		j := min(len(a), i+r.IntN(1+len(a)/3))
		switch r.IntN(7) {
		case 0:
			a = append(a[:i:i], a[j:]...)
		case 1:
			a = append(a[:j:j], a[i:]...)
		case 2:
			k := r.IntN(len(b) + 1)
			a = append(a[:i:i], append(bytes.Clone(b[k:]), a[i:]...)...)
		case 3:
			a = append(a[:i:i], append([]byte{byte(r.IntN(256))}, a[i:]...)...)
		case 4:
			m := d.Markers()
			if len(m) > 0 {
				a = append(a[:i:i], append([]byte(m[r.IntN(len(m))]), a[i:]...)...)
			}
		case 5:
			odd := []string{`"`, "'", "{", "}", "[", "]", "\\", "```", "\n", "  ", "<", ">", "\xc3", "{\"name\": \"get_time\"", "Action: get_time\n", ">>>"}
			a = append(a[:i:i], append([]byte(odd[r.IntN(len(odd))]), a[i:]...)...)
		case 6:
			a = a[:j]
		}
	}
	return a
}

// Both parsers, any bytes, any cut: the tolerant one has all properties; the one that follows the
// grammar gives a valid turn too, for output that its grammar never allowed, and the same for
// every cut.
func FuzzParser(f *testing.F) {
	all := Families()
	for i, tr := range transcripts(f) {
		if i%7 == 0 {
			at := slices.IndexFunc(all, func(d *Dialect) bool { return d.Key == tr.family })
			f.Add(uint8(at), []byte(tr.raw), uint64(i), tr.turn.Thinking)
		}
	}
	plans := map[bool][]*Plan{}
	for _, d := range all {
		plans[false] = append(plans[false], planFor(f, d, Thinking{}))
		plans[true] = append(plans[true], planFor(f, d, Thinking{Open: true}))
	}
	f.Fuzz(func(t *testing.T, family uint8, raw []byte, seed uint64, thinking bool) {
		if len(raw) < 1<<16 {
			p := plans[thinking][int(family)%len(all)]
			checkProperties(t, p, raw, seed)
			checkCaptures(t, p, raw, seed)
		}
	})
}

// checkCaptures holds the parser that follows the grammar to what it promises of any output.
func checkCaptures(t *testing.T, plan *Plan, raw []byte, seed uint64) {
	t.Helper()
	whole := play(plan.Parser(), string(raw), 0, false)
	if diff := cmp.Diff(whole, playCut(plan.Parser(), raw, rand.New(rand.NewPCG(seed, 2)))); diff != "" {
		t.Fatalf("%s: %q: cut differently (-whole +cut):\n%s", plan.core.Dialect.Key, raw, diff)
	}
	checkMessage(t, plan, raw, whole)
}

// innocent is text that holds no family's markers and no call: none of it may be lost.
var innocent = []string{
	"<html><body class=\"x\"><p>1 < 2 &amp; 3 > 2</p><!-- c --></body></html>\n",
	"<?xml version=\"1.0\"?>\n<items><item id='1'>a</item><value>3</value></items>",
	"{\"name\": \"Alice\", \"arguments\": {\"x\": 1}}\n[{\"name\": \"Bob\"}]\n{'a': [1, 2, {\"b\": null}]}",
	"```json\n{\"a\": 1}\n```\n```python\nprint({'name': 'x'})\n```\n`{` and `[`",
	"for (i = 0; i < n; i++) { a[i] = {x: 1, \"y\": [2]}; } // {\"name\": 1}\n",
	"[2026-01-01T00:00:00Z] INFO  {\"level\": \"warn\", \"msg\": \"x\"} took 3 ms\n  at f (a.js:1:2)\n",
	"| a | b |\n|---|---|\n| <x> | [y](z) |\n\n* item {1}\n  1. two\n\n\n\n   indented",
	"Thoughts: action: none needed. Action is good. I said: Observation of birds, Final Answer is 4",
	"C:\\dir\\{file}.txt  $HOME/[abc]{1,3}  a := []int{1}; f(x)[0](y) <- ch >> 2 >= 1",
	"tool_call, function=get_weather, parameter=city, get_weather(city=\"Rome\") and {get_weather}",
	"Of get_weather get_weather. get_time: functions.get_time, my_get_time[0], get_weather\n\nget_time {}, call:get_time, call: get_weather",
	" leading and trailing \n\t ",
	"日本語のテキスト 🙂 «ü» \u200b end",
}

func TestParser_textThatIsNoMarkerIsKept(t *testing.T) {
	for _, d := range Families() {
		p := planFor(t, d, Thinking{})
		for _, text := range innocent {
			m := play(p.TextParser(), text, 0, false)
			if m.Content == nil || *m.Content != text || len(m.Calls) > 0 || m.Reasoning != nil {
				t.Errorf("%s: %q became %+v", d.Key, text, m)
			}
			checkProperties(t, p, []byte(text), 1)
		}
	}
}

// Text leaves as soon as it cannot become a marker: never more is kept back than the longest
// marker has bytes.
func TestParser_holdsBackNoMoreThanAMarker(t *testing.T) {
	for _, d := range Families() {
		p := planFor(t, d, Thinking{})
		for _, text := range innocent {
			if strings.ContainsAny(text, "{[`") {
				continue // may begin a bare call, which is decided later
			}
			q := p.TextParser()
			sent := 0
			for i := range len(text) {
				for _, e := range q.Token([]byte{text[i]}, false) {
					sent += len(e.Text)
				}
				if kept := i + 1 - sent; kept > max(p.core.Longest, p.reading.LongestUnopened, parse.MinHold)+utf8.UTFMax {
					t.Errorf("%s: %q: %d bytes kept back after %d", d.Key, text, kept, i+1)
					break
				}
			}
		}
	}
}
