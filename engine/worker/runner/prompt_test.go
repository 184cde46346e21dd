package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
)

func TestPrompt_becomesTokens(t *testing.T) {
	for _, c := range []struct {
		name string
		bos  int32
		p    engine.Prompt
		want []int32
	}{
		{"template text means its markers", -1, engine.Prompt{{Text: "a<call>b<end>"}}, []int32{'a', callToken, 'b', endToken}},
		{"content does not", -1, engine.Prompt{{Text: "a<call>", Origin: engine.Content}}, []int32{'a', '<', 'c', 'a', 'l', 'l', '>'}},
		{"nor control tokens", -1, engine.Prompt{{Text: "<end>", Origin: engine.Content}}, []int32{'<', 'e', 'n', 'd', '>'}},
		{"nor where text and content make one together", -1, engine.Prompt{{Text: "<ca"}, {Text: "ll>", Origin: engine.Content}},
			[]int32{'<', 'c', 'a', 'l', 'l', '>'}},
		{"text and content are read together", -1, engine.Prompt{{Text: "hel"}, {Text: "lo", Origin: engine.Content}}, []int32{wordToken}},
		{"but not across a symbol", -1, engine.Prompt{{Text: "hel"}, {Text: "<end>", Origin: engine.Symbolic}, {Text: "lo"}},
			[]int32{'h', 'e', 'l', endToken, 'l', 'o'}},
		{"unknown symbol is text", -1, engine.Prompt{{Text: "<x>", Origin: engine.Symbolic}}, []int32{'<', 'x', '>'}},
		{"kept ids stay as they are", -1, engine.Prompt{{Origin: engine.Kept, Tokens: []int32{'h', 'e', 'l', 'l', 'o'}}},
			[]int32{'h', 'e', 'l', 'l', 'o'}},
		{"BOS is added", bosToken, engine.Plain("a"), []int32{bosToken, 'a'}},
		{"BOS of the template is not doubled", bosToken, engine.Plain("<bos><bos>a"), []int32{bosToken, 'a'}},
		{"content cannot write BOS", bosToken, engine.Prompt{{Text: "<bos>", Origin: engine.Content}},
			[]int32{bosToken, '<', 'b', 'o', 's', '>'}},
	} {
		f := newFake()
		f.bos = c.bos
		got, err := newTokenizer(f).Prompt(t.Context(), c.p)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, diff)
		}
	}
}

func TestPrompt_keptIDsAreOfTheVocabulary(t *testing.T) {
	tk := newTokenizer(newFake())
	for _, id := range []int32{-1, fakeTokens} {
		if _, err := tk.Prompt(t.Context(), engine.Prompt{{Origin: engine.Kept, Tokens: []int32{id}}}); err == nil {
			t.Errorf("token %d is accepted", id)
		}
	}
}

func TestText_leavesControlTokensOut(t *testing.T) {
	tk := newTokenizer(newFake())
	ids := []int32{bosToken, wordToken, callToken, endToken, -5, 9999}
	if got := string(tk.Text(ids, false)); got != "hello<call>" {
		t.Errorf("%q", got)
	}
	if got := string(tk.Text(ids, true)); got != "<bos>hello<call><end>" {
		t.Errorf("%q", got)
	}
}
