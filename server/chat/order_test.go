package chat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server/chat/prepared"
	"tenon/templates"
	"tenon/tools"
)

// The other side of the matrix: what a model means to write, in every order of text and calls,
// from an engine that follows the turn's grammar as far as it goes, and from one that follows none
// (a remote engine, the grammar off). Text behind a call leaves the grammar (package tools says
// why) and is told nevertheless.

// orders are turns of a family, made of its text and its call.
var orders = map[string]func(w writing) string{
	"text, call":       func(w writing) string { return w.text + w.call + w.end },
	"call, text":       func(w writing) string { return w.call + w.next + w.text + w.end },
	"call, text, call": func(w writing) string { return w.call + w.next + w.text + w.call + w.end },
	"text, call, text": func(w writing) string { return w.text + w.call + w.next + w.text + w.end },
}

// answered is the order in which an object without markers is none of the calls: JSON that an
// answer shows.
const answered = "text, call, text"

// bare tells whether nothing but an object or a Python call, alone or in a list, is the call.
func (w writing) bare() bool {
	call := strings.TrimLeft(w.call, "\n[`json")
	return strings.HasPrefix(call, "{") || strings.HasPrefix(call, "get_weather(")
}

// writing is how a family writes its text and its call of get_weather: what its golden transcript
// holds. next stands between a call and what follows it.
type writing struct{ text, call, end, next string }

// toldText is the visible text of all those transcripts.
const toldText = "I will check: <b>now</b>, {\"a\": 1} & `x < y`."

// writingOf reads a family's transcript; ok is false for those that write no text before calls.
func writingOf(t *testing.T, d *tools.Dialect) (w writing, ok bool) {
	t.Helper()
	if d.Name() == "react" {
		return writing{text: "Final Answer: " + toldText, call: "\nAction: get_weather\nAction Input: {\"city\": \"Zürich\"}", next: "\n"}, true
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "tools", "testdata", d.Name(), "text-then-call.txtar"))
	if os.IsNotExist(err) {
		return w, false
	}
	_, raw, _ := strings.Cut(string(data), "-- raw.txt --\n")
	raw, _, _ = strings.Cut(raw, "\n-- want.json --")
	head, call, found := strings.Cut(raw, toldText)
	if err != nil || !found {
		t.Fatalf("%s: %v, %q", d.Name(), err, raw)
	}
	w = writing{text: head + toldText, call: call, next: "\n\n"}
	for _, m := range d.Markers() {
		if strings.HasSuffix(w.call, m) && !strings.Contains(m, "/") && len(m) > len(w.end) {
			w.end = m
		}
	}
	switch d.Name() {
	case "gpt-oss", "muse":
		w.next = w.end + "<|start|>assistant"
	}
	w.call = strings.TrimSuffix(w.call, w.end)
	return w, true
}

// By default every family has a ninth of its turns; TENON_ALL=1 runs them all.
func TestMatrix_textAndCallsInEveryOrder(t *testing.T) {
	const sample = 9
	all := os.Getenv("TENON_ALL") != ""
	for i, d := range tools.Families() {
		w, ok := writingOf(t, d)
		if !ok {
			t.Errorf("%s has no transcript of text and a call", d.Name())
			continue
		}
		for k, tokens := range []bool{false, true} {
			bound, markers := bind(d, tokens)
			for n, c := range orderCells(d.Name(), tokens) {
				if c.order == answered && w.bare() && (!c.unmasked || slices.Contains([]string{"required", "named", "one of"}, c.choice)) || !all && (n+i+2*k)%sample != 0 {
					// no mask lets text stand there; without one a demanded
					// call has not come, which is an error
					continue
				}
				e := enginetest.Script(asTokens(orders[c.order](w), markers))
				if c.unmasked {
					e.Info.Can = enginetest.Unmasked
				}
				for i, m := range markers {
					e.Info.Vocab.Markers = append(e.Info.Vocab.Markers, engine.Marker{ID: int32(256 + i), Text: m, Control: true})
				}
				c.shown = c.order == answered && w.bare()
				t.Run(c.String(), func(t *testing.T) { checkOrder(t, c, repeating{noisy{e, bound, false}}) })
			}
		}
	}
}

// repeating serves models that may call the same twice, as these turns do.
type repeating struct{ noisy }

func (r repeating) Acquire(ctx context.Context, name string) (Model, func(), error) {
	m, release, err := r.noisy.Acquire(ctx, name)
	m.Teaching.Repeats, m.Teaching.Retries = prepared.AllowRepeats, new(int)
	return m, release, err
}

// orderCell is a turn of this side of the matrix.
type orderCell struct {
	cell
	order           string
	unmasked, shown bool // shown: the call is JSON that an answer shows
}

func (c orderCell) String() string {
	return fmt.Sprintf("%s/%s/unmasked %t", c.cell, c.order, c.unmasked)
}

func orderCells(family string, tokens bool) (all []orderCell) {
	for order := range orders {
		for choice := range matrixChoices {
			for _, one := range []bool{false, true} {
				for _, unmasked := range []bool{false, true} {
					all = append(all, orderCell{cell{family, choice, "off", one, tokens}, order, unmasked, false})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b orderCell) int { return strings.Compare(a.String(), b.String()) })
	return all
}

func asTokens(text string, markers []string) (r enginetest.Reply) {
	for len(text) > 0 {
		at, n := -1, 1
		for i, m := range markers {
			if strings.HasPrefix(text, m) && len(m) > n {
				at, n = i, len(m)
			}
		}
		token := engine.Token{ID: int32(text[0]), Bytes: []byte(text[:n])}
		if at >= 0 {
			token.ID, token.Kind = int32(256+at), engine.Symbol
		}
		r.Tokens = append(r.Tokens, token)
		text = text[n:]
	}
	return r
}

func checkOrder(t *testing.T, c orderCell, m repeating) {
	t.Helper()
	r := c.request(1)
	r.MaxTokens = 2000
	// what is said is looked at here, and a call that is none is text
	got := tellOf(t, &Service{Models: m}, r)
	for _, call := range got.calls {
		checkCall(t, call, matrixChoices[c.choice])
	}
	for _, marker := range m.dialect.Markers() {
		if strings.Contains(got.text, marker) {
			t.Errorf("the marker %q is in %q", marker, got.text)
		}
	}
	may := !c.shown && slices.Contains([]string{"auto", "required", "named", "one of"}, c.choice)
	want := 0
	switch n := strings.Count(c.order, "call"); {
	case may && n > 0 && (c.oneCall || m.dialect.Name() == string(templates.ReAct)):
		// ReAct calls once a reply (S4-24)
		want = 1
	case may:
		want = n
	}
	rest := strings.TrimSpace(strings.ReplaceAll(got.text, toldText, ""))
	if strings.Count(got.text, toldText) != strings.Count(c.order, "text") || may && rest != "" || len(got.calls) != want {
		t.Errorf("%d calls, not %d; text %q", len(got.calls), want, got.text)
	}
}
