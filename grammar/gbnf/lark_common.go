package gbnf

// What is imported from Lark's library, and what is ignored.

// commonTerminals are those of Lark's library, by what they match.
var commonTerminals = map[string]string{
	"DIGIT": `[0-9]`, "HEXDIGIT": `[0-9a-fA-F]`, "INT": `[0-9]+`, "SIGNED_INT": `[+-]?[0-9]+`,
	"DECIMAL": `[0-9]+\.[0-9]*|\.[0-9]+`, "FLOAT": `[0-9]+[eE][+-]?[0-9]+|([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?`,
	"SIGNED_FLOAT": `[+-]?([0-9]+[eE][+-]?[0-9]+|([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)`,
	"_EXP":         `[eE][+-]?[0-9]+`, "_STRING_INNER": `[^\n]*`, "_STRING_ESC_INNER": `([^\\\n]|\\[^\n])*`,
	"NUMBER": `([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][+-]?[0-9]+)?`, "SIGNED_NUMBER": `[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][+-]?[0-9]+)?`,
	"ESCAPED_STRING": `"([^"\\\n]|\\[^\n])*"`, "LCASE_LETTER": `[a-z]`, "UCASE_LETTER": `[A-Z]`, "LETTER": `[a-zA-Z]`, "WORD": `[a-zA-Z]+`,
	"CNAME": `[_a-zA-Z][_a-zA-Z0-9]*`, "WS_INLINE": `[ \t]+`, "WS": `[ \t\f\r\n]+`, "CR": `\r`, "LF": `\n`, "NEWLINE": `(\r?\n)+`,
	"SH_COMMENT": `#[^\n]*`, "CPP_COMMENT": `//[^\n]*`, "C_COMMENT": `/\*([^*]|\*+[^*/])*\*+/`, "SQL_COMMENT": `--[^\n]*`,
}

// importCommon reads common.NAME, common.NAME -> OTHER, or common (A, B).
func (l *larkReader) importCommon(at int) error {
	l.blanks()
	if !l.take("common") {
		return l.unsupported(at, "only common can be imported from")
	}
	names := []string{}
	if l.take(".") {
		names = append(names, l.name())
	} else if l.blanks(); l.take("(") {
		for {
			l.blanks()
			names = append(names, l.name())
			l.blanks()
			if !l.take(",") {
				break
			}
		}
		if !l.take(")") {
			return l.errorf(l.pos, "expected ) after the imported names")
		}
	}
	l.blanks()
	for _, name := range names {
		pattern, ok := commonTerminals[name]
		if !ok {
			return l.errorf(at, "common has no terminal %q", name)
		}
		if l.take("->") {
			l.blanks()
			name = l.name()
		}
		i := l.ruleIndex(name, at)
		l.g.Rules[i].Node, l.defined[i] = &Node{Op: Regex, Text: pattern}, true
	}
	return nil
}

// ignoredName has a -, so that no rule of a Lark grammar is named so.
const ignoredName = "ignored-text"

// applyIgnored admits what is ignored before the start and behind every terminal.
func (l *larkReader) applyIgnored() {
	if len(l.ignored) == 0 {
		return
	}
	skip := len(l.g.Rules)
	l.g.Rules = append(l.g.Rules, Rule{Name: ignoredName, Node: &Node{Op: Repeat, Max: Unbounded, Kids: []*Node{{Op: Alt, Kids: l.ignored}}}})
	for _, n := range l.terminals {
		terminal := *n
		*n = Node{Op: Seq, Kids: []*Node{&terminal, {Op: Ref, Rule: skip}}}
	}
	start := &l.g.Rules[l.g.Root]
	start.Node = &Node{Op: Seq, Kids: []*Node{{Op: Ref, Rule: skip}, start.Node}}
}
