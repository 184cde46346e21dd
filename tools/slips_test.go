package tools

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/tools/format"
	"tenon/tools/parse"
	"tenon/tools/scan"
)

// What only looks like another family's call, or like a tag around one, is text.
func TestParser_tagsOfOthersInProseAreKept(t *testing.T) {
	for _, text := range []string{
		"Write <function=get_weather> or <function=get_time> and </function> to call.",
		"<function=get_weather>{\"city\": \"Rome\"}</function> is how it is written.\nNot a call: it names no argument.\n<function=other>{}</function>",
		"So:\n<tools>{\"name\": \"get_time\", \"arguments\": {}}</tools>\nis what it looks like.",
		"<tools>\n{\"name\": \"get_time\", \"description\": \"The time\"}\n</tools>",
		"<tool>\n<name>get_time</name>\n</tool>\n<tool",
		"[get_weather](x) and [get_time] and [get_time, 1]",
		"```tool_code\nprint(get_time)\n```",
	} {
		for _, family := range []string{"llama3", "phi", "gemma", "rwkv"} {
			d, _ := Lookup(family)
			p := planFor(t, d, Thinking{})
			got := play(p.TextParser(), text, 0, false)
			first := strings.HasPrefix(text, "<function=get_weather>{")
			if first != (len(got.Calls) == 1) || !first && deref(got.Content) != text {
				t.Errorf("%s: %q became %+v", family, text, got)
			}
			checkProperties(t, p, []byte(text), 2)
		}
	}
}

// Of two tags that begin alike, inside of a wrong tag around a call, the longer is the call's,
// each time.
func TestParser_theLongestTagInsideAWrapIsTheCalls(t *testing.T) {
	d, _ := Lookup("minimax-m2")
	f := d.Family
	long := format.InvokeTags
	long.Call.Open += "x-"
	f.Syntaxes = []format.Syntax{format.InvokeTags, long}
	for range 50 {
		p := planFor(t, &Dialect{&format.Dialect{Family: f}}, Thinking{})
		got := play(p.TextParser(), "<tools>\n<invoke name=\"x-get_time\">\n</invoke>\n</tools>", 0, false)
		if len(got.Calls) != 1 || got.Calls[0].Name != "get_time" {
			t.Fatalf("%+v", got)
		}
	}
}

// A byte order mark before a call, and a closing tag behind it that has a space in it, is cut off
// or comes with an end token: the call is read, and nothing is left over.
func TestParser_marksAndBrokenTagsAroundACallLeaveNothing(t *testing.T) {
	n, bad := 0, 0
	eachCall(t, func(d *Dialect, call string) {
		p := planFor(t, d, Thinking{})
		whole := strings.TrimSpace(call)
		all := []string{"\ufeff" + call, "\n\ufeff" + call, call + "\ufeff", call + "\n\ufeff\n"}
		if len(d.Ends) > 0 {
			all = append(all, call+d.Ends[0])
		}
		if i := strings.LastIndex(whole, "</"); i >= 0 && strings.HasSuffix(whole, ">") {
			all = append(all, whole[:len(whole)-1]+" >", whole[:i]+"</ "+whole[i+2:], whole[:len(whole)-2], whole[:i+2], whole[:i])
		}
		for _, raw := range all {
			n++
			if got := play(p.TextParser(), raw, 0, false); len(got.Calls) != 1 || deref(got.Content) != "" {
				bad++
				t.Logf("%s: %q gives %d calls and %q", d.Key, raw, len(got.Calls), deref(got.Content))
			}
			checkProperties(t, p, []byte(raw), 3)
		}
	})
	t.Logf("%d of %d leave nothing", n-bad, n)
	if bad*100 > 3*n { // MiniMax M3's noise may stand before a tag or not
		t.Errorf("%d of %d are misread", bad, n)
	}
}

// A byte order mark beside an object without markers is neither text nor a part of the call, in
// any family; inside of a line of text it stays.
func TestParser_byteOrderMarkBesideAnObject(t *testing.T) {
	call := `{"name": "get_weather", "arguments": {"city": "Rome"}}`
	for _, d := range Families() {
		p := planFor(t, d, Thinking{})
		for _, raw := range []string{call + "\ufeff", "[" + call + "]\n\ufeff\n", "\ufeff\ufeff" + call, "I look.\n" + call + "\ufeff", "I look.\n\ufeff" + call,
			"I look.\n\ufeff```json\n" + call + "\n```\ufeff"} {
			got := play(p.TextParser(), raw, 0, false)
			if len(got.Calls) != 1 || strings.TrimPrefix(deref(got.Content), "I look.") != "" {
				t.Errorf("%s: %q: %s", d.Key, raw, sayMessage(got))
			}
			checkProperties(t, p, []byte(raw), 3)
		}
		if text := "a\ufeffb and \ufeff too"; deref(play(p.TextParser(), text, 0, false).Content) != text {
			t.Errorf("%s: %q changed", d.Key, text)
		}
	}
}

