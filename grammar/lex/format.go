package lex

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"tenon/grammar/lex/ecma"
)

// formats builds the language of every format that an automaton can decide. It cannot decide
// idn-hostname and idn-email: a U-label takes Punycode and contextual rules.
var formats = map[string]func(*Arena) Expr{
	"date-time":             rule("date-time"),
	"date":                  rule("date"),
	"time":                  rule("time"),
	"duration":              rule("duration"),
	"email":                 (*Arena).email,
	"hostname":              (*Arena).hostname,
	"ipv4":                  rule("ipv4"),
	"ipv6":                  rule("ipv6"),
	"uri":                   rule("uri"),
	"uri-reference":         rule("uri-reference"),
	"iri":                   rule("iri"),
	"iri-reference":         rule("iri-reference"),
	"uri-template":          rule("uri-template"),
	"uuid":                  rule("uuid"),
	"json-pointer":          rule("json-pointer"),
	"relative-json-pointer": rule("relative-json-pointer"),
	"regex":                 (*Arena).regexFormat,
}

// Format returns the texts of a JSON Schema format, and false for formats that are unknown or that
// no automaton decides. formatRules name the document that defines each. All are exact, except
// those of FormatSuperset, which are subsets.
func (a *Arena) Format(name string) (Expr, bool) {
	number, ok := slices.BinarySearch(formatNames, name)
	if !ok {
		return empty, false
	}
	return a.build(func() Expr { return a.useFormat(name, number) }), true
}

// FormatSuperset makes a language that contains a format of which Format returns a subset. It is
// nil for other formats.
func (a *Arena) FormatSuperset(name string) func() Expr {
	switch name {
	case "regex":
		return a.AnyText
	case "time", "date-time":
		return func() Expr { return a.build(func() Expr { return a.rule("wide-" + name) }) }
	}
	return nil
}

func (a *Arena) format(name string, build func(*Arena) Expr) Expr {
	if e, ok := a.formats[name]; ok {
		return e
	}
	e := build(a)
	a.formats[name] = e
	return e
}

func rule(name string) func(*Arena) Expr { return func(a *Arena) Expr { return a.rule(name) } }

// rule compiles one of formatRules.
func (a *Arena) rule(name string) Expr {
	return a.format("rule "+name, func(a *Arena) Expr {
		c := &regexCompiler{a: a}
		return c.pure(ruleTrees()[name])
	})
}

// ruleTrees are the parsed formatRules, made once and only read.
var ruleTrees = sync.OnceValue(func() map[string]*ecma.Node {
	trees := map[string]*ecma.Node{}
	expanded := map[string]string{}
	for _, r := range formatRules {
		pattern := r.pattern
		for name, text := range expanded {
			pattern = strings.ReplaceAll(pattern, "<"+name+">", text)
		}
		expanded[r.name] = "(?:" + pattern + ")"
		tree, err := ecma.Parse(pattern)
		if err != nil {
			// a mistake in the table below; a test parses it
			panic(fmt.Sprintf("lex: rule %s: %v", r.name, err))
		}
		trees[r.name] = tree
	}
	return trees
})

