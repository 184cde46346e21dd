package gbnf

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
)

// The regular expressions of Lark are Python's. This file reads them and writes them as
// ECMAScript's.

// regex reads /regex/ and its flags. The flags i and l are refused.
func (l *larkReader) regex() (*Node, error) {
	at := l.pos
	l.pos++
	inClass := false
	var b strings.Builder
	for {
		if l.pos >= len(l.src) || l.src[l.pos] == '\n' {
			return nil, l.errorf(at, "the regular expression has no closing /")
		}
		c := l.src[l.pos]
		if c == '/' && !inClass {
			l.pos++
			break
		}
		switch {
		case l.take(`\/`):
			b.WriteByte('/')
			continue
		case c == '\\' && l.pos+1 < len(l.src):
			b.WriteByte(c)
			l.pos++
			c = l.src[l.pos]
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		}
		b.WriteByte(c)
		l.pos++
	}
	if why := wrongRegex(b.String()); why != "" {
		return nil, l.errorf(at, "the regular expression is none: %s", why)
	}
	text, err := l.flagged(b.String(), at)
	return l.terminalNode(&Node{Op: Regex, Text: text}), err
}

// wrongRegex says why a text is a regular expression in no dialect, "" if it may be one in
// Python's.
func wrongRegex(pattern string) string {
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
	dot, verbose := `[^\n]`, false
	for l.pos < len(l.src) && strings.IndexByte("imslux", l.src[l.pos]) >= 0 {
		switch l.src[l.pos] {
		case 's':
			dot = `[\s\S]`
		case 'x':
			verbose = true
		case 'u', 'm':
		default:
			return "", l.unsupported(at, "the flag %c of a regular expression is not supported", l.src[l.pos])
		}
		l.pos++
	}
	return ecmaRegex(text, dot, verbose), nil
}

// upTo is the repetition {,n} of Python, which ECMAScript reads as text.
var upTo = regexp.MustCompile(`^\{,[0-9]+\}`)

// closeFirst is a ] at the beginning of a class, which does not end the class in Python.
var closeFirst = regexp.MustCompile(`^(\[\^?)\]`)

// ecmaRegex writes a regular expression of Python as one of ECMAScript. They differ in what a dot
// matches, a bracket at the beginning of a class, repetitions without a lower bound, and how
// groups are named.
func ecmaRegex(text, dot string, verbose bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			b.WriteString(text[i : i+2])
			i++
		case c == '[':
			n := classEnd(text[i:])
			b.WriteString(closeFirst.ReplaceAllString(text[i:i+n], `$1\]`))
			i += n - 1
		case c == '.':
			b.WriteString(dot)
		case verbose && strings.IndexByte(" \t\f\v\r", c) >= 0:
			// stands for nothing; a line cannot end inside of a pattern
		case verbose && c == '#':
			return b.String()
		case strings.HasPrefix(text[i:], "(?P<"):
			b.WriteString("(?<")
			i += len("(?P<") - 1
		case c == '{' && upTo.MatchString(text[i:]):
			b.WriteString("{0")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// classEnd is the length of the class that a pattern begins with.
func classEnd(text string) int {
	i := 1
	if first := closeFirst.FindString(text); first != "" {
		i = len(first)
	}
	for ; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case ']':
			return i + 1
		}
	}
	return len(text)
}
