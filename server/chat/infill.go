package chat

import (
	"tenon/engine"
	"tenon/server/chat/prepared"
)

// Filling in the middle: a model that was trained for it reads what comes before and after a gap,
// each behind a token of its own, and writes what is missing.

// infill is a prompt for what stands between a text and its suffix.
func infill(m Model, prompt engine.Prompt, suffix string) (engine.Prompt, error) {
	markers, ok := prepared.InfillMarkers(m.Engine.Model())
	if !ok {
		return nil, &Error{Kind: NotSupportedHere, Field: "suffix",
			Message: m.ID + " has no tokens for filling in the middle; send the text before the gap alone"}
	}
	symbol := func(i int) engine.Piece { return engine.Piece{Origin: engine.Symbolic, Text: markers[i]} }
	out := append(engine.Prompt{symbol(0)}, prompt...)
	return append(out, symbol(1), engine.Piece{Origin: engine.Content, Text: suffix}, symbol(2)), nil
}
