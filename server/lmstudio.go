package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"tenon/server/chat"
	"tenon/server/chat/record"
	"tenon/server/lmstudio"
	"tenon/server/lmstudio/rest"
	"tenon/server/lmstudio/socket"
	"tenon/server/openai"
)

// lmstudioRoutes are the routes of LM Studio's clients.
func lmstudioRoutes(g *gin.Engine, o Options, seen observer, held *bodies) {
	if o.LMStudio == nil {
		return
	}
	models := lmstudio.Models{Fleet: o.LMStudio, Traits: o.Traits, Default: o.Service.Default}
	if len(o.Keys) > 0 {
		models.Choose = manage(o.Keys)
	}
	sockets := socket.New(socket.Options{
		Service: o.Service, Models: models, Version: o.Version, Admit: admitSocket(o.Keys), Manage: manage(o.Keys),
		Watch: func(ctx context.Context, endpoint string) (context.Context, func()) {
			return seen.watch(ctx, "WS", "/"+endpoint, "lmstudio")
		}, Logs: seen.streamed, Stopping: o.Stopping, MaxFrame: o.MaxBody, Hold: held.hold,
	})
	told := func(serve http.HandlerFunc) gin.HandlerFunc {
		return func(c *gin.Context) {
			serve(c.Writer, c.Request.WithContext(withManages(c.Request.Context(), mayManage(c, o.Keys))))
		}
	}
	for _, ns := range socket.Namespaces {
		g.GET("/"+ns, told(sockets.Handler(ns)))
	}
	api := rest.New(o.Agent, models, o.Heartbeat)
	asOpenAI := openai.API{Service: o.Agent, Heartbeat: o.Heartbeat, Extra: api.Extra}
	for _, r := range []struct {
		method, path string
		handler      gin.HandlerFunc
	}{
		{"GET", "/api/v0/models", gin.WrapF(api.ModelsV0)},
		{"GET", "/api/v0/models/*id", func(c *gin.Context) { api.ModelV0(c.Writer, c.Request, strings.TrimPrefix(c.Param("id"), "/")) }},
		{"POST", "/api/v0/chat/completions", gin.WrapF(asOpenAI.ChatCompletions)},
		{"POST", "/api/v0/completions", gin.WrapF(asOpenAI.Completions)},
		{"POST", "/api/v0/embeddings", gin.WrapF(asOpenAI.Embeddings)},
		{"GET", "/api/v1/models", gin.WrapF(api.Models)},
		{"GET", "/api/v1/models/download/status/:id", withID(api.DownloadStatus)},
		{"POST", "/api/v1/chat", told(api.Chat)},
	} {
		g.Handle(r.method, r.path, r.handler)
	}
	for name, h := range map[string]http.HandlerFunc{"load": api.Load, "unload": api.Unload, "download": api.Download} {
		g.POST("/api/v1/models/"+name, admin(o.Keys), gin.WrapF(h))
	}
	g.GET("/lmstudio-greeting", gin.WrapF(sockets.Greeting))
	g.GET("/lms-status", gin.WrapF(sockets.Status))
}

// asksLater tells of requests that need no key in their head: a socket's first frame brings it,
// and greetings tell nothing.
func asksLater(r *http.Request) bool {
	path := strings.TrimPrefix(r.URL.Path, "/")
	return path == "lmstudio-greeting" || path == "lms-status" || slices.Contains(socket.Namespaces, path)
}

// admitSocket asks for a key, if there are keys, unless the request's head has brought one. LM
// Studio's SDKs divide a token sk-lm-IDENTIFIER:PASSKEY; their older options, and other clients,
// send a whole key as the passkey.
func admitSocket(keys []Key) func(ctx context.Context, identifier, passkey string) (context.Context, error) {
	return func(ctx context.Context, identifier, passkey string) (context.Context, error) {
		if len(keys) == 0 || chat.CallerKey(ctx) != "" {
			return ctx, nil
		}
		key, ok := find(keys, "sk-lm-"+identifier+":"+passkey, passkey)
		if !ok {
			return ctx, &chat.Error{Kind: chat.Unauthorized, Message: "an API key is needed: as apiToken (of the form sk-lm-8:20 characters), as clientPasskey, or in the header Authorization"}
		}
		return withManages(chat.WithCaller(ctx, key.caller()), key.Admin), nil
	}
}

// watch observes a prediction on a socket, or a response in the background, as observe does a
// request.
func (o observer) watch(ctx context.Context, method, path, protocol string) (context.Context, func()) {
	r := &record.Record{
		ID: cmp.Or(record.RequestID(ctx), "req_"+rand.Text()), At: time.Now(), Method: method, Path: path,
		Full: o.recorded(), Begun: o.telemetry.Turn, Status: http.StatusOK,
	}
	ctx = record.With(ctx, r)
	o.metrics.running.Inc()
	return ctx, func() {
		o.metrics.running.Dec()
		o.deliver(r, chat.CallerKey(ctx), nil, false)
		o.metrics.request(r.Method, r.Path, r.Status, time.Since(r.At))
		o.turns(ctx, r, protocol)
		line := []slog.Attr{
			slog.String("id", r.ID), slog.String("method", r.Method), slog.String("path", r.Path),
			slog.Duration("took", time.Since(r.At)), slog.String("caller", chat.CallerOf(ctx).Name),
		}
		o.log.LogAttrs(ctx, slog.LevelInfo, "request", o.describe(line, r)...)
	}
}
