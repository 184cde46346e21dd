package tools

import (
	"testing"
)

// Where the vocabulary has tokens for a family's markers, a name beside one in ordinary letters is
// only text.
func TestMissingOpener_markersCountAsTheVocabularyHasThem(t *testing.T) {
	family, _ := Lookup("kimi-k2")
	const mark = "<|tool_call_argument_begin|>"
	p := planFor(t, &Dialect{family.With([]string{mark})}, Thinking{})
	for symbol, calls := range map[bool]int{true: 1, false: 0} {
		q := p.SymbolParser()
		var all []Event
		for _, x := range []string{"functions.get_", "weather:0", mark, `{"city": "Rome"}`} {
			all = append(all, q.Token([]byte(x), symbol && x == mark)...)
		}
		all = append(all, q.Close(false)...)
		if m := collect(all, q); len(m.Calls) != calls {
			t.Errorf("marker is a token: %v: %d calls, content %q", symbol, len(m.Calls), deref(m.Content))
		}
	}
}

// A name that is not declared, or a declared one in another place, calls nothing; its text stays,
// without the markers.
func TestMissingOpener_whatIsNoCallStays(t *testing.T) {
	for _, c := range []struct{ family, raw, content string }{
		{"mistral-small", `get_news[ARGS]{"city": "Rome"}`, `get_news{"city": "Rome"}`},
		{"mistral-small", `my_get_weather[ARGS]{"city": "Rome"}`, `my_get_weather{"city": "Rome"}`},
		{"mistral-small", `get_weather[ARGS]{"town": 1}`, `get_weather{"town": 1}`},
		{"mistral-small", "get_weather ARGS", "get_weather ARGS"},
		{"deepseek-v3", "function<｜tool▁sep｜>get_news\n```json\n{}\n```", "functionget_news\n```json\n{}\n```"},
		{"glm-4.5", "I ask get_time</tool_call> now", "I ask get_time now"},
		{"gemma4", "Write call:get_time{} to call it.", "Write call:get_time{} to call it."},
		{"olmo3", "Then get_time() is called", "Then get_time() is called"},
		{"devstral", "So:\nget_time{} is a call", "So:\nget_time{} is a call"},
		{"deepseek-v3", "So:\nget_time\n```json\n{}\n```\nis a call", "So:\nget_time\n```json\n{}\n```\nis a call"},
		{"gpt-oss", "final to-do: one", "final to-do: one"},
		{"gemma4", "call:get_time{} is how you ask.", "call:get_time{} is how you ask."},
		{"functionary-v3.2", "get_weather {\"city\": \"Rome\"}\nis how you ask.", "get_weather {\"city\": \"Rome\"}\nis how you ask."},
		{"olmo3", "get_time() returns the time.", "get_time() returns the time."},
		{"devstral", "get_time {} is a call", "get_time {} is a call"},
		{"lfm2", "So [get_time()] is a call", "So [get_time()] is a call"},
	} {
		d, _ := Lookup(c.family)
		p := planFor(t, d, Thinking{})
		got := play(p.TextParser(), c.raw, 0, false)
		if deref(got.Content) != c.content || len(got.Calls) > 0 {
			t.Errorf("%s: %q gives %d calls and %q, want %q", c.family, c.raw, len(got.Calls), deref(got.Content), c.content)
		}
		checkProperties(t, p, []byte(c.raw), 1)
	}
}
