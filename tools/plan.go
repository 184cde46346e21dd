package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"tenon/grammar"
	"tenon/grammar/gbnf"
	"tenon/tools/conform"
)

// ToolError is a tool definition or a choice that cannot be served.
type ToolError struct {
	Index   int    // of the tool; -1: the choice
	Name    string // of the tool, if it has one
	Field   string // "name", "parameters", "tool_choice"
	Message string
}

func (e *ToolError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("%s: %s", e.Field, e.Message)
	}
	return fmt.Sprintf("tools[%d] %q: %s: %s", e.Index, e.Name, e.Field, e.Message)
}

// maxName is the longest name of a tool, as OpenAI and Anthropic limit it, with room for a namespace.
const maxName = 256

// Plan is everything about a turn that does not depend on what the model writes. It is immutable and may be shared.
type Plan struct {
	dialect *Dialect
	turn    Turn
	tools   []declared
	names   names
	// callable: the turn may hold calls.
	callable bool

	markers     *markerSet
	terminators []string
	inner       map[string]bool     // markers that stand within calls
	turnEnds    []string            // those among them that are no part of calls
	codecs      map[string][]codec  // by opener: what may read its region
	inWraps     map[string]codec    // by the tag of a call that other tags may stand around: what reads it
	closers     map[string][]string // by opener: the markers that close its region
	nameKeys    []string            // keys whose value is a call's name
	argsKeys    []string            // keys whose value is a call's arguments
	maxHead     int                 // most bytes that may stand before a call's arguments
	longest     int                 // bytes of the longest marker
	grammar     string
	issues      []grammar.Issue
	cueBytes    [256]bool // bytes that may start a cue
	cueWords    []string  // cues that begin with other bytes than brackets and the like

	guest  bool       // another family's turn is read
	guests *markerSet // of other families that begin calls; nil: none
	hosts  *sync.Map  // by dialect: the plans by which those are read

	called      []string // names of the tools that can be called, sorted
	normal      []string // the same in their normal spelling, sorted
	heads       []callHead
	headBytes   [256]bool // bytes that may start a head
	longestHead int       // bytes
}

// declared is a tool as the model sees it.
type declared struct {
	Tool
	prompt  string          // the name in the prompt
	wire    json.RawMessage // the schema, compact
	schema  *conform.Schema
	issues  []grammar.Issue
	unsat   string // why no arguments can validate
	allowed bool
	members []property       // the arguments, where each has a place of its own
	held    bool             // arguments are validated before any of them is sent: the mask enforces only a part of the schema
	text    *grammar.Grammar // of a free-form tool's input; nil: any
	quoted  *gbnf.Grammar    // of the same inside a JSON string, where it is not a regular expression
}

// headRoom is how much longer than a name what stands around it may be: an id, fixed words, markers.
const headRoom = 160

// prepare makes the plan of a turn. The error is a *ToolError.
func (d *Dialect) prepare(t Turn) (*Plan, error) {
	p := &Plan{dialect: d, turn: t, nameKeys: nameKeys, argsKeys: argsKeys}
	if c, ok := d.codecs[0].(jsonCodec); ok && !c.nameIsKey { // a derived dialect may have keys of its own
		p.nameKeys = append([]string{c.nameKey}, nameKeys...)
		p.argsKeys = append([]string{c.argsKey}, argsKeys...)
	}
	if err := p.declare(t.Tools); err != nil {
		return nil, err
	}
	if err := p.choose(t.Choice); err != nil {
		return nil, err
	}
	p.mark()
	p.cueUp()
	p.behead()
	p.inviteGuests()
	for _, t := range p.tools {
		p.maxHead = max(p.maxHead, len(t.prompt)+headRoom)
	}
	p.grammar = p.grammarText()
	return p, nil
}

// declare takes the tools of the turn. The error is a *ToolError.
func (p *Plan) declare(tools []Tool) error {
	flat := promptNames(tools)
	for i, t := range tools {
		if bad := p.misnamed(t); bad != "" {
			return &ToolError{Index: i, Name: t.Name, Field: "name", Message: bad}
		}
		params, bad := t.parameters()
		if bad != "" {
			return &ToolError{Index: i, Name: t.Name, Field: "parameters", Message: bad}
		}
		if t.Freeform == nil && len(t.Parameters) > 0 {
			t.Parameters = Heal(t.Parameters)
		}
		params, _ = Arguments(params)
		d := declared{Tool: t, prompt: flat[i], schema: conform.Compile(params)}
		if err := d.judge(params); err != nil {
			return &ToolError{Index: i, Name: t.Name, Field: "parameters", Message: err.Error()}
		}
		d.compile()
		d.members = d.properties()
		d.held = !p.dialect.codecs[0].exact(&d)
		p.issues = append(p.issues, d.issues...)
		p.tools = append(p.tools, d)
		p.names.add(flat[i], i)
	}
	return nil
}

// misnamed says what is wrong with a tool's name beside those declared before it.
func (p *Plan) misnamed(t Tool) string {
	same := func(o declared) bool { return o.Name == t.Name && o.Namespace == t.Namespace }
	switch {
	case strings.TrimSpace(t.Name) == "":
		return "a tool needs a name"
	case len(t.Name) > maxName:
		return fmt.Sprintf("longer than %d bytes", maxName)
	case slices.ContainsFunc(p.tools, same):
		return "declared twice"
	}
	return ""
}

