package server

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"tenon/server/chat"
)

// unserved are the documented routes of the protocols that this server does not have, by their
// beginning, and what to do instead. A client that asks for one learns that it did not mistype.
var unserved = []struct{ prefix, why string }{
	{"/v1/messages/batches", "batches are not served; send the messages one by one, many run at once"},
	{"/v1/batches", "batches are not served; send the requests one by one, many run at once"},
	{"/v1/conversations", "conversations are not kept; use previous_response_id, or send the items"},
	{"/v1/responses/compact", "nothing is compacted here"},
	{"/v1/prompts", "hosted prompts are not kept; send instructions and input"},
	{"/v1/files", "files are not kept; send their text"},
	{"/v1/uploads", "files are not kept; send their text"},
	{"/v1/vector_stores", "nothing is searched here"},
	{"/v1/containers", "no code is run here"},
	{"/v1/skills", "no code is run here"},
	{"/v1/audio", "this server reads and writes text only"},
	{"/v1/images", "this server reads and writes text only"},
	{"/v1/videos", "this server reads and writes text only"},
	{"/v1/realtime", "this server reads and writes text only"},
	{"/v1/moderations", "no model here moderates"},
	{"/v1/fine_tuning", "models are not trained here; --lora loads an adapter"},
	{"/v1/evals", "models are not evaluated here"},
	{"/v1/assistants", "assistants are not kept; use chat completions or responses"},
	{"/v1/threads", "threads are not kept; use chat completions or responses"},
	{"/v1/chatkit", "chat sessions are not kept; use chat completions or responses"},
	{"/v1/organization", "there is no organization here; keys are set when the server starts"},
	{"/api/chat", "Ollama's chats are not served; send them to /v1/chat/completions"},
	{"/api/generate", "Ollama's completions are not served; send them to /v1/completions"},
	{"/api/embed", "Ollama's embeddings are not served; ask /v1/embeddings"},
	{"/api/embeddings", "Ollama's embeddings are not served; ask /v1/embeddings"},
	{"/v1/projects", "there are no projects here; keys are set when the server starts"},
}

func noRoute(c *gin.Context) {
	message := "there is no route " + c.Request.Method + " " + c.Request.URL.Path
	if why := whyUnserved(c.Request); why != "" {
		message += ": " + why
	}
	writeError(c, &chat.Error{Kind: chat.NoRoute, Message: message})
}

func noMethod(c *gin.Context) {
	if whyUnserved(c.Request) != "" { // a route with a parameter there is of another kind
		noRoute(c)
		return
	}
	message := c.Request.Method + " is not allowed for " + c.Request.URL.Path + "; allowed: " + c.Writer.Header().Get("Allow")
	if c.Request.Method == http.MethodGet && strings.HasSuffix(c.Request.URL.Path, "completions") {
		message += "; completions are not kept"
	}
	writeError(c, &chat.Error{Kind: chat.NoMethod, Message: message})
}

func whyUnserved(r *http.Request) string {
	for _, u := range unserved {
		if rest, ok := strings.CutPrefix(r.URL.Path, u.prefix); ok && (rest == "" || rest[0] == '/') {
			return u.why
		}
	}
	return ""
}
