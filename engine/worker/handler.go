package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"tenon/engine"
)

// handler serves an in-process engine to the parent.
type handler struct {
	sandbox  engine.Confinement
	loading  *loading
	sessions sync.Map // of the running turns, by the parent's id
}

func newHandler(in engine.Confinement) *handler {
	return &handler{sandbox: in, loading: newLoading()}
}

func (h *handler) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathLoad, h.load)
	mux.HandleFunc(pathStats, answer(h, h.stats))
	mux.HandleFunc("POST "+pathTokens, answer(h, h.tokens))
	mux.HandleFunc("POST "+pathText, answer(h, h.text))
	mux.HandleFunc("POST "+pathEmbed, answer(h, h.embed))
	mux.HandleFunc("POST "+pathVerdict, func(w http.ResponseWriter, r *http.Request) {
		answer(h, h.verdict(r.PathValue("id")))(w, r)
	})
	mux.HandleFunc("POST "+pathConclude, func(w http.ResponseWriter, r *http.Request) {
		answer(h, h.conclude(r.PathValue("id")))(w, r)
	})
	mux.HandleFunc("POST "+pathTurns, h.turn)
	return mux
}

// load tells how far loading has come until it is done.
func (h *handler) load(w http.ResponseWriter, r *http.Request) {
	out := newLineWriter(w)
	if out.write(loadLine{Sandbox: &h.sandbox}) != nil {
		return
	}
	for done := false; !done; {
		progress, changed := h.loading.state()
		if out.write(loadLine{Progress: progress}) != nil {
			return
		}
		select {
		case <-changed:
		case <-h.loading.done:
			done = true
		case <-r.Context().Done():
			return
		}
	}
	e, err := h.loading.wait(r.Context())
	if err != nil {
		// a parent that is gone needs no error
		_ = out.write(loadLine{Error: engine.FaultOf(err)})
		return
	}
	m := e.Model()
	_ = out.write(loadLine{Progress: 1, Model: &m, Measured: h.loading.measured})
}

// answer decodes a request, waits for the model and encodes what do returns.
func answer[In, Out any](h *handler, do func(context.Context, engine.Engine, In) (Out, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		if r.Method != http.MethodGet {
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				refuse(w, fmt.Errorf("decode the request: %w", err))
				return
			}
		}
		e, err := h.loading.wait(r.Context())
		if err != nil {
			refuse(w, err)
			return
		}
		out, err := do(r.Context(), e, in)
		if err != nil {
			refuse(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // a parent that is gone needs no answer
	}
}

func (h *handler) tokens(ctx context.Context, e engine.Engine, r tokensRequest) (tokensAnswer, error) {
	ids, err := e.Tokens(ctx, decodePrompt(r.Prompt))
	return tokensAnswer{IDs: ids}, err
}

func (h *handler) text(ctx context.Context, e engine.Engine, r textRequest) (textAnswer, error) {
	text, err := e.Text(ctx, r.IDs, r.Special)
	return textAnswer{Text: text}, err
}

func (h *handler) embed(ctx context.Context, e engine.Engine, r embedRequest) (embedAnswer, error) {
	prompts := make([]engine.Prompt, len(r.Prompts))
	for i, p := range r.Prompts {
		prompts[i] = decodePrompt(p)
	}
	out, err := e.Embed(ctx, prompts)
	return embedAnswer{Embeddings: out}, err
}

func (h *handler) stats(_ context.Context, e engine.Engine, _ struct{}) (engine.Stats, error) {
	if s, ok := e.(interface{ Stats() engine.Stats }); ok {
		return s.Stats(), nil
	}
	return engine.Stats{}, engine.ErrUnsupported
}

func (h *handler) verdict(id string) func(context.Context, engine.Engine, engine.Verdict) (struct{}, error) {
	return func(ctx context.Context, _ engine.Engine, v engine.Verdict) (struct{}, error) {
		s, ok := h.sessions.Load(id)
		if !ok {
			return struct{}{}, fmt.Errorf("turn %q has ended", id)
		}
		return struct{}{}, s.(engine.Session).Decide(ctx, v)
	}
}

func (h *handler) conclude(id string) func(context.Context, engine.Engine, struct{}) (struct{}, error) {
	return func(ctx context.Context, _ engine.Engine, _ struct{}) (struct{}, error) {
		s, ok := h.sessions.Load(id)
		if !ok { // it has ended
			return struct{}{}, nil
		}
		return struct{}{}, s.(engine.Session).Conclude(ctx)
	}
}

// turn opens a session and streams its updates. The answer begins when the turn is in the queue.
func (h *handler) turn(w http.ResponseWriter, r *http.Request) {
	s, id, err := h.open(r)
	if err != nil {
		refuse(w, err)
		return
	}
	defer func() { _ = s.Close() }() // closing is how a turn is given up; it cannot go wrong
	h.sessions.Store(id, s)
	defer h.sessions.Delete(id)
	out := newLineWriter(w)
	if out.flush() != nil {
		return
	}
	for {
		u, err := s.Next(r.Context())
		if r.Context().Err() != nil {
			return
		}
		if err != nil {
			// the last line either way
			_ = out.write(updateLine{Error: engine.FaultOf(err)})
			return
		}
		l := updateLine{Progress: u.Progress, Tokens: u.Tokens, Check: u.Check, Finish: u.Finish}
		if out.write(l) != nil || u.Finish != nil {
			return
		}
	}
}

func (h *handler) open(r *http.Request) (engine.Session, string, error) {
	var req turnRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		return nil, "", fmt.Errorf("decode the turn: %w", err)
	}
	e, err := h.loading.wait(r.Context())
	if err != nil {
		return nil, "", err
	}
	t, err := decodeTurn(req)
	if err != nil {
		return nil, "", err
	}
	s, err := e.Open(r.Context(), t)
	return s, req.ID, err
}

// refuse sends an error in place of an answer.
func refuse(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusInternalServerError)
	_ = json.NewEncoder(w).Encode(engine.FaultOf(err)) // a parent that is gone needs no error
}

// lineWriter sends each value as a line of its own, at once.
type lineWriter struct {
	json  *json.Encoder
	flush func() error
}

func newLineWriter(w http.ResponseWriter) lineWriter {
	w.Header().Set("Content-Type", "application/x-ndjson")
	return lineWriter{json: json.NewEncoder(w), flush: http.NewResponseController(w).Flush}
}

func (l lineWriter) write(v any) error {
	if err := l.json.Encode(v); err != nil {
		return err
	}
	return l.flush()
}
