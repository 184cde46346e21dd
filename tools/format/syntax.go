package format

import (
	"strings"
)

// Syntax is how calls are written, as data: one of JSON, Named, Tagged, Nested, Python and ReAct.
// Its grammar is written by a writer (emit/syntaxes.go) and its text read by a reader
// (scan/reader.go).
type Syntax interface {
	// Openers are the markers that open a region of this syntax by themselves, without a
	// section or call marker around.
	Openers() []string
	// inner are the further markers inside its calls.
	inner() []string
}

// JSON reads calls that are JSON objects, alone, in a row or in an array, also inside a code
// fence. The name is the value of a field, or a key by itself; header says that the name stands
// before an object of arguments instead.
type JSON struct {
	// as the family writes them; every other usual key is read too
	NameKey, ArgsKey, IDKey string
	IntegerID               bool // ids are numbers
	Array                   bool // the family writes an array even for one call
	NameIsKey               bool // {"NAME": {…}}
}

// Openers implements Syntax.
func (c JSON) Openers() []string { return nil }

func (c JSON) inner() []string { return nil }

// Named reads calls whose name stands before a JSON object of arguments:
//
//	CALL = { word | separator } OBJECT
//
// Of the words before the object, one is the name; ids and fixed words may stand beside it.
type Named struct {
	Before    string // a fixed text before the name, as the family writes it
	Separator string // between name and object, as the family writes it
	// between name and id, "" if no id is written or the id is part of the name
	IDMark   string
	Splits   []string // all texts that part the words
	IDFirst  string   // between id and name, where the id comes first
	Index    bool     // the call's number follows the name
	BareKeys bool     // keys are written without quotes
	After    string   // behind the object, before the call's closing marker
	Quotes   []string // delimiters of strings besides JSON's
	Labelled bool     // the words are labels, but for the name
}

// Openers implements Syntax.
func (c Named) Openers() []string { return nil }

func (c Named) inner() []string {
	var all []string
	for _, s := range append(append([]string{}, c.Splits...), c.Quotes...) {
		if strings.ContainsAny(s, "<[|") { // words such as "call:" are common in text
			all = append(all, s)
		}
	}
	return all
}

// Nested reads calls whose arguments are XML all the way down: <k>v</k> for a member, <item> for
// an array's items. Noise stands before every tag and says nothing.
type Nested struct {
	Noise   string
	Call    Span // around the name
	CallEnd string
}

// Openers implements Syntax.
func (c Nested) Openers() []string { return []string{c.Noise + c.Call.Open, c.Call.Open} }

func (c Nested) inner() []string { return []string{c.Noise + c.CallEnd, c.CallEnd, c.Noise} }

// Tagged reads calls whose arguments stand between tags, each value as plain text or JSON:
//
//	CALL = Call.Open NAME Call.Close { Arg.Open KEY Arg.Close [Value] TEXT ArgEnd } CallEnd
//
// With NameFirst, the name is not in a tag but stands right behind the opener of the call.
type Tagged struct {
	Named     string // the tool whose name the call's tag is; "" if a name stands in the tag
	Call      Span   // around the name
	CallEnd   string
	NameFirst bool
	Arg       Span   // around the key; attributes may follow the key inside it
	Value     string // stands between key and text, "" if nothing does
	ArgEnd    string
	// TextAttribute in a key's tag says that the value is plain text, JSONAttribute that it is
	// JSON. Without them the schema says.
	TextAttribute, JSONAttribute string
	// written behind a key: its start; the kind and the tag's end follow
	Attribute string
	// written behind a name: its start; the call's number and the tag's end follow
	Index   string
	NameEnd string // written behind a name that comes first
	Between string // written between the parts of a call
	// Lines: a line break behind the key's tag and one before ArgEnd are layout.
	Lines bool
	// CDATA: text may stand in a CDATA section, inside of which nothing ends it.
	CDATA bool
}

// Openers implements Syntax.
func (c Tagged) Openers() []string {
	if c.NameFirst {
		return nil
	}
	return []string{c.Call.Open}
}

func (c Tagged) inner() []string {
	var all []string
	for _, s := range []string{c.CallEnd, c.Arg.Open, c.Arg.Close, c.Value, c.ArgEnd, c.NameEnd} {
		if len(s) > 3 { // "> and > are no markers by themselves
			all = append(all, s)
		}
	}
	return all
}

