package openai

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/sse"
	"tenon/server/wire"
)

// Service does what the endpoints offer. *agent.Service implements it.
type Service interface {
	Named(model string) string // what answers call the model that a request asks for
	Run(ctx context.Context, r chat.Request, sink chat.Sink) error
	Answer(ctx context.Context, id string, r chat.Reply) error
	Count(ctx context.Context, r chat.Request) (chat.Tokens, error)
	Render(ctx context.Context, r chat.Request) (string, error)
	Tokenize(ctx context.Context, model, text string, special, bos bool) ([]int32, error)
	Detokenize(ctx context.Context, model string, ids []int32) (string, error)
	Embed(ctx context.Context, model string, prompts []engine.Prompt) ([]engine.Embedding, error)
}

// API serves the protocol's endpoints.
type API struct {
	Service Service
	// longest silence of a stream; 0: [sse.DefaultEvery]
	Heartbeat time.Duration
	// what answers tell beside what the protocol does; nil: nothing
	Extra func(model string, f chat.Finish) *wire.Extra
}

// ChatCompletions serves POST /v1/chat/completions.
func (a API) ChatCompletions(w http.ResponseWriter, r *http.Request) {
	request, sent, err := decodeChat(r.Body)
	if err != nil {
		wire.WriteOpenAIError(w, chat.AsError(err))
		return
	}
	request.Model = a.Service.Named(request.Model)
	wire.SetIgnored(w, request.Ignored)
	setCacheKey(r.Context(), &request, sent.CachePrompt)
	head := chatCompletion{ID: "chatcmpl-" + rand.Text(), Created: time.Now().Unix(), SystemFingerprint: "tenon"}
	if sent.Stream {
		a.stream(w, r, request, &streamer{
			head:         head,
			includeUsage: sent.StreamOptions != nil && sent.StreamOptions.IncludeUsage,
			want:         sent.answerOptions(), extra: a.Extra,
		})
		return
	}
	request.Whole = true
	var c chat.Collector
	if err := a.Service.Run(r.Context(), request, wire.Announce(w, c.Add)); err != nil {
		wire.WriteOpenAIError(w, chat.AsError(err))
		return
	}
	result := c.Result()
	if a.Extra != nil && len(result.Choices) > 0 {
		head.Extra = a.Extra(result.Model, result.Choices[0].Finish)
	}
	wire.WriteJSON(w, http.StatusOK, encode(head, result, sent.answerOptions()))
}

// Elicitations serves POST /v1/elicitations: the answer to a question of a turn that is streamed.
func (a API) Elicitations(w http.ResponseWriter, r *http.Request) {
	var sent struct {
		ID string `json:"id"`
		chat.Reply
	}
	_, err := wire.Decode(r.Body, &sent, wire.Others{})
	if err == nil {
		err = a.Service.Answer(r.Context(), sent.ID, sent.Reply)
	}
	reply(w, struct{}{}, err)
}

// setCacheKey says whom a request shares cached state with: its caller's other requests, or
// nobody, neither now nor later, where cache_prompt is false.
func setCacheKey(ctx context.Context, r *chat.Request, cachePrompt *bool) {
	r.CacheKey = chat.CallerKey(ctx)
	if r.Forget = cachePrompt != nil && !*cachePrompt; r.Forget {
		r.CacheKey += "\x00" + rand.Text()
	}
}

func (a API) stream(w http.ResponseWriter, r *http.Request, request chat.Request, s *streamer) {
	s.head.Object, s.head.Model, s.head.Usage.wanted = "chat.completion.chunk", request.Model, s.includeUsage
	s.choices, s.named, s.spoke, s.finished = max(request.N, 1), map[int]bool{}, map[int]bool{}, map[int]bool{}
	s.out = sse.NewWriter(w)
	s.out.Beat(a.Heartbeat, s.beat)
	defer s.out.Close()
	err := a.Service.Run(r.Context(), request, wire.Streamed(w, s.out, s.add))
	endStream(w, s.out, err)
	if err == nil {
		s.end()
	}
}

func endStream(w http.ResponseWriter, out *sse.Writer, err error) {
	wire.Ended(w, out, err, wire.WriteOpenAIError, func(e *chat.Error) { out.Event("", wire.EncodeOpenAIError(e)) })
}
