package chat

import (
	"slices"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/tools"
)

// S1-28: with a least size there are fewer events, each piece but the last of its text is as
// large, and what they say is the same.
func TestDelta_fewerEventsSayTheSame(t *testing.T) {
	r := request()
	r.Model = "hermes"
	said := enginetest.Say("I shall book the room for you, as you asked me to.\n<tool_call>\n{\"name\": \"book\", \"arguments\": {\"day\": \"a day far from now\", \"code\": \"aa\"}}\n</tool_call>")
	r.Tools = []tools.Tool{{Name: "book", Parameters: []byte(`{"type":"object","properties":{"day":{"type":"string"},"code":{"type":"string"}}}`)}}
	each := runScripted(t, &Service{}, r, said)
	for _, least := range []int{1, 7, 64, 1 << 16} {
		large := runScripted(t, &Service{MinDelta: least}, r, said)
		a, b := pieceSizes(each.events), pieceSizes(large.events)
		if large.choice.Text != each.choice.Text || !sameArguments(large.arguments(t), each.arguments(t)) {
			t.Errorf("%d: %q %s", least, large.choice.Text, large.arguments(t))
		}
		if least > 1 && len(b) >= len(a) {
			t.Errorf("%d: %d pieces, %d without", least, len(b), len(a))
		}
		last := ""
		for i, e := range large.events {
			if e.Text == "" {
				continue
			}
			if last = e.Text; len(last) < least && i+1 < len(large.events) && large.events[i+1].Text != "" && sameStream(e, large.events[i+1]) {
				t.Errorf("%d: a piece of %d bytes %q leaves before %q", least, len(last), last, large.events[i+1].Text)
			}
		}
		if got, want := counted(large.events), counted(each.events); got != want {
			t.Errorf("%d: %d tokens are counted, not %d", least, got, want)
		}
	}
	r.Whole = true
	whole := runScripted(t, &Service{MinDelta: 1 << 16}, r, said)
	if strings.Compare(whole.choice.Text, each.choice.Text) != 0 {
		t.Errorf("%q", whole.choice.Text)
	}
}

func pieceSizes(events []Event) (sizes []int) {
	for _, e := range slices.DeleteFunc(slices.Clone(events), func(e Event) bool { return e.Text == "" }) {
		sizes = append(sizes, len(e.Text))
	}
	return sizes
}

func counted(events []Event) (n int) {
	for _, e := range events {
		n += e.Count
	}
	return n
}
