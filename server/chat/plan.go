package chat

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tenon/engine"
	"tenon/grammar"
	"tenon/server/chat/prepared"
	"tenon/templates"
	"tenon/tools"
)

// planned is everything decided about a turn before the engine sees it.
type planned struct {
	turn      engine.Turn
	tools     *tools.Plan
	rendering templates.Rendering
	asked     templates.Conversation // that was rendered
	logprobs  bool
	freeform  map[toolName]bool // the tools whose input is text
	flat      flatTools
	mostEqual int // calls of the turn; 0: any number
	sampled   *prepared.SampledTurns
	// keywords of schemas that the mask does not enforce: the answer's, then the tools'
	issues  []grammar.Issue
	ignored []string // fields that turned out to have no effect
	can     engine.Can
	must    bool // the answer must call a tool, and the engine cannot make it
}

// toolName tells the tools of a turn apart.
type toolName struct{ namespace, name string }

// keep remembers the tokens that answered the prompt.
func (p planned) keep(tokens []engine.Token) {
	if p.turn.Forget {
		return
	}
	p.sampled.Keep(p.turn.CacheKey, p.rendering, tokens)
}

// parser reads what the engine generates: by the grammar that masks it, where it does.
func (p planned) parser() tools.Parser {
	switch {
	case p.can.Mask == engine.ExactMask:
		return p.tools.Parser()
	case p.can.Symbols && !(p.can.Chat != "" && p.rendering.Protocol != templates.Native):
		return p.tools.SymbolParser()
	}
	return p.tools.TextParser()
}

// plan renders the prompt, derives the output's grammar and sets the budget. Nothing in it waits
// or is remembered.
func (s *Service) plan(m Model, r Request) (planned, error) {
	if err := check(r); err != nil {
		return planned{}, err
	}
	if a := r.Answer; a != nil && a.Syntax == "json_schema" {
		r.Answer = &tools.Answer{Syntax: a.Syntax, Definition: string(tools.Heal([]byte(a.Definition)))}
	}
	issues, err := judgeAnswer(r.Answer, r.AnswerPlace)
	if err != nil {
		return planned{}, err
	}
	can, most := m.Engine.Model().Can, s.budget(r.MaxTokens)
	wished := wishes(can, r, most)
	ignored, err := limit(can, &r, most)
	if err != nil {
		return planned{}, err
	}
	p, err := s.planChecked(m, r)
	if err == nil && can.Chat != "" {
		p.turn.Wishes = wished
	}
	if err == nil {
		p.issues = append(issues, p.tools.Issues()...)
		p.ignored = append(p.ignored, ignored...)
		p.must = r.Choice.Mode == tools.Required && can.Mask != engine.ExactMask
		p.turn.Exact = r.Answer != nil && can.Mask == engine.PrintedMask && (r.AnswerPlace.Strict || r.Answer.Syntax == "gbnf")
	}
	return p, err
}

