package server

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"tenon/server/anthropic"
	"tenon/server/chat"
	"tenon/server/fleet"
	"tenon/server/lmstudio/rest"
	"tenon/server/openai"
	"tenon/server/responses"
	"tenon/server/wire"
)

// routes is every route there is.
func routes(g *gin.Engine, o Options, seen observer) {
	chatAPI := openai.API{Service: o.Agent, Heartbeat: o.Heartbeat}
	messages := anthropic.New(o.Agent, o.Heartbeat)
	stateful := responses.New(o.Agent, o.Responses, o.Heartbeat)
	stateful.Watch = func(ctx context.Context) (context.Context, func()) {
		return seen.watch(ctx, "BACKGROUND", "/v1/responses", "responses")
	}
	known := modelFacts{o.Warnings, o.Traits, o.Slots}
	for _, r := range []struct {
		method, path string
		handler      gin.HandlerFunc
	}{
		{"GET", "/health", gin.WrapF(health(o.Readiness, o.Draining))},
		{"GET", "/health/live", gin.WrapF(live)},
		{"GET", "/metrics", gin.WrapH(seen.metrics.handler())},
		{"GET", "/debug/requests/:id", seen.kept.show},
		{"GET", "/v1/models", listModels(o.Models, known)},
		// ids hold slashes
		{"GET", "/v1/models/*id", getModel(o.Models, o.Service.Default, known)},
		{"GET", "/props", showProps(o.Models, o.Service.Default, known)},
		{"GET", "/api/version", ollamaVersionRoute},
		{"GET", "/api/tags", ollamaTags(o.Models, known)},
		{"POST", "/api/show", ollamaShow(o.Models, o.Service.Default, known)},
		{"POST", "/v1/chat/completions", gin.WrapF(chatAPI.ChatCompletions)},
		{"POST", "/v1/elicitations", gin.WrapF(chatAPI.Elicitations)},
		{"POST", "/v1/completions", gin.WrapF(chatAPI.Completions)},
		{"POST", "/v1/embeddings", gin.WrapF(chatAPI.Embeddings)},
		{"POST", "/v1/rerank", gin.WrapF(chatAPI.Rerank)},
		{"POST", "/tokenize", gin.WrapF(chatAPI.Tokenize)},
		{"POST", "/detokenize", gin.WrapF(chatAPI.Detokenize)},
		{"POST", "/apply-template", gin.WrapF(chatAPI.ApplyTemplate)},
		{"POST", "/v1/messages", gin.WrapF(messages.Messages)},
		{"POST", "/v1/messages/count_tokens", gin.WrapF(messages.CountTokens)},
		{"POST", "/v1/responses", gin.WrapF(stateful.Create)},
		{"POST", "/v1/responses/input_tokens", gin.WrapF(stateful.InputTokens)},
		{"GET", "/v1/responses/:id", withID(stateful.Get)},
		{"DELETE", "/v1/responses/:id", withID(stateful.Delete)},
		{"POST", "/v1/responses/:id/cancel", withID(stateful.Cancel)},
		{"GET", "/v1/responses/:id/input_items", withID(stateful.InputItems)},
	} {
		g.Handle(r.method, r.path, r.handler)
		if r.method == http.MethodGet {
			g.HEAD(r.path, r.handler)
		}
	}
	if o.Fleet.Fleet != nil {
		fleetRoutes(g, o)
	}
}

// ownPrefix begins the routes that no protocol has.
const ownPrefix = "/tenon/v1/"

// fleetRoutes are tenon's own. What changes the fleet, or shows what others do, is for admins.
func fleetRoutes(g *gin.Engine, o Options) {
	a := o.Fleet
	g.GET(ownPrefix+"models", gin.WrapF(a.Models))
	g.GET(ownPrefix+"ps", gin.WrapF(a.Processes))
	g.GET(ownPrefix+"explain", admin(o.Keys), gin.WrapF(a.Explaining))
	g.GET(ownPrefix+"log", admin(o.Keys), gin.WrapF(a.Logged))
	for name, h := range map[string]http.HandlerFunc{
		"load": a.Load, "unload": a.Unload, "pin": a.Pin, "pull": a.Pull, "remove": a.Remove, "alias": a.Alias, "reload": a.Reloading,
	} {
		g.POST(ownPrefix+name, admin(o.Keys), gin.WrapF(h))
	}
}

func withID(serve func(http.ResponseWriter, *http.Request, string)) gin.HandlerFunc {
	return func(c *gin.Context) { serve(c.Writer, c.Request, c.Param("id")) }
}

// writeError answers in the shape of the protocol that the path belongs to. Routes that protocols
// share are Anthropic's for a client that sends the header which that protocol demands.
func writeError(c *gin.Context, e *chat.Error) {
	if strings.HasPrefix(c.Request.URL.Path, ownPrefix) {
		fleet.WriteError(c.Writer, e)
	} else if strings.HasPrefix(c.Request.URL.Path, "/api/v1/") {
		rest.WriteError(c.Writer, e)
	} else if strings.HasPrefix(c.Request.URL.Path, "/api/") && !strings.HasPrefix(c.Request.URL.Path, "/api/v0/") {
		c.JSON(wire.Status(e.Kind), gin.H{"error": e.Error()}) // Ollama's error is a text
	} else if strings.HasPrefix(c.Request.URL.Path, "/v1/messages") || c.GetHeader("Anthropic-Version") != "" {
		anthropic.WriteError(c.Writer, e)
	} else {
		wire.WriteOpenAIError(c.Writer, e)
	}
	c.Abort()
}
