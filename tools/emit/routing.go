package emit

import (
	"tenon/grammar"
	"tenon/tools/turn"
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

// route is the routing thought, captured. It holds nothing that begins a call or a marker.
func (w *output) route() string {
	var names []string
	for _, i := range w.called {
		names = append(names, grammar.Quote(w.Tools[i].Prompt))
	}
	if w.Turn.Choice.Mode != turn.Required {
		names = append(names, grammar.Quote(routingNone))
	}
	words := "[^\\n{}<>`|｜\\[\\]]{0,400}"
	return capture(CaptureThinking, seq(`"Function: "`, alt(names), `". Key arguments: "`, words))
}
