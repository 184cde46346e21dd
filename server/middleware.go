package server

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"tenon/server/chat"
	"tenon/server/wire"
)

// requestID gives every answer an id; a client's own id is kept. Anthropic's SDKs look for it
// under a name of their own.
func requestID(c *gin.Context) {
	id := c.GetHeader(wire.RequestID)
	if !printable(id) {
		id = "req_" + rand.Text()
	}
	c.Header(wire.RequestID, id)
	c.Header("Request-Id", id)
	c.Next()
}

// printable tells whether a client's id can stand in a header and a log line.
func printable(id string) bool {
	const longest = 128
	if id == "" || len(id) > longest {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}

// recoverPanic turns a bug into a 500 for one request. The log has the stack, the client only the
// id.
func recoverPanic(c *gin.Context) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if p == http.ErrAbortHandler { //nolint:errorlint // a panic value, compared as net/http compares it
			panic(p)
		}
		id := c.Writer.Header().Get(wire.RequestID)
		slog.Error("panic in a handler", "request", id, "panic", p, "stack", string(debug.Stack()))
		if !c.Writer.Written() {
			writeError(c, &chat.Error{Message: "internal error; the log has it under " + id})
		}
	}()
	c.Next()
}

// refuseWhileDraining lets only probes through once the server is about to end.
func refuseWhileDraining(draining func() bool) gin.HandlerFunc {
	const again = 5 * time.Second // by then another server may listen
	return func(c *gin.Context) {
		if draining != nil && draining() && !strings.HasPrefix(c.Request.URL.Path, "/health") {
			writeError(c, &chat.Error{Kind: chat.Unavailable, Message: "the server is shutting down; try again later", RetryAfter: again})
			return
		}
		c.Next()
	}
}

// refuseWhileLoading lets no turn in until every model that was named at start is loaded: it is
// told how far that is. A model that is loaded because a turn asks for it makes that turn wait, no
// other.
func refuseWhileLoading(r Readiness) gin.HandlerFunc {
	const again = 5 * time.Second
	return func(c *gin.Context) {
		if r == nil || c.Request.Method != http.MethodPost || strings.HasPrefix(c.Request.URL.Path, ownPrefix) {
			c.Next()
			return
		}
		model, progress, err := r.Ready()
		// a model that cannot be loaded is its own requests' error
		if model == "" || err != nil {
			c.Next()
			return
		}
		writeError(c, &chat.Error{
			Kind: chat.Unavailable, RetryAfter: again,
			Message: fmt.Sprintf("%s is loading, %.0f %% done; try again later; /health tells when", model, 100*progress),
		})
	}
}
