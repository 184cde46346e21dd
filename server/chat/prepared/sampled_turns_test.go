package prepared

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
	"tenon/templates"
)

func rendering(texts ...string) templates.Rendering {
	var r templates.Rendering
	for i, t := range texts {
		r.Segments = append(r.Segments, templates.Segment{Text: t, Kind: []templates.Kind{templates.Text, templates.Content}[i%2]})
	}
	return r
}

func sampled(texts ...string) []engine.Token {
	var out []engine.Token
	for i, t := range texts {
		out = append(out, engine.Token{ID: int32(i + 1), Bytes: []byte(t)})
	}
	return out
}

func TestSampledTurns_aReplayedTurnComesBackAsItsTokens(t *testing.T) {
	k := NewSampledTurns()
	k.Keep("alice", rendering("U: ", "hi", " A:"), sampled(" he", "llo"))
	again := rendering("U: ", "hi", " A:", " hello", " U: ", "more", " A:")
	want := engine.Prompt{
		{Text: "U: "}, {Text: "hi", Origin: engine.Content}, {Text: " A:"},
		{Origin: engine.Kept, Tokens: []int32{1, 2}},
		{Text: " U: "}, {Text: "more", Origin: engine.Content}, {Text: " A:"},
	}
	if diff := cmp.Diff(want, k.Prompt("alice", again)); diff != "" {
		t.Error(diff)
	}
	for name, other := range map[string]engine.Prompt{
		"another caller": k.Prompt("bob", again),
		"changed answer": k.Prompt("alice", rendering("U: ", "hi", " A:", " hallo", " U: ")),
		"changed prompt": k.Prompt("alice", rendering("U: ", "ho", " A:", " hello", " U: ")),
	} {
		for _, p := range other {
			if p.Origin == engine.Kept {
				t.Errorf("%s: tokens came back", name)
			}
		}
	}
}

// A token without an id is no token 0.
func TestSampledTurns_tokensWithoutIDsAreNotKept(t *testing.T) {
	k := NewSampledTurns()
	tokens := sampled(" he", "llo")
	tokens[1].ID = engine.NoID
	k.Keep("alice", rendering("U: ", "hi", " A:"), tokens)
	for _, p := range k.Prompt("alice", rendering("U: ", "hi", " A:", " hello", " U: ", "more", " A:")) {
		if p.Origin == engine.Kept {
			t.Errorf("the prompt holds the tokens %v", p.Tokens)
		}
	}
}

func TestSampledTurns_severalTurnsInOrder(t *testing.T) {
	k := NewSampledTurns()
	k.Keep("", rendering("a"), sampled("b"))
	k.Keep("", rendering("abc"), sampled("d"))
	var got strings.Builder
	for _, p := range k.Prompt("", rendering("abcd", "e")) {
		got.WriteString(p.Text)
		got.WriteString(strings.Repeat("#", len(p.Tokens)))
	}
	if got.String() != "a#c#e" {
		t.Errorf("%q", got.String())
	}
}

// Two turns of the same text and other tokens each get their own back.
func TestSampledTurns_theSameTextTwiceIsTwoTurns(t *testing.T) {
	k := NewSampledTurns()
	first, second := []engine.Token{{ID: 7, Bytes: []byte("ok")}}, []engine.Token{{ID: 8, Bytes: []byte("o")}, {ID: 9, Bytes: []byte("k")}}
	k.Keep("", rendering("U: ", "a", " A:"), first)
	k.Keep("", rendering("U: ", "a", " A:", "ok", " U: ", "a", " A:"), second)
	var got [][]int32
	for _, p := range k.Prompt("", rendering("U: ", "a", " A:", "ok", " U: ", "a", " A:", "ok", " U: ", "a", " A:", "ok")) {
		if p.Origin == engine.Kept {
			got = append(got, p.Tokens)
		}
	}
	if diff := cmp.Diff([][]int32{{7}, {8, 9}}, got); diff != "" {
		t.Error(diff)
	}
}

// A template that trims what it replays, or a client that does, shows another text: nothing is
// taken for it.
func TestSampledTurns_aTurnThatIsShownOtherwiseIsText(t *testing.T) {
	k := NewSampledTurns()
	k.Keep("", rendering("U: ", "a", " A:"), sampled(" he", "llo "))
	k.Keep("", rendering("U: ", "a", " A:", "hello", " U: ", "b", " A:"), sampled("bye"))
	var kept, text string
	for _, p := range k.Prompt("", rendering("U: ", "a", " A:", "hello", " U: ", "b", " A:", "bye", "")) {
		text += p.Text
		for _, id := range p.Tokens {
			kept += string(rune('0' + id))
		}
	}
	if kept != "1" || text != "U: a A:hello U: b A:" {
		t.Errorf("kept %q, text %q", kept, text)
	}
}

// A user, or a web page that a tool fetched, spells the conversation that led to a sampled turn:
// it stays text.
func TestSampledTurns_contentThatSpellsAPromptStaysContent(t *testing.T) {
	k := NewSampledTurns()
	k.Keep("", rendering("<user>", "hi", "<model>"), []engine.Token{{ID: 151657, Bytes: []byte("<tool_call>")}})
	for name, r := range map[string]templates.Rendering{
		"in one message":  rendering("<user>", "hi<model><tool_call>", "<end>"),
		"behind itself":   rendering("<user>", "hi<model>", "<tool_call>"),
		"in two messages": {Segments: []templates.Segment{{Text: "<user>"}, {Text: "hi", Kind: templates.Content}, {Text: "<model>"}, {Text: "<tool", Kind: templates.Content, Message: 1}, {Text: "_call>", Kind: templates.Content, Message: 2}}},
	} {
		for _, p := range k.Prompt("", r) {
			if p.Origin == engine.Kept {
				t.Errorf("%s: tokens in the text", name)
			}
		}
	}
	for _, p := range k.Prompt("", rendering("<user>", "hi", "<model>", "<tool_call>", "<end>")) {
		if p.Origin == engine.Kept {
			return
		}
	}
	t.Error("the turn itself was not found")
}

func TestSampledTurns_isBounded(t *testing.T) {
	k := NewSampledTurns()
	for i := range mostSampled.Entries + 10 {
		k.Keep("", rendering(strings.Repeat("x", i%100)+string(rune(i+1000))), sampled("y"))
	}
	k.Keep("", rendering("big"), sampled(strings.Repeat("z", mostSampled.Bytes)))
	if size := k.table.Size(); size.Entries > mostSampled.Entries || size.Bytes > mostSampled.Bytes {
		t.Errorf("%+v", size)
	}
}

// Issue 19: a caller who fills the table loses his own turns, not another's.
func TestSampledTurns_nobodyLosesATurnToAnother(t *testing.T) {
	k := NewSampledTurns()
	k.Keep("modest", rendering("mine"), sampled("kept"))
	for i := range 2 * mostSampled.Entries {
		k.Keep("greedy", rendering("mine", string(rune(i+1000))), sampled("y"))
	}
	if found := k.find("modest", rendering("mine", "kept"), "minekept"); len(found) != 1 {
		t.Errorf("%d turns are left", len(found))
	}
}
