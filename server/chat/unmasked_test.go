package chat

import (
	"fmt"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/tools"
)

// S4-21, S0-16: what an engine without masks writes is tried again, whatever was wrong with the
// call, and nothing of it leaves; where something has left, or it is wrong twice, it is text.
func TestUnmasked_eachWayOfFailingIsTriedAgain(t *testing.T) {
	const good = `{"day": "y", "code": "aa"}`
	formats := map[string]func(name, args string) string{
		"hermes": func(name, args string) string {
			return fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", name, args)
		},
		"react": func(name, args string) string {
			return fmt.Sprintf("Action: %s\nAction Input: %s\n", name, args)
		},
		"qwen3-coder": func(name, args string) string {
			if args == good {
				args = "<parameter=day>\ny\n</parameter>\n<parameter=code>\naa\n</parameter>\n"
			}
			return fmt.Sprintf("<tool_call>\n<function=%s>\n%s</function>\n</tool_call>", name, args)
		},
	}
	for family, write := range formats {
		for name, c := range map[string]struct{ before, bad, told string }{
			"undeclared name":      {"", write("fly", good), `; there are book`},
			"unreadable arguments": {"", write("book", `{"day": [[[}`), "not executed"},
			"a missing argument":   {"", write("book", `{"day": "x"}`), "code"},
		} {
			t.Run(family+"/"+name, func(t *testing.T) {
				if family == "qwen3-coder" && name != "undeclared name" {
					c.bad = write("book", "<parameter=day>\nx\n</parameter>\n")
					c.told = "code"
				}
				for _, cut := range []int{1, 7, len(c.bad)} {
					o := runUnmasked(t, family, pieces(c.bad, cut), enginetest.Say(write("book", good)))
					turns := o.engine.Turns()
					if len(turns) != 2 {
						t.Fatalf("cut %d: %d turns: %+v", cut, len(turns), o.choice)
					}
					if prompt := turns[1].Prompt.String(); !strings.Contains(prompt, c.told) {
						t.Errorf("cut %d: the model is not told %q:\n%s", cut, c.told, prompt)
					}
					if got := o.arguments(t); !sameArguments(got, good) || strings.TrimSpace(o.choice.Text) != "" {
						t.Errorf("cut %d: %s, text %q", cut, got, o.choice.Text)
					}
					if m := o.choice.Finish.Mending; m.Retries != 1 || m.Refused != 0 {
						t.Errorf("cut %d: %+v", cut, m)
					}
				}
			})
		}
	}
}

func TestUnmasked_notTriedAgain(t *testing.T) {
	const bad = "<tool_call>\n{\"name\": \"fly\", \"arguments\": {}}\n</tool_call>"
	for name, c := range map[string]struct {
		replies []enginetest.Reply
		turns   int
		text    string
	}{
		"behind text":             {[]enginetest.Reply{pieces("I will fly. "+bad, 5)}, 1, "I will fly."},
		"behind text, one":        {[]enginetest.Reply{pieces("I will fly. "+bad, 1000)}, 1, "I will fly."},
		"wrong twice":             {[]enginetest.Reply{pieces(bad, 5), pieces(bad, 5)}, 2, "fly"},
		"JSON that is the answer": {[]enginetest.Reply{pieces(`{"name": "Ada", "arguments": {"for": 1}}`, 5)}, 1, `Ada`},
	} {
		t.Run(name, func(t *testing.T) {
			o := runUnmasked(t, "hermes", c.replies...)
			if n := len(o.engine.Turns()); n != c.turns || len(o.choice.Calls) != 0 || !strings.Contains(o.choice.Text, c.text) {
				t.Errorf("%d turns, %+v", n, o.choice)
			}
		})
	}
}

// pieces is a reply in updates of n bytes.
func pieces(text string, n int) enginetest.Reply {
	reply := enginetest.Reply{}
	for len(text) > 0 {
		n = min(n, len(text))
		reply.Tokens = append(reply.Tokens, engine.Token{Bytes: []byte(text[:n])})
		text = text[n:]
	}
	return reply
}

func runUnmasked(t *testing.T, family string, replies ...enginetest.Reply) outcomeOf {
	t.Helper()
	e := enginetest.Script(replies...)
	e.Info.Can = enginetest.Unmasked
	r := request()
	r.Model, r.Tools = family, []tools.Tool{booking}
	return runService(t, &Service{}, e, r)
}

func sameArguments(a, b string) bool {
	strip := strings.NewReplacer(" ", "", "\n", "")
	return strip.Replace(a) == strip.Replace(b)
}
