package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tenon/grammar"
	"tenon/tools/conform"
	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/peek"
	"tenon/tools/turn"
)

// Plan is everything about a turn that does not depend on what the model writes. It is immutable
// and may be shared.
type Plan struct {
	Dialect *format.Dialect
	Turn    turn.Turn
	Tools   []declared.Tool
	Names   declared.Names
	// Callable: the turn may hold calls.
	Callable bool

	Markers     *format.MarkerSet
	Terminators peek.Texts
	Inner       map[string]bool     // markers that stand within calls
	TurnEnds    peek.Texts          // those among them that are no part of calls
	Behind      []string            // markers that may stand behind a call, or a part of one
	Closers     map[string][]string // by opener: the markers that close its region
	NameKeys    []string            // keys whose value is a call's name
	ArgsKeys    []string            // keys whose value is a call's arguments
	CallKeys    []string            // keys that an object which is a call may have
	MaxHead     int                 // most bytes that may stand before a call's arguments
	Longest     int                 // bytes of the longest marker
	Issues      []grammar.Issue

	Called []string // names of the tools that can be called, sorted
	normal []string // the same in their normal spelling, sorted
}

// headRoom is how much longer than a name what stands around it may be: an id, fixed words,
// markers.
const headRoom = 160

// Prepare makes the plan of a turn. The error is a *ToolError, or the turn's Stop's.
func Prepare(d *format.Dialect, t turn.Turn) (*Plan, error) {
	p := &Plan{Dialect: d, Turn: t, NameKeys: declared.NameKeys, ArgsKeys: declared.ArgsKeys, CallKeys: declared.CallKeys}
	// a derived dialect may have keys of its own
	if c, ok := d.Syntaxes[0].(format.JSON); ok && !c.NameIsKey {
		p.NameKeys = append([]string{c.NameKey}, declared.NameKeys...)
		p.ArgsKeys = append([]string{c.ArgsKey}, declared.ArgsKeys...)
		p.CallKeys = append([]string{c.NameKey, c.ArgsKey, c.IDKey}, declared.CallKeys...)
	}
	if err := p.declare(t.Tools); err != nil {
		return nil, err
	}
	p.Turn.Stop = nil // plans are kept
	if err := p.choose(t.Choice); err != nil {
		return nil, err
	}
	p.Mark()
	p.List()
	for _, t := range p.Tools {
		p.MaxHead = max(p.MaxHead, len(t.Prompt)+headRoom)
	}
	return p, nil
}

// List takes down the names of the tools that can be called.
func (p *Plan) List() {
	for _, t := range p.Tools {
		if t.Allowed {
			p.Called = append(p.Called, t.Prompt)
			p.normal = append(p.normal, conform.Normal(t.Prompt))
		}
	}
	slices.Sort(p.Called)
	slices.Sort(p.normal)
}

// mostCopies bounds what the definitions of a turn's schemas take where each argument has its own
// copy: a short schema may refer to a long one many times.
const mostCopies = 16 << 20

// declare takes the tools of the turn. The error is a *ToolError, or the turn's Stop's.
func (p *Plan) declare(tools []turn.Tool) error {
	flat, copied, members := turn.PromptNames(tools), 0, 0
	seen := map[[2]string]bool{}
	for i, t := range tools {
		if err := p.stopped(); err != nil {
			return err
		}
		if bad := misnamed(t, seen); bad != "" {
			return &turn.ToolError{Index: i, Name: t.Name, Field: "name", Message: bad}
		}
		params, bad := parameters(t)
		if bad != "" {
			return &turn.ToolError{Index: i, Name: t.Name, Field: "parameters", Message: bad}
		}
		if t.Freeform == nil && len(t.Parameters) > 0 {
			t.Parameters = declared.Heal(t.Parameters)
		}
		params, _ = declared.Arguments(params)
		schema, err := conform.CompileUntil(params, p.Turn.Stop)
		if err != nil {
			return err
		}
		d := declared.Tool{Tool: t, Prompt: flat[i], Schema: schema}
		if err := d.CheckSchema(params, p.Turn.Stop); err != nil {
			if p.stopped() != nil {
				return err
			}
			return &turn.ToolError{Index: i, Name: t.Name, Field: "parameters", Message: err.Error()}
		}
		d.Compile()
		if copied += d.Copies(); copied > mostCopies {
			d.Unsat = fmt.Sprintf("with it the definitions of the tools' schemas take more than %d bytes where arguments refer to them", mostCopies)
		} else {
			d.Members = d.Properties(declared.MostMasked - members)
			members += len(d.Members)
		}
		d.Held = !p.exact(p.Dialect.Syntaxes[0], &d)
		p.Issues = append(p.Issues, d.Issues...)
		if d.Unsat != "" {
			p.Issues = append(p.Issues, grammar.Issue{Tool: t.Name, Action: declared.Uncallable, Why: d.Unsat})
		}
		p.Tools = append(p.Tools, d)
		p.Names.Add(flat[i], i)
	}
	return nil
}

