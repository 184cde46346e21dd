package prepared

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/templates"
	"tenon/templates/schema"
	"tenon/tools"
	"tenon/tools/conform"
)

// Model is a loaded model and how to talk to it.
type Model struct {
	ID       string
	Engine   engine.Engine
	Renderer templates.Renderer
	// how the prompt explains calls where a request does not say; Auto: as the template does
	Protocol templates.Protocol
	Dialect  *tools.Dialect
	Thinks   bool // its template knows thinking
	OneCall  bool // it makes one call a turn, unless a request asks for several

	// source of the chat template in use, for the record; "": the built-in rendering
	Template   string
	ToolFormat string // the server's setting, for the record
	Teaching   Teaching
	// what a request does not set; what this does not either, the model's file does
	Sampling engine.Sampling
	// what that does not set either
	Defaults engine.Sampling
	// what whoever runs the model should know, such as why its chat template is not used
	Warnings []string

	Sampled *SampledTurns // what it sampled; nil: nothing is kept
}

// Options say how a model is talked to. The zero value finds everything out by itself.
type Options struct {
	ToolFormat string // "", "auto" or a dialect's name
	Teaching   Teaching
	Sampling   engine.Sampling
	Defaults   engine.Sampling
	StateDir   string // where what was found out of templates is kept; "": nowhere
}

// Teaching is how a model is helped with its tools, for models that get lost in what clients
// declare.
type Teaching struct {
	Simplify schema.Simplification `json:"simplify"`
	// rules and examples of calls in the system message
	Guidance bool `json:"guidance"`
	// Routing is how many tokens a model that does not think has for saying which tool it
	// means before it calls one; it is sent as reasoning. 0: none. A request that turns
	// thinking off has none either.
	Routing int `json:"routing,omitempty"`

	Retries *int    `json:"retries,omitempty"` // of a turn with an invalid call; nil: one
	Repeats Repeats `json:"repeats,omitempty"`
	// tools whose calls are guessed from text without calls
	Guess []string `json:"guess,omitempty"`
	// Leaked is whether calls that stand in an earlier assistant's text are read as such; nil:
	// they are.
	Leaked  *bool             `json:"leaked_calls,omitempty"`
	Wording templates.Wording `json:"wording,omitzero"`
}

// Repeats says what becomes of calls that a model makes again.
type Repeats string

// "": they are dropped where the model writes in tenon's own format, and a model without a chat
// template makes one call a turn.
const (
	AllowRepeats Repeats = "allow"
	DropRepeats  Repeats = "drop"
)

// Prepare finds out how to talk to a model. A chat template in the model's file that cannot be
// used costs the model its own prompt format, not its service: the built-in rendering takes over,
// and the log says why. One that is named in its place must be usable.
func Prepare(entry catalog.Entry, e engine.Engine, o Options) (Model, error) {
	info := e.Model()
	if info.Can.Chat != "" {
		m := forwarding(entry, e, o)
		return m, m.setFormat()
	}
	source, err := entry.ChatTemplate(info.Template)
	if err != nil {
		return Model{}, err
	}
	markers := MarkerTexts(info)
	m := Model{
		ID: entry.ID, Engine: e, Dialect: tools.Fallback(), Sampled: NewSampledTurns(),
		Renderer: templates.Builtin{Simplify: o.Teaching.Simplify, Guidance: o.Teaching.Guidance, Fits: fits, Wording: o.Teaching.Wording},
		Template: source, ToolFormat: o.ToolFormat, Teaching: o.Teaching, Sampling: o.Sampling, Defaults: o.Defaults,
	}
	if source == "" {
		// Nobody taught it where a turn ends: Gemma 3 270M goes on with other calls in
		// most of its turns, and its first call alone is right more often.
		m.OneCall = o.Teaching.Repeats == ""
		return m, m.setFormat()
	}
	cached := loadFindings(o.StateDir, source, info.Vocab.BOS, info.Vocab.EOS, markers)
	t, err := templates.Parse(source, templates.Options{
		Recall: cached.findings,
		BOS:    info.Vocab.BOS, EOS: info.Vocab.EOS, Markers: markers, Simplify: o.Teaching.Simplify, Guidance: o.Teaching.Guidance, Fits: fits, Wording: o.Teaching.Wording,
		CallWriter: func(p templates.Probe) templates.WriteCalls { return CallWriter(source, p) },
	})
	if err != nil && entry.Template != "" {
		return Model{}, fmt.Errorf("chat template of %s: %s: %w", entry.ID, entry.Template, err)
	}
	if err != nil {
		m.Warnings = append(m.Warnings, "the chat template cannot be used, the built-in rendering takes over: "+err.Error())
		return m, m.setFormat()
	}
	m.Renderer = t
	m.Thinks = len(t.Probe().ThinkingMarkers) > 0 || t.Probe().PrefilledThought
	evidence := EvidenceOf(source, info.Vocab.EOS, markers, t.Probe())
	evidence.Bound = cached.Bound
	bound := tools.Bind(evidence)
	m.Dialect = &tools.Dialect{Dialect: bound.Dialect}
	cached.save(bound.Name)
	if m.Dialect.Ours {
		// the template may show calls, but no dialect reads them
		m.Protocol = templates.JSON
	}
	return m, m.setFormat()
}

