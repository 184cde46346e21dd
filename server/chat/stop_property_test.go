package chat

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/tools"
)

// stopAnswers are what a model says: text whose pieces begin stops, white space in and around it,
// characters of several bytes.
var stopAnswers = []string{
	`{"a": "b}", "n": [1, 2]}`,
	"1. one\n\n2. two\n\n\n3. three\n",
	"  aab aaab ab\n",
	"naïve 日本 – ok }",
	"a\r\n\t b ",
}

// stopKinds are the kinds of turns that have text.
var stopKinds = map[string]func(*Request){
	"plain": func(r *Request) { r.Prompt, r.Tools = engine.Plain("go"), nil },
	"chat":  func(r *Request) { r.Tools = nil },
	"tools": func(*Request) {},
	"grammar": func(r *Request) {
		r.Tools, r.Answer = nil, &tools.Answer{Syntax: "gbnf", Definition: `root ::= [\u0000-\U0010FFFF]*`}
	},
	"schema": func(r *Request) {
		r.Tools, r.Answer = nil, &tools.Answer{Syntax: "json_schema", Definition: `{"type": "object"}`}
	},
}

// cutInto is an answer in tokens of n bytes.
func cutInto(answer string, n int) (r enginetest.Reply) {
	for len(answer) > 0 {
		k := min(n, len(answer))
		r.Tokens = append(r.Tokens, engine.Token{ID: int32(len(r.Tokens)), Bytes: []byte(answer[:k])})
		answer = answer[k:]
	}
	return r
}

// stopsOf are all stops that an answer holds, also two that end at one place, and such as only
// begin in it.
func stopsOf(answer string) (all [][]string) {
	seen := map[string]bool{}
	for i := range answer {
		for j := range answer[i:] {
			if j > 0 && j <= 4 && !seen[answer[i:i+j]] {
				s := answer[i : i+j]
				seen[s] = true
				_, first := utf8.DecodeRuneInString(s)
				all = append(all, []string{s}, []string{s + "Z"}, []string{s + "Z", answer[i+j:]}, []string{answer[i:], s}, []string{s[first:], s})
			}
		}
	}
	return append(all, []string{answer + "Z"}, []string{answer[len(answer)-1:] + "Z"})
}

// Issue 19: whatever an answer is and whatever stops it, the text is the unstopped text up to the
// first stop, byte for byte, and the tokens told beside it are those that it is made of. By
// default each answer has a third of its stops; TENON_ALL=1 tries them all.
func TestStop_textIsTheUnstoppedTextUpToTheFirstStop(t *testing.T) {
	for kind, set := range stopKinds {
		for a, answer := range stopAnswers {
			if kind == "schema" && !json.Valid([]byte(answer)) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", kind, a), func(t *testing.T) {
				for i, size := range []int{1, 3, len(answer)} {
					r := request()
					set(&r)
					r.Logprobs = 0
					whole := textOf(t, r, cutInto(answer, size))
					for n, stops := range stopsOf(answer) {
						// a grammar is compiled for each
						if r.Stops = stops; n%3 == i && (n/3%3 == a%3 || os.Getenv("TENON_ALL") != "") {
							checkStopped(t, r, cutInto(answer, size), whole.Text)
						}
					}
				}
			})
		}
	}
}

func textOf(t *testing.T, r Request, reply enginetest.Reply) Choice {
	t.Helper()
	var c Collector
	if err := (&Service{Models: scripted{enginetest.Script(reply)}}).Run(t.Context(), r, c.Add); err != nil {
		t.Fatal(err)
	}
	return c.Result().Choices[0]
}

func checkStopped(t *testing.T, r Request, reply enginetest.Reply, unstopped string) {
	t.Helper()
	want, end := unstopped, ""
	for _, s := range r.Stops {
		before, _, ok := strings.Cut(unstopped, s)
		if d := len(before) + len(s) - len(want) - len(end); ok && (end == "" || d < 0 || d == 0 && len(s) > len(end)) {
			// the one that is complete first, and of those the longest
			want, end = before, s
		}
	}
	got := textOf(t, r, reply)
	if got.Text != want || (got.Finish.StopText == "") != (end == "") {
		t.Errorf("stops %q: %q stopped by %q; want %q by %q", r.Stops, got.Text, got.Finish.StopText, want, end)
	}
	var told string
	last := 0
	for _, token := range got.Tokens {
		told += string(token.Bytes)
		last = len(token.Bytes)
	}
	if !strings.HasPrefix(told, want) || len(told)-last > len(want) {
		t.Errorf("stops %q: the tokens are %q; the text %q", r.Stops, told, want)
	}
}
