package anthropic

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"tenon/server/chat"
	"tenon/server/sse"
	"tenon/server/wire"
)

// Service runs and counts turns. *chat.Service implements it.
type Service interface {
	Run(ctx context.Context, r chat.Request, sink chat.Sink) error
	Count(ctx context.Context, r chat.Request) (chat.Tokens, error)
}

// API serves the protocol's endpoints. Make it with New.
type API struct {
	service   Service
	signer    signer
	heartbeat time.Duration
}

// New returns the endpoints of a service. A stream is silent no longer than heartbeat; 0:
// [sse.DefaultEvery].
func New(s Service, heartbeat time.Duration) *API {
	return &API{service: s, signer: newSigner(), heartbeat: heartbeat}
}

func (a *API) decoder(r *http.Request) decoder {
	return decoder{signer: a.signer, interleaved: strings.Contains(strings.Join(r.Header.Values("Anthropic-Beta"), ","), "interleaved-thinking")}
}

// Messages serves POST /v1/messages.
func (a *API) Messages(w http.ResponseWriter, r *http.Request) {
	d := a.decoder(r)
	request, body, err := d.request(r.Body, false)
	if err != nil {
		WriteError(w, chat.AsError(err))
		return
	}
	wire.SetIgnored(w, request.Ignored)
	request.CacheKey = chat.CallerKey(r.Context())
	id := "msg_" + rand.Text()
	if body.Stream {
		a.stream(w, r, request, &streamer{id: id, signer: a.signer, timings: body.TimingsPerToken})
		return
	}
	request.Whole = true
	var c chat.Collector
	if err := a.service.Run(r.Context(), request, wire.Announce(w, c.Add)); err != nil {
		WriteError(w, chat.AsError(err))
		return
	}
	out := a.signer.encode(id, c.Result())
	if choices := c.Result().Choices; body.TimingsPerToken && len(choices) > 0 {
		out.Timings = wire.EncodeTimings(choices[0].Finish)
	}
	wire.WriteJSON(w, http.StatusOK, out)
}

func (a *API) stream(w http.ResponseWriter, r *http.Request, request chat.Request, s *streamer) {
	s.out = sse.NewWriter(w)
	s.out.Beat(a.heartbeat, s.ping)
	defer s.out.Close()
	err := a.service.Run(r.Context(), request, wire.Streamed(w, s.out, s.add))
	wire.Ended(w, s.out, err, WriteError, func(e *chat.Error) { s.out.Event("error", body(e, w.Header().Get(wire.RequestID))) })
}

// CountTokens serves POST /v1/messages/count_tokens.
func (a *API) CountTokens(w http.ResponseWriter, r *http.Request) {
	d := a.decoder(r)
	request, _, err := d.request(r.Body, true)
	if err == nil {
		wire.SetIgnored(w, request.Ignored)
		request.CacheKey = chat.CallerKey(r.Context())
		var n chat.Tokens
		if n, err = a.service.Count(r.Context(), request); err == nil {
			wire.SetEstimate(w, n)
			wire.WriteJSON(w, http.StatusOK, tokenCount{n.N})
			return
		}
	}
	WriteError(w, chat.AsError(err))
}