// forwarding is a model whose upstream renders conversations and parses calls by itself. Its chat
// template is not known, nor needed. Where it takes no tools they are told in words.
func forwarding(entry catalog.Entry, e engine.Engine, o Options) Model {
	m := Model{
		ID: entry.ID, Engine: e, Thinks: true, Sampled: NewSampledTurns(), Dialect: tools.Fallback(), Protocol: templates.JSON,
		Renderer:   templates.Forward{Simplify: o.Teaching.Simplify, Guidance: o.Teaching.Guidance, Fits: fits, Wording: o.Teaching.Wording},
		ToolFormat: o.ToolFormat, Teaching: o.Teaching, Sampling: o.Sampling, Defaults: o.Defaults,
	}
	if e.Model().Can.Asks(engine.ChatTools) {
		d, _ := tools.Lookup(symbolFamily) // it is one of package tools'
		m.Dialect, m.Protocol = &tools.Dialect{Dialect: d.With(engine.ChatMarkers[:])}, templates.Auto
	}
	if entry.Template != "" {
		m.Warnings = append(m.Warnings, "the chat template is not used: the upstream renders conversations by its own")
	}
	return m
}

// fits is a templates.Fits.
func fits(declared, arguments json.RawMessage) bool {
	return declared == nil || len(conform.Compile(declared).Faults(arguments)) == 0
}

// setFormat applies the server's own tool_format.
func (m *Model) setFormat() error {
	d, protocol, ok := m.Format(m.ToolFormat)
	if !ok {
		return fmt.Errorf("tool_format %s", WrongFormat(m.ToolFormat))
	}
	m.Dialect, m.Protocol = d, protocol
	return nil
}

// Format resolves a tool_format: which dialect the model writes, and which protocol the prompt
// explains.
func (m Model) Format(name string) (d *tools.Dialect, p templates.Protocol, ok bool) {
	switch p := templates.Protocol(strings.ToLower(name)); p {
	case templates.Auto, "auto", templates.Native:
		return m.Dialect, m.Protocol, true
	case templates.JSON, templates.ReAct:
		d, _ := tools.Lookup(string(p)) // both are families of package tools
		return d, p, true
	case templates.XML:
		d, _ := tools.Lookup(xmlFamily)
		slog.Warn("tool_format xml is deprecated: json and react need fewer tokens and are no less strict", "model", m.ID)
		return d, p, true
	}
	d, ok = tools.Lookup(name)
	// an upstream that chats reads calls by itself
	return d, templates.Native, ok && m.Engine.Model().Can.Chat == ""
}

// xmlFamily writes calls as the legacy format xml does, symbolFamily as engines that chat do.
const xmlFamily, symbolFamily = "hermes", "hermes"

// WrongFormat says what a tool_format that is none should have been.
func WrongFormat(name string) string {
	return fmt.Sprintf("is %q; expected auto, json, react, xml (deprecated) or a family that tenon families lists", name)
}

// CallWriter is how the family of a template that shows no calls writes them, nil if none is
// known.
func CallWriter(source string, p templates.Probe) templates.WriteCalls {
	d := tools.Detect(EvidenceOf(source, "", nil, p))
	if d.Ours {
		return nil
	}
	if _, ok := d.Write(nil); !ok {
		return nil
	}
	return func(calls []templates.Call) []templates.Written {
		list := make([]tools.Call, len(calls))
		for i, c := range calls {
			list[i] = tools.Call{Name: c.Name, Arguments: json.RawMessage(c.Arguments)}
		}
		pieces, _ := d.Write(list) // as above
		out := make([]templates.Written, len(pieces))
		for i, p := range pieces {
			out[i] = templates.Written(p)
		}
		return out
	}
}

// EvidenceOf is what a template, its probe and the vocabulary show of a model's way of calling.
func EvidenceOf(source, eos string, markers []string, p templates.Probe) tools.Evidence {
	return tools.Evidence{Template: source, EOS: eos, Markers: markers, Shown: tools.Shown(p.Shown)}
}

// MarkerTexts are the spellings of a model's marker tokens.
func MarkerTexts(m engine.Model) []string {
	out := make([]string, len(m.Vocab.Markers))
	for i, marker := range m.Vocab.Markers {
		out[i] = marker.Text
	}
	return out
}