// Python reads calls written as in Python, in a list or one per line: [f(a=1, b="x"), g()]
type Python struct {
	Listed bool   // the family writes a list even for one call
	Method string // written behind the name, such as ".call"
	Assign string // written between a key and its value, "=" if empty
	// written between calls that stand in no list, "" for what the family's layout says
	Between string
	Quote   string // what the family writes around strings, "" for JSON's
	// around calls, with its line breaks: of code, or a word, and no marker; zero if they
	// stand in none
	Fence Span
}

// Openers implements Syntax.
func (c Python) Openers() []string { return nil }

func (c Python) inner() []string { return nil }

// ReAct reads a call in lines: the name behind "Action:", the arguments behind "Action Input:".
type ReAct struct{ Action, Input string }

// Openers implements Syntax.
func (c ReAct) Openers() []string { return nil }

func (c ReAct) inner() []string { return nil }

// Spelt is the syntax with its bars as an opener has them.
func (c Tagged) Spelt(opener string) Tagged {
	if strings.Contains(opener, "｜") || !strings.Contains(opener, "|") {
		return c
	}
	for _, t := range []*string{&c.Call.Open, &c.CallEnd, &c.Arg.Open, &c.ArgEnd} {
		*t = strings.ReplaceAll(*t, "｜", "|")
	}
	return c
}

// What is around text in XML in which nothing is markup.
const (
	CDATAOpen  = "<![CDATA["
	CDATAClose = "]]>"
)

// FunctionTags is how many families write calls, and models of others slip into.
var FunctionTags = Tagged{
	Call: Span{"<function=", ">"}, CallEnd: "</function>",
	Arg: Span{"<parameter=", ">"}, ArgEnd: "</parameter>", Lines: true,
}

// CommonThinking is what most thinking models write around their thoughts.
var CommonThinking = Span{"<think>", "</think>"}

// InvokeTags is another, of what those learnt from that were taught with Anthropic's models'
// calls.
var InvokeTags = Tagged{
	Call: Span{`<invoke name="`, `">`}, CallEnd: "</invoke>",
	Arg: Span{`<parameter name="`, `">`}, ArgEnd: "</parameter>",
}

// ParamTags is the same with other words.
var ParamTags = Tagged{
	Call: Span{`<function name="`, `">`}, CallEnd: "</function>",
	Arg: Span{`<param name="`, `">`}, ArgEnd: "</param>", CDATA: true,
}

// PairTags is another, with a name before pairs of key and value (GLM and its relatives).
var PairTags = Tagged{
	NameFirst: true,
	Arg:       Span{"<arg_key>", "</arg_key>"}, Value: "<arg_value>", ArgEnd: "</arg_value>",
}

// Labelled is how models of any family write the two parts of a call with their names: as
// elements, or each on a line of its own.
var Labelled = Named{
	Splits: []string{
		"<name>", "</name>", "<tool_name>", "</tool_name>", "<function>", "</function>", "<arguments>", "<parameters>", "<args>",
		"name:", "tool:", "tool_name:", "function:", "arguments:", "parameters:", "args:", "Name:", "Arguments:", "\n",
	},
	Labelled: true,
}

// CallLabels are the texts that may begin a call whose words are labels.
var CallLabels = []string{"<name>", "<tool_name>", "<function>", "name:", "tool:", "tool_name:", "function:", "Name:"}

// LabelsBehind are the texts that may close the arguments of such a call.
var LabelsBehind = []string{"</arguments>", "</parameters>", "</args>"}

// What stands around the JSON of a family that writes it in a code fence.
const (
	FenceOpen = "```json"
	FenceMark = "```"
)

// TagOpens are the ways in which a tag may begin that has a name or a key in it: <function= is
// written <function name= too.
func TagOpens(start string) []string {
	all := []string{TagOpen(start)}
	if a := AttributeTag(start); a != "" {
		all = append(all, a)
	}
	return all
}

// AttributeTag is a tag's start of which the name is the value, with the name as an attribute; ""
// if that is how it is.
func AttributeTag(start string) string {
	tag, ok := strings.CutSuffix(start, "=")
	if !ok || strings.Contains(tag, " ") {
		return ""
	}
	return tag + " name="
}

// TagOpen is a tag's start without the quote that may open an attribute: models leave it out or
// write another.
func TagOpen(start string) string { return strings.TrimSuffix(start, `"`) }

// TagClose is a tag's end without the quote that may close an attribute.
func TagClose(end string) string {
	if end == "" {
		return "\n"
	}
	return strings.TrimPrefix(end, `"`)
}
