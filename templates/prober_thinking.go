package templates

import (
	"encoding/json"
	"regexp"
	"sort"
	"strings"

	"tenon/templates/canonical"
	"tenon/templates/jinja"
)

// thinking finds where the template reads an assistant's thinking, and when it shows it again.
func (p *prober) thinking() {
	f := &p.found
	names := map[thinkingKey]string{thinkingKeys: "fields", thinkingBlocks: "blocks", thinkingInline: "inline"}
	for _, key := range []thinkingKey{thinkingKeys, thinkingBlocks, thinkingInline} {
		p.form.Thinking = key
		shown := p.thoughts()
		if !shown.any() || key == thinkingInline && (!shown.last || shown.old) {
			// tags that are always shown are nothing but text to the template, tags
			// never shown are of no use
			continue
		}
		f.Thinking = names[key]
		p.noteThinking(shown)
		return
	}
	p.form.Thinking = thinkingNone
	f.ThinkingWithText = true
	f.Drops = append(f.Drops, "all thinking")
}

// thoughts says where thinking is shown.
type thoughts struct {
	old, loop, last, withText bool
	sample                    sample // of one that shows it
}

func (t thoughts) any() bool { return t.old || t.loop || t.last }

func (p *prober) thoughts() thoughts {
	var t thoughts
	think := func(m turn) turn { m.Reasoning = canonical.Thought; return m }
	shown := func(open bool, turns ...turn) bool {
		s := p.try(trial{turns: turns, open: open})
		// printed as an object
		if !s.has(canonical.Thought) || s.has(`'thinking'`) || s.has(`"thinking"`) {
			return false
		}
		t.sample = s
		return true
	}
	t.last = shown(false, user(0), think(assistant(1)))
	t.old = shown(true, user(0), think(assistant(1)), user(2))
	t.withText = true
	if p.found.Calls != CallsNone {
		c := p.call(1, `{}`)
		t.loop = shown(true, user(0), think(calling("", c)), result(c, canonical.Result))
		t.withText = p.try(trial{turns: []turn{user(0), think(calling(canonical.Text, c)), result(c, canonical.Result)}, open: true}).err == nil
	}
	return t
}

func (p *prober) noteThinking(t thoughts) {
	f := &p.found
	f.ThinkingWithText = t.withText
	f.ThinkingMarkers = around(t.sample.Text)
	if !t.old {
		f.Drops = append(f.Drops, "thinking before the last user turn")
	}
	if f.Calls != CallsNone && !t.loop {
		f.Drops = append(f.Drops, "thinking before calls")
	}
}

var (
	markerBefore = regexp.MustCompile(`(<[^<>\s]{1,40}>|\[[A-Z_]{2,30}\]|<\|channel>thought|<\|channel\|>analysis<\|message\|>)\s*$`)
	markerAfter  = regexp.MustCompile(`^\s*(<[^<>\s]{1,40}>|\[/?[A-Z_]{2,30}\])`)
)

// around returns the markers that stand before and behind the thought, nil if there are none.
func around(text string) []string {
	at := strings.Index(text, canonical.Thought)
	if at < 0 {
		return nil
	}
	before := markerBefore.FindStringSubmatch(text[:at])
	after := markerAfter.FindStringSubmatch(text[at+len(canonical.Thought):])
	if before == nil || after == nil {
		return nil
	}
	return []string{before[1], after[1]}
}

// candidates are arguments by which templates are known to switch thinking, with the values to
// try.
var candidates = []struct {
	name   string
	values []any
}{
	{"enable_thinking", []any{true, false}},
	{"thinking", []any{true, false}},
	{"reasoning", []any{true, false}},
	{"skip_thinking", []any{true, false}},
	{"clear_thinking", []any{true, false}},
	{"preserve_thinking", []any{true, false}},
	{"drop_thinking", []any{true, false}},
	{"keep_reasoning", []any{true, false}},
	{"add_thoughts", []any{true, false}},
	{"thinking_budget", []any{json.Number("0"), json.Number("512")}},
	{"reasoning_effort", []any{"none", "minimal", "low", "medium", "high", "max"}},
}

// switches finds the arguments that change the prompt.
func (p *prober) switches() {
	base := p.withArgument("", nil)
	for _, c := range candidates {
		if !strings.Contains(p.source, c.name) {
			continue
		}
		s := Switch{Name: c.name}
		changed := false
		for _, v := range c.values {
			text := p.withArgument(c.name, v)
			encoded, _ := json.Marshal(v) // strings, bools and numbers always encode
			switch {
			case text == "":
			case text == base:
				s.Default = string(encoded)
				s.Values = append(s.Values, string(encoded))
			default:
				changed = true
				s.Values = append(s.Values, string(encoded))
			}
		}
		if changed {
			p.found.Switches = append(p.found.Switches, s)
		}
	}
	if p.found.System != SystemNone && p.heeds(offWord) {
		p.found.Switches = append(p.found.Switches, Switch{Name: offWord})
	}
}

// heeds says whether a word in the system message changes how the assistant's turn opens.
func (p *prober) heeds(word string) bool {
	opening := func(text string) string {
		return tail(p.try(trial{turns: []turn{say(System, text), user(1)}, open: true}).Output)
	}
	return opening("zqsystem "+word) != opening("zqsystem")
}

// withArgument renders conversations that thinking could show in; "" if the template raises.
func (p *prober) withArgument(name string, v any) string {
	var args []arg
	if name != "" {
		args = []arg{{name, v}}
	}
	old := assistant(1)
	old.Reasoning = canonical.Thought
	turns := []turn{user(0), old, user(2)}
	if p.found.Calls != CallsNone {
		c := p.call(1, `{}`)
		call := calling("", c)
		call.Reasoning = canonical.Thought
		turns = append(turns, call, result(c, canonical.Result))
	}
	s, plain := p.try(trial{turns: turns, args: args, open: true}), p.try(trial{turns: turns[:1], args: args, open: true})
	if plain.err != nil {
		return ""
	}
	return s.Text + plain.Text
}

// shape is what control tokens look like; XML-like tags are ordinary text to most vocabularies.
var shape = regexp.MustCompile(`<\|[^<>|\s]{1,40}\|?>|<[^<>|\s]{1,40}\|>|<｜[^<>\s]{1,40}｜>|</?s>|<(?:start|end)_of_[a-z]+>|\[/?[A-Z][A-Z_]{2,30}\]`)

// collectMarkers notes what looks like a marker in what the template wrote.
func (p *prober) collectMarkers(out jinja.Output) {
	if p.marks == nil {
		p.marks = map[string]bool{}
	}
	for _, s := range out.Spans {
		if s.Origin == jinja.Trusted {
			for _, m := range shape.FindAllString(out.Text[s.Start:s.End], -1) {
				p.marks[m] = true
			}
		}
	}
}

// unknown lists the markers that the vocabulary has no token for. Without a vocabulary nothing is
// known of any.
func (p *prober) unknown() []string {
	if len(p.t.markers.known) == 0 {
		return nil
	}
	var list []string
	for m := range p.marks {
		if !p.t.markers.known[m] {
			list = append(list, m)
		}
	}
	sort.Strings(list)
	return list
}