func (s *Service) planChecked(m Model, r Request) (planned, error) {
	if r.Prompt != nil {
		return s.planText(m, r)
	}
	dialect, protocol, err := format(m, r.ToolFormat)
	if err != nil {
		return planned{}, err
	}
	r.Conversation.Protocol = protocol
	r.Conversation.Thinking = templates.Thinking{Enabled: r.Thinking.Enabled, Effort: r.Thinking.Effort}
	turn := outputTurn(m, r)
	most := mostEqual(m, dialect)
	if most == 1 {
		turn.Choice = without(turn.Choice, turn.Tools, worn(r.Conversation))
	}
	flat := flatten(m, turn.Tools)
	turn.Tools = flat.shown(turn.Tools)
	turn.Thinking.Routing = routes(m, r)
	turn.Thinking.Off = turn.Thinking.Off || dialect.Ours && !m.Thinks
	asked := r.Thinking.Budget
	if turn.Thinking.Routing && (r.Thinking.Budget <= 0 || r.Thinking.Budget > m.Teaching.Routing) {
		r.Thinking.Budget = m.Teaching.Routing
	}
	output, err := dialect.Plan(turn)
	if most := s.budget(r.MaxTokens); err == nil && turn.Thinking.Routing && most > 0 && output.Shortest() > most {
		// the thought would take the place of the call
		turn.Thinking.Routing, r.Thinking.Budget = false, asked
		output, err = dialect.Plan(turn)
	}
	if err != nil {
		return planned{}, r.Places.toolError(err)
	}
	r.Conversation.Tools = flat.declared(promptTools(output))
	var leaked []templates.Heal
	r.Conversation.Messages, leaked = readLeaked(m, dialect, r)
	rendering, err := m.Renderer.Render(r.Conversation)
	rendering.Heals = append(leaked, rendering.Heals...)
	if err != nil {
		return planned{}, fmt.Errorf("render the conversation for %s: %w", m.ID, err)
	}
	output, err = settle(output, dialect, turn, rendering)
	if err != nil {
		return planned{}, r.Places.toolError(err)
	}
	p := s.assemble(m, r, output, rendering)
	p.flat, p.mostEqual, p.asked = flat, most, r.Conversation
	if protocol == templates.Native && len(turn.Tools) > 0 && rendering.Protocol != templates.Native {
		p.ignored = append(p.ignored, fmt.Sprintf("tool_format (the chat template shows no tools, so that calls are %s)", rendering.Protocol))
	}
	return p, nil
}

// routes tells whether the model is to say which tool it means before it calls one. An engine that
// does not count thinking would not stop it, and an answer that the client has begun is gone on
// with.
func routes(m Model, r Request) bool {
	off := r.Thinking.Enabled != nil && !*r.Thinking.Enabled
	return m.Teaching.Routing > 0 && !m.Thinks && !off && m.Engine.Model().Can.Thinking && !continued(r.Conversation)
}

// continued tells whether the conversation ends with an answer that is to be gone on with.
func continued(c templates.Conversation) bool {
	n := len(c.Messages)
	return n > 0 && c.Messages[n-1].Role == templates.Assistant
}

// anyText has a turn say what it likes: in a plain text nothing is a marker, and what is between
// <think> and </think> is a part of it.
var anyText = tools.Answer{Syntax: "gbnf", Definition: `root ::= [\u0000-\U0010FFFF]*`}

// planText plans the continuation of a plain text.
func (s *Service) planText(m Model, r Request) (planned, error) {
	if err := hasTokens(m, r.Prompt, "prompt"); err != nil {
		return planned{}, err
	}
	turn := outputTurn(m, r)
	turn.Thinking.Off = true
	if turn.Answer == nil {
		turn.Answer = &anyText
	}
	output, err := tools.Fallback().Plan(turn)
	if err != nil {
		return planned{}, r.Places.toolError(err)
	}
	p := s.assemble(m, r, output, templates.Rendering{})
	p.turn.Prompt = r.Prompt
	if r.Suffix != "" {
		p.turn.Prompt, err = infill(m, r.Prompt, r.Suffix)
		return p, err
	}
	return p, hasPrompt(m, r.Prompt)
}

// assemble puts the parts of a plan together.
func (s *Service) assemble(m Model, r Request, output *tools.Plan, rendering templates.Rendering) planned {
	p := planned{
		turn: engine.Turn{
			Prompt:   m.Sampled.Prompt(r.CacheKey, rendering),
			Grammar:  output.Grammar(),
			Sampling: r.Sampling.Or(m.Sampling).Or(m.Engine.Model().Defaults).Or(m.Defaults),
			Budget:   engine.Budget{Tokens: s.budget(r.MaxTokens), Thinking: r.Thinking.Budget},
			Logprobs: r.Logprobs,
			// behind a stop sequence tokens are computed for nothing
			Whole:    r.Whole && len(r.Stops)+len(rendering.Stops) == 0,
			CacheKey: r.CacheKey,
			Forget:   r.Forget,
		},
		tools:     output,
		rendering: rendering,
		logprobs:  r.Logprobs >= 0,
		freeform:  map[toolName]bool{},
		sampled:   m.Sampled,
		can:       m.Engine.Model().Can,
		ignored:   strangers(m, r.Sampling.LogitBias),
	}
	for _, t := range r.Tools {
		p.freeform[toolName{t.Namespace, t.Name}] = t.Freeform != nil
	}
	return p
}

