package tools

import (
	"bytes"

	"tenon/grammar"
)

// A model that was not taught to think calls better if it first says in a few words which tool it means and with what
// (research: a small one 44 → 69 % right with 16 tokens of such a thought, 25 % with 256: it has to be short). The thought is one
// line at the start of the turn,
//
//	Function: get_weather. Key arguments: city Rome, two days
//
// whose name is one of those that can be called, or none where a call is not demanded. Then comes the turn as ever. A family that
// thinks in messages or in steps says it in one of those.

// routingNone is what stands in place of a name where the turn will call nothing.
const routingNone = "none"

// routed tells whether the turn begins with a routing thought. A family whose prompts end with the mark that a name follows
// (Functionary v3.2) has no place for one: anything else there would be the name of a tool, or text for the user.
func (p *Plan) routed() bool {
	t := p.turn
	return t.Thinking.Routing && !t.Thinking.Open && t.Answer == nil && p.callable && p.dialect.lead == ""
}

// routedLine tells whether the routing thought is a line of its own at the start of the turn.
func (p *Plan) routedLine() bool {
	return p.routed() && p.dialect.headers == nil && len(p.dialect.labels) == 0
}

// route is the routing thought, captured. It holds nothing that begins a call or a marker.
func (w *output) route() string {
	var names []string
	for _, i := range w.called {
		names = append(names, grammar.Quote(w.tools[i].prompt))
	}
	if w.turn.Choice.Mode != Required {
		names = append(names, grammar.Quote(routingNone))
	}
	words := "[^\\n{}<>`|｜\\[\\]]{0,400}"
	return capture(captureThinking, seq(`"Function: "`, alt(names), `". Key arguments: "`, words))
}

// stepRouting reads the routing thought: the turn's first line. It says whether there is more to decide.
func (p *tolerant) stepRouting() bool {
	n := bytes.IndexByte(p.buf[p.pos:], '\n')
	if n < 0 {
		p.pass(len(p.buf))
		return false
	}
	p.pass(p.pos + n)
	p.pos++
	p.routing, p.inWord = false, false
	p.think(false)
	return true
}