// A space in the tag that closes an argument ends it, too: it was taken into the value.
func TestParser_brokenEndsOfArguments(t *testing.T) {
	tried := 0
	eachCall(t, func(d *Dialect, call string) {
		p := planFor(t, d, Thinking{})
		want := play(p.TextParser(), call, 0, false)
		for _, end := range []string{"</parameter>", "</arg_value>", "</param>"} {
			for _, broken := range broken(end) {
				raw := strings.ReplaceAll(call, end, broken)
				if raw == call {
					continue
				}
				tried++
				if diff := cmp.Diff(want.Calls, play(p.TextParser(), raw, 0, false).Calls); diff != "" {
					t.Errorf("%s: %q (-want +got):\n%s", d.Key, raw, diff)
				}
				checkProperties(t, p, []byte(raw), 3)
			}
		}
	})
	if tried < 10 {
		t.Errorf("%d calls were tried", tried)
	}
}

// Code at the end of a text is text, though its lines look as calls do.
func TestParser_indentedCodeIsNoCall(t *testing.T) {
	for _, d := range Families() {
		p := planFor(t, d, Thinking{})
		text := "def f():\n  get_time()\n    get_weather(city=\"x\")"
		if got := play(p.TextParser(), text, 0, false); deref(got.Content) != text || len(got.Calls) > 0 {
			t.Errorf("%s: %q became %+v", d.Key, text, got)
		}
		checkProperties(t, p, []byte(text), 4)
	}
}

// Where it cannot be told in which of its strings a call ends, half of it is worse than none.
func TestParser_halfACallIsNone(t *testing.T) {
	for family, raw := range map[string]string{
		"lfm2":          `<|tool_call_start|>[write_file(path="a", content="print("x", mode="y")]<|tool_call_end|>`,
		"hermes":        `<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "echo "}, x", "b": "c"}", "d": 1}}</tool_call>`,
		"deepseek-v3.1": `<｜tool▁call▁begin｜>write_file<｜tool▁sep｜>{"path": "a", "content": "{"k": "v"} and {"l": "m} more"<｜tool▁call▁end｜>`,
		"kimi-k2":       `<|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>{"path": "a", "content": "{"k": "v"}", x}<|tool_call_end|>`,
	} {
		d, _ := Lookup(family)
		p := planFor(t, d, Thinking{})
		if got := play(p.TextParser(), raw, 0, false); len(got.Calls) > 0 {
			t.Errorf("%s: %q became %+v", family, raw, got.Calls)
		}
		checkProperties(t, p, []byte(raw), 5)
	}
}

// The prompt's last mark is not the model's text, whatever follows it.
func TestParser_whatThePromptEndsWithIsNoText(t *testing.T) {
	d, _ := Lookup("functionary-v3.2")
	for _, text := range []string{"get_weather\n{\"town\": 1}", "get_weather is a tool.", "get_time", "all"} {
		p := planFor(t, d, Thinking{})
		got := play(p.TextParser(), text, 0, false)
		if strings.Contains(deref(got.Content), ">>>") {
			t.Errorf("%q became %q", text, deref(got.Content))
		}
		checkProperties(t, p, []byte(text), 3)
	}
}

// Objects that begin as calls and never end, each with a marker inside of what looks like a
// string, must not be read again for ever; the calls between them are not lost for it.
func TestCost_objectsThatNeverEnd(t *testing.T) {
	d, _ := Lookup("hermes")
	p := planFor(t, d, Thinking{}).TextParser()
	unit := "<|im_end|>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"a"
	text := strings.Repeat(unit, 2000)
	for i := 0; i < len(text); i += 16 {
		p.Token([]byte(text[i:min(len(text), i+16)]), false)
	}
	p.Close(false)
	if most := parse.MaxAgain*len(text) + parse.MaxCuts*scan.MaxBare; p.Again == 0 || p.Again > most {
		t.Errorf("%d of %d bytes were read again, at most %d may be", p.Again, len(text), most)
	}
	got := play(planFor(t, d, Thinking{}).TextParser(), strings.Repeat(unit, 5)+"<tool_call>{\"name\": \"get_time\", \"arguments\": {}}</tool_call>", 0, false)
	if len(got.Calls) != 1 {
		t.Errorf("%d calls behind objects that never end", len(got.Calls))
	}
}

// A bare or fenced call of 1 MB that comes in one piece is read as one that comes in many.
func TestParser_aLongBareCallInOnePiece(t *testing.T) {
	d, _ := Lookup("hermes")
	call := `{"name": "write_file", "arguments": {"path": "a", "content": "` + strings.Repeat("0123456789abcdef", 1<<16) + `"}}`
	for _, raw := range []string{call, "```json\n" + call + "\n```"} {
		p := planFor(t, d, Thinking{}).TextParser()
		n := 0
		for _, e := range append(p.Token([]byte(raw), false), p.Close(false)...) {
			n += count(e.Kind == CallEnd)
		}
		if n != 1 {
			t.Errorf("%.20q: %d calls", raw, n)
		}
	}
}

// broken are the ways in which models put a space into a closing tag.
func broken(tag string) (all []string) {
	for i := len("</"); i < len(tag); i++ {
		all = append(all, tag[:i]+" "+tag[i:])
	}
	return all
}