// strangers tells of a bias on tokens that the model does not have: a client may know another
// model's.
func strangers(m Model, bias map[int32]float32) []string {
	lacks := slices.DeleteFunc(slices.Sorted(maps.Keys(bias)), func(id int32) bool { return hasToken(m, id) })
	if len(lacks) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("logit_bias (of %d tokens, %d the first; this model's are 0 to %d)", len(lacks), lacks[0], m.Engine.Model().Vocab.Size-1)}
}

// check refuses what no model could serve.
func check(r Request) error {
	if r.Choice.Mode == tools.Required && len(r.Tools) == 0 {
		return Invalidf("tool_choice", "demands a call, but no tool that can be called here is declared")
	}
	seen := map[toolName]bool{}
	for i, t := range r.Tools {
		name := toolName{t.Namespace, t.Name}
		if seen[name] {
			return Invalidf(r.Places.field(i, ""), "the name %q is declared twice", t.Name)
		}
		seen[name] = true
	}
	return nil
}

// format resolves a request's tool_format: which dialect the model writes, and which protocol the
// prompt explains.
func format(m Model, name string) (*tools.Dialect, templates.Protocol, error) {
	d, protocol, ok := m.Format(name)
	if !ok {
		return nil, "", Invalidf("tool_format", "%s", prepared.WrongFormat(name))
	}
	return d, protocol, nil
}

// outputTurn says what the answer may be.
func outputTurn(m Model, r Request) tools.Turn {
	return tools.Turn{
		Tools:    r.Tools,
		Choice:   r.Choice,
		Parallel: !r.OneCall && (r.Several || !m.OneCall),
		Thinking: tools.Thinking{Off: r.Thinking.Enabled != nil && !*r.Thinking.Enabled, Budget: r.Thinking.Budget},
		Answer:   r.Answer,
		Stops:    r.Stops,
		Stop:     r.Conversation.Stop,
		NewID:    func(tools.Call) string { return "call_" + rand.Text()[:24] },
	}
}

// settle makes the plan anew if the rendering turned out otherwise than assumed: it opened
// thinking, explains another protocol than the dialect's, or needs stops of its own.
func settle(p *tools.Plan, d *tools.Dialect, t tools.Turn, r templates.Rendering) (*tools.Plan, error) {
	if scaffold, ok := tools.Lookup(string(r.Protocol)); ok && scaffold.Ours && d.Name() != scaffold.Name() {
		d = scaffold
	} else if !r.Thinking && len(r.Stops) == 0 {
		return p, nil
	}
	t.Thinking.Open = r.Thinking
	t.Stops = append(slices.Clone(t.Stops), r.Stops...)
	return d.Plan(t)
}

// promptTools are the tools as the prompt shows them.
func promptTools(p *tools.Plan) []templates.Tool {
	var out []templates.Tool
	for _, t := range p.Tools() {
		out = append(out, templates.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	return out
}

// budget is the least of what the client and the server allow; 0 leaves it to the context.
func (s *Service) budget(asked int) int {
	switch {
	case s.NPredict <= 0:
		return asked
	case asked <= 0:
		return s.NPredict
	}
	return min(asked, s.NPredict)
}

// toolError names the field of a tool definition or choice that cannot be served.
func (p ToolPlaces) toolError(err error) error {
	var bad *tools.ToolError
	if !errors.As(err, &bad) {
		return fmt.Errorf("plan the turn: %w", err)
	}
	field := bad.Field
	if bad.Index >= 0 {
		field = p.field(bad.Index, bad.Field)
	}
	return &Error{Kind: Invalid, Field: field, Message: bad.Message, Err: err}
}