// formatRules are whole-text patterns; <name> stands for an earlier rule. Spaces are significant.
var formatRules = []struct{ name, pattern string }{
	// RFC 3339 §5.6 and §5.7; February by the calendar of appendix C. Leap seconds only in
	// UTC: with other offsets an automaton would have to remember the minute.
	{"leap-year", `[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00`},
	{"date", `[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|<leap-year>-02-29`},
	{"fraction", `(?:\.[0-9]+)?`},
	{"zone", `[Zz]|[+\-](?:[01][0-9]|2[0-3]):[0-5][0-9]`},
	{"time", `(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]<fraction><zone>|23:59:60<fraction>(?:[Zz]|[+\-]00:00)`},
	{"date-time", `<date>[Tt]<time>`},
	{"wide-time", `(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)<fraction><zone>`},
	{"wide-date-time", `<date>[Tt]<wide-time>`},
	// RFC 3339 appendix A.
	{"dur-time", `T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)`},
	{"duration", `P(?:(?:[0-9]+D|[0-9]+M(?:[0-9]+D)?|[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?)<dur-time>?|<dur-time>|[0-9]+W)`},
	// RFC 4122 §3, any version and variant.
	{"hex", `[0-9A-Fa-f]`},
	{"uuid", `<hex>{8}-<hex>{4}-<hex>{4}-<hex>{4}-<hex>{12}`},
	// RFC 3986 §3.2.2, which RFC 2673 and RFC 4291 agree with.
	{"octet", `25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]`},
	{"ipv4", `(?:<octet>\.){3}<octet>`},
	{"h16", `<hex>{1,4}`},
	{"ls32", `<h16>:<h16>|<ipv4>`},
	{"ipv6", `(?:<h16>:){6}<ls32>|::(?:<h16>:){5}<ls32>|<h16>?::(?:<h16>:){4}<ls32>|(?:(?:<h16>:){0,1}<h16>)?::(?:<h16>:){3}<ls32>` +
		`|(?:(?:<h16>:){0,2}<h16>)?::(?:<h16>:){2}<ls32>|(?:(?:<h16>:){0,3}<h16>)?::<h16>:<ls32>|(?:(?:<h16>:){0,4}<h16>)?::<ls32>` +
		`|(?:(?:<h16>:){0,5}<h16>)?::<h16>|(?:(?:<h16>:){0,6}<h16>)?::`},
	// RFC 1123 §2.1 (with RFC 952): letters, digits, inner hyphens; the whole at most 253
	// characters. A-labels (RFC 5890 §2.3.2.1) end in Punycode (RFC 3492 §6.2), which takes
	// arithmetic to decode. The rule checks only that its last number ends: never with a
	// decimal digit, which is above any threshold, and a first number of one or two digits
	// only with a zero (a).
	{"a-label", `[Xx][Nn]--(?:[Aa][A-Za-z]?|[0-9B-Zb-z][Aa]|[0-9A-Za-z\-]{2,58}[A-Za-z])`},
	{"xn-label", `[Xx][Nn](?:[0-9A-Za-z](?:[0-9A-Za-z\-]{0,59}[0-9A-Za-z])?|-[0-9A-Za-z](?:[0-9A-Za-z\-]{0,58}[0-9A-Za-z])?)`},
	{"x-label", `[Xx](?:[0-9A-Za-z]|[0-9A-MO-Za-mo-z\-][0-9A-Za-z\-]{0,60}[0-9A-Za-z])?`},
	{"label", `[0-9A-WYZa-wyz](?:[0-9A-Za-z\-]{0,61}[0-9A-Za-z])?|<x-label>|<xn-label>|<a-label>`},
	{"labels", `<label>(?:\.<label>)*`},
	// RFC 5321 §4.1.2 and §4.1.3, the local part at most 64 octets (§4.5.3.1.1).
	{"local-part", "[!#-'*+\\-/-9=?A-Z^-~]+(?:\\.[!#-'*+\\-/-9=?A-Z^-~]+)*" + `|"(?:[ !#-\[\]-~]|\\[ -~])*"`},
	{"address-literal", `\[(?:<ipv4>|[Ii][Pp][Vv]6:<ipv6>)\]`},
	// RFC 3986 appendix A.
	{"pct", `%<hex>{2}`},
	{"scheme", `[A-Za-z][A-Za-z0-9+.\-]*`},
	{"ip-literal", `\[(?:<ipv6>|[Vv]<hex>+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+)\]`},
	{"pchar", `[A-Za-z0-9\-._~!$&'()*+,;=:@]|<pct>`},
	{"authority", `(?:(?:[A-Za-z0-9\-._~!$&'()*+,;=:]|<pct>)*@)?(?:<ip-literal>|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|<pct>)*)(?::[0-9]*)?`},
	{"segments", `(?:/<pchar>*)*`},
	{"absolute", `//<authority><segments>|/(?:<pchar>+<segments>)?`},
	{"tail", `(?:\?(?:<pchar>|[/?])*)?(?:#(?:<pchar>|[/?])*)?`},
	{"uri", `<scheme>:(?:<absolute>|<pchar>+<segments>)?<tail>`},
	{"uri-reference", `<uri>|(?:<absolute>|(?:[A-Za-z0-9\-._~!$&'()*+,;=@]|<pct>)+<segments>)?<tail>`},
	// RFC 3987 §2.2.
	{"ucschar", `[\u{A0}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFEF}\u{10000}-\u{1FFFD}\u{20000}-\u{2FFFD}\u{30000}-\u{3FFFD}\u{40000}-\u{4FFFD}` +
		`\u{50000}-\u{5FFFD}\u{60000}-\u{6FFFD}\u{70000}-\u{7FFFD}\u{80000}-\u{8FFFD}\u{90000}-\u{9FFFD}\u{A0000}-\u{AFFFD}\u{B0000}-\u{BFFFD}` +
		`\u{C0000}-\u{CFFFD}\u{D0000}-\u{DFFFD}\u{E1000}-\u{EFFFD}]`},
	{"iprivate", `[\u{E000}-\u{F8FF}\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}]`},
	{"ipchar", `<pchar>|<ucschar>`},
	{"iauthority", `(?:(?:[A-Za-z0-9\-._~!$&'()*+,;=:]|<pct>|<ucschar>)*@)?(?:<ip-literal>|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|<pct>|<ucschar>)*)(?::[0-9]*)?`},
	{"isegments", `(?:/<ipchar>*)*`},
	{"iabsolute", `//<iauthority><isegments>|/(?:<ipchar>+<isegments>)?`},
	{"itail", `(?:\?(?:<ipchar>|<iprivate>|[/?])*)?(?:#(?:<ipchar>|[/?])*)?`},
	{"iri", `<scheme>:(?:<iabsolute>|<ipchar>+<isegments>)?<itail>`},
	{"iri-reference", `<iri>|(?:<iabsolute>|(?:[A-Za-z0-9\-._~!$&'()*+,;=@]|<pct>|<ucschar>)+<isegments>)?<itail>`},
	// RFC 6570 §2, with the apostrophe among the literals (erratum 6937).
	{"varchar", `[A-Za-z0-9_]|<pct>`},
	{"varspec", `<varchar>(?:\.?<varchar>)*(?::[1-9][0-9]{0,3}|\*)?`},
	{"uri-template", `(?:[!#$&-;=?-\[\]_a-z~]|<pct>|<ucschar>|<iprivate>|\{[+#./;?&=,!@|]?<varspec>(?:,<varspec>)*\})*`},
	// RFC 6901 §3; draft-bhutton-relative-json-pointer-00 §3.
	{"json-pointer", `(?:/(?:[^/~]|~[01])*)*`},
	{"relative-json-pointer", `(?:0|[1-9][0-9]*)(?:#|<json-pointer>)`},
	// ECMA-262 §22.2.1, for regexFormat.
	{"regex-escape", `\\(?:[dDwWsStnvfr -\/:-@\[-\x60{-~]|c[A-Za-z]|x<hex>{2}|u(?:<hex>{4}|\{0*(?:<hex>{1,5}|10<hex>{4})\}))`},
	{"regex-member", `[^\\\-\]]|\\b|<regex-escape>`},
	{"regex-range", `(?:[!-,.\/]-[0-9A-Za-z]|[0-9]-[9A-Za-z]|[A-Z]-[Za-z]|[a-z]-z|0-[0-8]|1-[1-8]|A-[A-Y]|a-[a-y])-?`},
	{"regex-class", `\[\^?-?(?:<regex-member>|<regex-range>|\\[dDwWsS]-<regex-member>)*-?\]`},
	{"regex-atom", `[^\^$\\.*+?()\[{|]|\.|\\[1-9]|<regex-escape>|<regex-class>`},
	{"regex-group", `\((?:\?[!:=])?`},
	{"regex-assertion", `[\^$]|\\[bB]|\{[^\^$\\.*+?()\[\]{}|0-9]`},
	{"regex-counts", `[0-9]+,?|0,[0-9]|1,[1-9]|2,[2-9]|3,[3-9]|4,[4-9]|5,[5-9]|6,[6-9]|7,[7-9]|8,[89]|[0-9],[1-9][0-9]+|[1-9][0-9],[1-9][0-9]{2,}` +
		`|1[0-9],[2-9][0-9]|2[0-9],[3-9][0-9]|3[0-9],[4-9][0-9]|[4-8][0-9],9[0-9]|[1-9][0-9]{2},[1-9][0-9]{3,}`},
	{"regex-quantifier", `(?:(?:[*+?]|\{<regex-counts>\})\??)?`},
}

func (a *Arena) hostname() Expr {
	return a.intersect(a.rule("labels"), a.repeat(a.anyRune, 1, 253))
}

func (a *Arena) email() Expr {
	local := a.intersect(a.rule("local-part"), a.repeat(a.anyRune, 1, 64))
	domain := a.union(a.format("hostname", (*Arena).hostname), a.rule("address-literal"))
	return a.concat(local, a.literal("@"), domain)
}
