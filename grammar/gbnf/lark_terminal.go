package gbnf

import (
	"errors"
	"regexp/syntax"
	"strings"
)

// The terminals of Lark: literals, ranges, regular expressions.

// literal reads "text", "text"i or "a".."z".
func (l *larkReader) literal() (*Node, error) {
	at := l.pos
	s, err := l.quoted()
	if err != nil {
		return nil, err
	}
	n := &Node{Op: Literal, Text: s}
	if l.take("..") {
		hi, err := l.quoted()
		lo, up := []rune(s), []rune(hi)
		if err != nil || len(lo) != 1 || len(up) != 1 || lo[0] > up[0] {
			return nil, l.errorf(at, `expected a range such as "a".."z"`)
		}
		n = &Node{Op: Class, Ranges: []Range{{lo[0], up[0]}}}
	} else if l.take("i") {
		n = foldCase(s)
	}
	return l.terminalNode(n), nil
}

// terminalNode remembers a terminal of a rule, behind which what is ignored may
// stand.
func (l *larkReader) terminalNode(n *Node) *Node {
	if l.inRule {
		l.terminals = append(l.terminals, n)
	}
	return n
}

// foldCase is a literal in either case of each letter.
func foldCase(s string) *Node {
	n := &Node{Op: Seq}
	for _, r := range s {
		lower, upper := []rune(strings.ToLower(string(r))), []rune(strings.ToUpper(string(r)))
		if len(lower) != 1 || len(upper) != 1 || lower[0] == upper[0] {
			n.Kids = append(n.Kids, &Node{Op: Literal, Text: string(r)})
			continue
		}
		n.Kids = append(n.Kids, &Node{Op: Class, Ranges: Normalise([]Range{{lower[0], lower[0]}, {upper[0], upper[0]}})})
	}
	if len(n.Kids) == 0 {
		return &Node{Op: Empty}
	}
	return n
}

// pattern reads /regex/ with the flags i and s.
func (l *larkReader) pattern() (*Node, error) {
	at := l.pos
	l.pos++
	inClass := false
	var b strings.Builder
	for {
		if l.pos >= len(l.src) || l.src[l.pos] == '\n' {
			return nil, l.errorf(at, "the regular expression has no closing /")
		}
		c := l.src[l.pos]
		switch {
		case c == '\\' && l.pos+1 < len(l.src):
			if l.src[l.pos+1] != '/' {
				b.WriteByte(c)
			}
			l.pos++
			c = l.src[l.pos]
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		}
		if c == '/' && l.src[l.pos-1] != '\\' && !inClass {
			l.pos++
			break
		}
		b.WriteByte(c)
		l.pos++
	}
	if why := wrongPattern(b.String()); why != "" {
		return nil, l.errorf(at, "the regular expression is none: %s", why)
	}
	text, err := l.flagged(b.String(), at)
	return l.terminalNode(&Node{Op: Regex, Text: text}), err
}

// wrongPattern says why a pattern is one in no dialect. Lark's patterns are Python's, of which some are neither ECMAScript's nor Go's: what
// may be such is none of its business.
func wrongPattern(pattern string) string {
	_, err := syntax.Parse(pattern, syntax.Perl)
	var wrong *syntax.Error
	if !errors.As(err, &wrong) {
		return ""
	}
	switch wrong.Code {
	case syntax.ErrMissingBracket, syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingRepeatArgument, syntax.ErrTrailingBackslash:
		return wrong.Code.String()
	}
	return ""
}

func (l *larkReader) flagged(text string, at int) (string, error) {
	for l.pos < len(l.src) && strings.IndexByte("imslux", l.src[l.pos]) >= 0 {
		switch l.src[l.pos] {
		case 's':
			text = dotMatchesAll(text)
		case 'u', 'm':
		default:
			return "", l.unsupported(at, "the flag %c of a regular expression is not supported", l.src[l.pos])
		}
		l.pos++
	}
	return text, nil
}

// dotMatchesAll lets . stand for newlines, too.
func dotMatchesAll(text string) string {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			b.WriteString(text[i : i+2])
			i++
			continue
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '.' && !inClass:
			b.WriteString(`[\s\S]`)
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
