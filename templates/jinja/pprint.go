package jinja

import (
	"sort"
	"strings"
)

// pprintWidth is the line length that Python's pprint keeps to where it can.
const pprintWidth = 80

func filterPprint(rt *runtime, a []Value) Value {
	p := pprinter{rt: rt}
	p.format(a[0], 0, 0, 1)
	return p.b.str()
}

// pprinter breaks what does not fit on a line, as Python's pprint does.
type pprinter struct {
	rt *runtime
	b  textBuilder
}

// repr is repr with the keys of dicts sorted.
func (p *pprinter) repr(v Value) *Str {
	w := printer{rt: p.rt, sortKeys: true}
	w.repr(v)
	return w.str()
}

// format writes v, which begins in column indent and is followed by allowance characters.
func (p *pprinter) format(v Value, indent, allowance, level int) {
	rep := p.repr(v)
	if rep.length() <= pprintWidth-indent-allowance {
		p.b.add(rep)
		return
	}
	switch v := v.(type) {
	case *Dict:
		p.dict(v, indent+1, allowance+1, level)
	case *List:
		p.items("[", v.items, "]", indent, allowance, level)
	case *Tuple:
		end := ")"
		if len(v.items) == 1 {
			end = ",)"
		}
		p.items("(", v.items, end, indent, allowance, level)
	case *Str:
		p.text(v, indent, allowance, level)
	default:
		p.b.add(rep)
	}
}

func (p *pprinter) newline(indent int) {
	p.rt.make(len(p.b.buf) + indent)
	p.b.neutral("\n" + strings.Repeat(" ", indent))
}

func (p *pprinter) dict(d *Dict, indent, allowance, level int) {
	p.b.neutral("{")
	entries := p.rt.sortedEntries(d)
	for i, e := range entries {
		if i > 0 {
			p.b.neutral(",")
			p.newline(indent)
		}
		key := p.repr(e.key)
		p.b.add(key)
		p.b.neutral(": ")
		after := 1
		if i == len(entries)-1 {
			after = allowance
		}
		p.format(e.value, indent+key.length()+2, after, level+1)
	}
	p.b.neutral("}")
}

func (p *pprinter) items(open string, list []Value, end string, indent, allowance, level int) {
	p.b.neutral(open)
	for i, v := range list {
		if i > 0 {
			p.b.neutral(",")
			p.newline(indent + 1)
		}
		after := 1
		if i == len(list)-1 {
			after = allowance + len(end)
		}
		p.format(v, indent+1, after, level+1)
	}
	p.b.neutral(end)
}

// text writes a long string as several, broken at its lines and words.
func (p *pprinter) text(s *Str, indent, allowance, level int) {
	if level == 1 {
		indent++
		allowance++
	}
	chunks := p.chunks(s, pprintWidth-indent, allowance)
	if len(chunks) == 1 {
		p.b.add(chunks[0])
		return
	}
	if level == 1 {
		p.b.neutral("(")
	}
	for i, c := range chunks {
		if i > 0 {
			p.newline(indent)
		}
		p.b.add(c)
	}
	if level == 1 {
		p.b.neutral(")")
	}
}

// chunks are the reprs of the parts into which a string is broken; the last one leaves room for allowance characters.
func (p *pprinter) chunks(s *Str, width, allowance int) []*Str {
	var chunks []*Str
	lines := s.lines(true)
	for i, line := range lines {
		room := width
		if i == len(lines)-1 {
			room -= allowance
		}
		if rep := p.repr(line); rep.length() <= room {
			chunks = append(chunks, rep)
			continue
		}
		current := emptyStr
		parts := spacedWords(line)
		for j, part := range parts {
			room := width
			if i == len(lines)-1 && j == len(parts)-1 {
				room -= allowance
			}
			candidate := joinStrs(emptyStr, []*Str{current, part})
			if p.repr(candidate).length() <= room {
				current = candidate
				continue
			}
			if current.text != "" {
				chunks = append(chunks, p.repr(current))
			}
			current = part
		}
		if current.text != "" {
			chunks = append(chunks, p.repr(current))
		}
	}
	return chunks
}

// spacedWords cuts a line into words, each with the whitespace behind it.
func spacedWords(s *Str) []*Str {
	var out []*Str
	for at := 0; at < len(s.text); {
		end := len(s.text)
		if i := strings.IndexFunc(s.text[at:], isSpace); i >= 0 {
			i += at
			end = i + len(s.text[i:]) - len(strings.TrimLeftFunc(s.text[i:], isSpace))
		}
		out = append(out, s.slice(at, end))
		at = end
	}
	return out
}

// sortedEntries sorts a dict by its keys; keys that do not compare are sorted by type.
func (rt *runtime) sortedEntries(d *Dict) []entry {
	entries := append([]entry{}, d.entries...)
	sort.SliceStable(entries, func(i, j int) bool {
		a, b := entries[i].key, entries[j].key
		var c int
		var ordered bool
		if attempt(func() { c, ordered = rt.order(relLess, a, b) }) != nil {
			return a.typeName() < b.typeName()
		}
		return ordered && c < 0
	})
	return entries
}
