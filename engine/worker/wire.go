package worker

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"tenon/engine"
)

// Paths of the child's server. All but /stats and /load are POSTs of JSON; /load, /turns answer
// with lines of JSON.
const (
	pathLoad     = "/load"
	pathTokens   = "/tokens"
	pathText     = "/text"
	pathEmbed    = "/embeddings"
	pathTurns    = "/turns"
	pathVerdict  = "/turns/{id}/verdict"
	pathConclude = "/turns/{id}/conclude"
	pathStats    = "/stats"
)

// loadLine is one line of /load: any number of progress lines, then the model or an error.
type loadLine struct {
	Progress float64             `json:"progress"`
	Sandbox  *engine.Confinement `json:"sandbox,omitempty"` // in the first line
	Model    *engine.Model       `json:"model,omitempty"`
	// with Model: what was not known before
	Measured map[string]string `json:"measured,omitempty"`
	Error    *engine.Fault     `json:"error,omitempty"`
}

// updateLine is one line of /turns; exactly one field is set, but for Check, which comes with
// Tokens.
type updateLine struct {
	Progress *engine.Progress `json:"progress,omitempty"`
	Tokens   []engine.Token   `json:"tokens,omitempty"`
	Check    *engine.Check    `json:"check,omitempty"`
	Finish   *engine.Finish   `json:"finish,omitempty"`
	Error    *engine.Fault    `json:"error,omitempty"`
}

func (l updateLine) update() engine.Update {
	return engine.Update{Progress: l.Progress, Tokens: l.Tokens, Check: l.Check, Finish: l.Finish}
}

type tokensRequest struct {
	Prompt []wirePiece `json:"prompt"`
}

type tokensAnswer struct {
	IDs []int32 `json:"ids"`
}

type textRequest struct {
	IDs     []int32 `json:"ids"`
	Special bool    `json:"special,omitempty"`
}

type textAnswer struct {
	Text []byte `json:"text"`
}

type embedRequest struct {
	Prompts [][]wirePiece `json:"prompts"`
}

type embedAnswer struct {
	Embeddings []engine.Embedding `json:"embeddings"`
}

// turnRequest opens a turn. The parent makes the id up, so that it can send a verdict about it.
type turnRequest struct {
	ID     string
	Turn   engine.Turn // without what JSON cannot say:
	Prompt []wirePiece
	Bias   map[int32]string // as text: a bias may be -Inf
}

// wirePiece is an engine.Piece. Text that is not UTF-8 travels as Raw: a JSON string would change
// it.
type wirePiece struct {
	Origin engine.Origin `json:"origin,omitempty"`
	Text   string        `json:"text,omitempty"`
	Raw    []byte        `json:"raw,omitempty"`
	Tokens []int32       `json:"tokens,omitempty"`
}

func encodePrompt(p engine.Prompt) []wirePiece {
	out := make([]wirePiece, len(p))
	for i, piece := range p {
		out[i] = wirePiece{Origin: piece.Origin, Text: piece.Text, Tokens: piece.Tokens}
		if !utf8.ValidString(piece.Text) {
			out[i].Text, out[i].Raw = "", []byte(piece.Text)
		}
	}
	return out
}

func decodePrompt(in []wirePiece) engine.Prompt {
	p := make(engine.Prompt, len(in))
	for i, w := range in {
		p[i] = engine.Piece{Origin: w.Origin, Text: w.Text, Tokens: w.Tokens}
		if w.Raw != nil {
			p[i].Text = string(w.Raw)
		}
	}
	return p
}

func encodeTurn(id string, t engine.Turn) turnRequest {
	r := turnRequest{ID: id, Prompt: encodePrompt(t.Prompt), Bias: map[int32]string{}}
	for id, b := range t.Sampling.LogitBias {
		r.Bias[id] = strconv.FormatFloat(float64(b), 'g', -1, 32)
	}
	t.Prompt, t.Sampling.LogitBias = nil, nil
	r.Turn = t
	return r
}

func decodeTurn(r turnRequest) (engine.Turn, error) {
	t := r.Turn
	t.Prompt = decodePrompt(r.Prompt)
	for id, s := range r.Bias {
		b, err := strconv.ParseFloat(s, 32)
		if err != nil || math.IsNaN(b) {
			return t, fmt.Errorf("logit bias %q of token %d is not a number", s, id)
		}
		if t.Sampling.LogitBias == nil {
			t.Sampling.LogitBias = map[int32]float32{}
		}
		t.Sampling.LogitBias[id] = float32(b)
	}
	return t, nil
}