func (p *Plan) stopped() error {
	if p.Turn.Stop == nil {
		return nil
	}
	return p.Turn.Stop()
}

// misnamed says what is wrong with a tool's name beside those seen before it.
func misnamed(t turn.Tool, seen map[[2]string]bool) string {
	switch name := [2]string{t.Namespace, t.Name}; {
	case strings.TrimSpace(t.Name) == "":
		return "a tool needs a name"
	case len(t.Name) > turn.MaxName:
		return fmt.Sprintf("longer than %d bytes", turn.MaxName)
	case seen[name]:
		return "declared twice"
	default:
		seen[name] = true
		return ""
	}
}

// parameters is the schema of a tool's arguments, or what is wrong with it. None means any
// arguments.
func parameters(t turn.Tool) (schema json.RawMessage, wrong string) {
	schema = t.Parameters
	if t.Freeform != nil {
		schema = declared.Schema(t.Freeform)
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
func (p *Plan) choose(c turn.Choice) error {
	named, err := p.named(c.Names)
	if err != nil {
		return err
	}
	for i := range p.Tools {
		t := &p.Tools[i]
		t.Allowed = t.Unsat == "" && c.Mode != turn.None && (len(c.Names) == 0 || named[i])
		p.Callable = p.Callable || t.Allowed
	}
	if c.Mode == turn.Required && !p.Callable {
		return &turn.ToolError{Index: -1, Field: "tool_choice", Message: "a call is required and no tool can be called" + p.reasons()}
	}
	return nil
}

// reasons say of the first tools that cannot be called why that is.
func (p *Plan) reasons() (all string) {
	const most = 500
	for _, t := range p.Tools {
		if t.Unsat != "" && len(all) < most {
			all += "; " + t.Name + ": " + t.Unsat
		}
	}
	return all
}

// named are the tools that a choice means by names: with the namespace or, if there are none of
// that name, without.
func (p *Plan) named(names []string) (map[int]bool, error) {
	places, whole, all := map[string][]int{}, map[string][]int{}, map[int]bool{}
	for i, t := range p.Tools {
		prompt := turn.PromptName(t.Namespace, t.Name)
		places[t.Name], whole[prompt] = append(places[t.Name], i), append(whole[prompt], i)
	}
	maps.Copy(places, whole)
	for _, n := range names {
		if len(places[n]) == 0 {
			return nil, &turn.ToolError{Index: -1, Field: "tool_choice", Message: fmt.Sprintf("no tool is named %q; declared are %s", n, p.nameList())}
		}
		for _, i := range places[n] {
			all[i] = true
		}
		places[n] = places[n][:1] // it may be named again
	}
	return all, nil
}

func (p *Plan) nameList() string {
	var all []string
	for _, t := range p.Tools {
		all = append(all, t.Name)
	}
	return strings.Join(all, ", ")
}

// Mark decides which markers the turn's text loses.
func (p *Plan) Mark() {
	d := p.Dialect
	p.Closers = map[string][]string{}
	for _, m := range d.AllMarkers() {
		if m.Role != format.RoleCall {
			continue
		}
		p.Closers[m.Text] = d.Bare(d.ClosersOf(d.Written(m.Text)))
	}
	terminators, ends := d.Terminators()
	p.Terminators, p.TurnEnds = peek.NewTexts(terminators), peek.NewTexts(ends)
	p.Inner = d.InnerMarkers()
	p.Behind = d.Bare(slices.Concat(d.Closers(), d.Ends, slices.Sorted(maps.Keys(p.Inner))))
	all := d.AllMarkers()
	if len(p.Turn.Tools) == 0 {
		all = slices.DeleteFunc(all, func(m format.Marker) bool {
			own := m.Role == format.RoleThinkOpen || m.Role == format.RoleThinkClose || m.Role == format.RoleHeader || m.Role == format.RoleText || m.Role == format.RoleEnd
			return !own && !format.IsControl(m.Text)
		})
	}
	p.Markers = format.NewMarkerSet(all)
	for _, m := range all {
		p.Longest = max(p.Longest, len(m.Text))
	}
}

// PromptTools are the tools as the prompt should show them: namespaces are part of the name, and a
// tool with free input takes it as its only argument.
func (p *Plan) PromptTools() []turn.Tool {
	all := make([]turn.Tool, len(p.Tools))
	for i, t := range p.Tools {
		all[i] = t.Tool
		all[i].Name, all[i].Namespace = t.Prompt, ""
		if t.Freeform != nil {
			all[i].Parameters, all[i].Freeform = t.Wire, nil
		}
	}
	return all
}

// Resolve finds the callable tool that a model means by name.
func (p *Plan) Resolve(name string) (declared.Match, bool) {
	m, ok := p.Names.Find(name)
	if !ok || !p.Tools[m.Tool].Allowed {
		return declared.Match{}, false
	}
	return m, true
}

// exact tells whether the grammar of a tool's calls enforces the tool's whole schema. Into lists
// and objects that a format writes in its own way the mask does not follow it: that is reported.
func (p *Plan) exact(s format.Syntax, t *declared.Tool) bool {
	follows := func(declared.Property) bool { return true }
	switch s := s.(type) {
	case format.Named:
		if !s.BareKeys {
			return t.Enforced()
		}
		follows = declared.Property.PlainOrNull
	case format.Nested:
		follows = declared.Property.Plain
	case format.Tagged, format.Python:
	default:
		return t.Enforced()
	}
	if t.Loose {
		p.Issues = append(p.Issues, grammar.Issue{Tool: t.Name, Pointer: "/properties", Keyword: "properties", Action: grammar.Checked,
			Why: fmt.Sprintf("of a turn's arguments beyond the first %d only the types are enforced: the rest is checked once the call is whole", declared.MostMasked)})
	}
	for _, m := range t.Members {
		if m.Kind != declared.KindInput && !follows(m) {
			p.Issues = append(p.Issues, grammar.Issue{Tool: t.Name, Pointer: "/properties/" + m.Key, Keyword: "properties", Action: grammar.Checked,
				Why: "the format writes lists and objects in its own way: they are checked once the call is whole"})
		}
	}
	return t.EnforcedMembers(follows)
}

// Fits tells whether all of some calls may be sent.
func (p *Plan) Fits(calls []declared.RawCall) bool {
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(c declared.RawCall) bool {
		m, ok := p.Resolve(c.Name)
		if !ok || c.Err != nil || len(c.Beside) > 0 {
			return true
		}
		t := &p.Tools[m.Tool]
		args, err := t.Arguments(&c)
		if err == nil {
			_, _, err = t.Schema.Conform(args)
		}
		return err != nil
	})
}

// ArgumentsOf is the shape of the arguments of the tools that a text names; of all if it names
// none.
func (p *Plan) ArgumentsOf(text []byte) lenient.Shape {
	var all []lenient.Shape
	for _, named := range []bool{true, false} {
		for i := range p.Tools {
			t := &p.Tools[i]
			if t.Allowed && (!named || bytes.Contains(text, []byte(`"`+t.Prompt+`"`))) {
				all = append(all, t.Shape())
			}
		}
		if len(all) > 0 {
			break
		}
	}
	if slices.ContainsFunc(all, func(s lenient.Shape) bool { return s == nil }) {
		return nil
	}
	return func(key string) (lenient.Shape, bool) {
		for _, s := range all {
			if inside, ok := s(key); ok {
				return inside, true
			}
		}
		return nil, false
	}
}

// MayOpen tells whether a marker, or a name that can be called, begins with a byte: the next call
// may stand there.
func (p *Plan) MayOpen(c byte) bool {
	return c == '<' || c == '>' || p.Dialect.Headers != nil || p.Markers.Begin(c) || slices.ContainsFunc(p.Called, func(name string) bool { return name[0] == c })
}

// Routed tells whether the turn begins with a routing thought. A family whose prompts end with the
// mark that a name follows (Functionary v3.2) has no place for one: anything else there would be
// the name of a tool, or text for the user.
func (p *Plan) Routed() bool {
	t := p.Turn
	return t.Thinking.Routing && !t.Thinking.Open && t.Answer == nil && p.Callable && p.Dialect.Lead == ""
}

// RoutedLine tells whether the routing thought is a line of its own at the start of the turn.
func (p *Plan) RoutedLine() bool {
	return p.Routed() && p.Dialect.Headers == nil && len(p.Dialect.Labels) == 0
}