// parameters is the schema of a tool's arguments, or what is wrong with it. None means any arguments.
func (t Tool) parameters() (schema json.RawMessage, wrong string) {
	schema = t.Parameters
	if t.Freeform != nil {
		schema = t.Freeform.schema()
	}
	schema = bytes.TrimSpace(schema)
	switch {
	case len(schema) == 0:
	case !json.Valid(schema):
		return nil, "not JSON"
	case schema[0] == '{':
		return schema, ""
	case string(schema) != "true" && string(schema) != "null":
		return nil, "a JSON Schema is an object"
	}
	return json.RawMessage(`{"type":"object"}`), ""
}

// choose finds out which tools the turn may call.
func (p *Plan) choose(c Choice) error {
	named := map[int]bool{}
	for _, n := range c.Names {
		those := p.named(n)
		if len(those) == 0 {
			return &ToolError{Index: -1, Field: "tool_choice", Message: fmt.Sprintf("no tool is named %q; declared are %s", n, p.nameList())}
		}
		for _, i := range those {
			named[i] = true
		}
	}
	for i := range p.tools {
		t := &p.tools[i]
		t.allowed = t.unsat == "" && c.Mode != None && (len(c.Names) == 0 || named[i])
		p.callable = p.callable || t.allowed
	}
	if c.Mode == Required && !p.callable {
		return &ToolError{Index: -1, Field: "tool_choice", Message: "a call is required and no tool can be called"}
	}
	return nil
}

// named are the tools that a choice means by a name: with the namespace or, if there are none of that name, without.
func (p *Plan) named(name string) (all []int) {
	for _, whole := range []bool{true, false} {
		for i, t := range p.tools {
			if whole && PromptName(t.Namespace, t.Name) == name || !whole && t.Name == name {
				all = append(all, i)
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

func (p *Plan) nameList() string {
	var all []string
	for _, t := range p.tools {
		all = append(all, t.Name)
	}
	return strings.Join(all, ", ")
}

// mark decides which markers the turn's text loses.
func (p *Plan) mark() {
	d := p.dialect
	p.closers = map[string][]string{}
	p.codecs = map[string][]codec{"": d.regionCodecs("")}
	for _, m := range d.markers() {
		if m.role != roleCall {
			continue
		}
		p.closers[m.text] = d.closersOf(d.written(m.text))
		p.codecs[m.text] = d.regionCodecs(m.text)
	}
	p.terminators, p.turnEnds = d.terminators()
	p.inner = d.innerMarkers()
	p.inWraps = map[string]codec{invokeTags.call.open: invokeTags}
	for _, c := range d.codecs {
		for _, t := range c.openers() {
			p.inWraps[t] = c
		}
	}
	all := d.markers()
	if len(p.turn.Tools) == 0 {
		all = slices.DeleteFunc(all, func(m marker) bool {
			own := m.role == roleThinkOpen || m.role == roleThinkClose || m.role == roleHeader || m.role == roleText || m.role == roleEnd
			return !own && !isControl(m.text)
		})
	}
	p.markers = newMarkerSet(all)
	for _, m := range all {
		p.longest = max(p.longest, len(m.text))
	}
}

// closersOf lists the markers that close a region which opener opened.
func (d *Dialect) closersOf(opener string) []string {
	var all []string
	if d.call.close != "" {
		all = append(all, d.spellings(d.call.close)...)
	}
	if d.section.close != "" && (opener == d.section.open || d.call.close == "") {
		all = append(all, d.spellings(d.section.close)...)
	}
	return all
}

// Tools are the tools as the prompt should show them: namespaces are part of the name, and a tool with free input takes it
// as its only argument.
func (p *Plan) Tools() []Tool {
	all := make([]Tool, len(p.tools))
	for i, t := range p.tools {
		all[i] = t.Tool
		all[i].Name, all[i].Namespace = t.prompt, ""
		if t.Freeform != nil {
			all[i].Parameters, all[i].Freeform = t.wire, nil
		}
	}
	return all
}

// Grammar is what the turn's whole output must match, as extended GBNF: thinking, text and calls.
func (p *Plan) Grammar() string { return p.grammar }

// Shortest is how many bytes the shortest output has that Grammar allows; a symbol counts as one.
func (p *Plan) Shortest() int {
	g, err := p.compiled()
	if err != nil {
		return 0 // no engine follows it
	}
	return g.Matcher(nil).Distance()
}

// Issues tells of every tool which keywords of its schema the grammar does not enforce.
func (p *Plan) Issues() []grammar.Issue { return p.issues }

// Uncallable tells of the tools that no arguments can fit why that is, by name.
func (p *Plan) Uncallable() map[string]string {
	all := map[string]string{}
	for _, t := range p.tools {
		if t.unsat != "" {
			all[t.Name] = t.unsat
		}
	}
	return all
}

// Parser returns a parser for output that was made under Grammar, by an engine that tells symbols from text.
func (p *Plan) Parser() Parser {
	g, err := p.compiled()
	if err != nil {
		return p.SymbolParser() // no engine can have followed it
	}
	return newCaptureParser(p, g)
}

// SymbolParser returns a parser for the output of an engine that tells symbols from text and follows no grammar.
func (p *Plan) SymbolParser() Parser { return newTolerant(p, false) }

// TextParser returns a parser for text without token ids: from a remote engine, from a file, from a client's history.
// Markers are recognised by their spelling.
func (p *Plan) TextParser() Parser { return newTolerant(p, true) }

// resolve finds the callable tool that a model means by name.
func (p *Plan) resolve(name string) (match, bool) {
	m, ok := p.names.find(name)
	if !ok || !p.tools[m.tool].allowed {
		return match{}, false
	}
	return m, true
}
