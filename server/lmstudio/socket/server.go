package socket

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"tenon/server/chat"
	"tenon/server/chat/owned"
	"tenon/server/lmstudio"
	"tenon/server/wire"
)

// Namespaces are the sockets that SDKs open, each a path of its own.
var Namespaces = []string{"llm", "embedding", "system", "files", "repository", "diagnostics", "plugins", "runtime"}

// Options are what the sockets serve. All but Stopping and Beat must be set.
type Options struct {
	Service lmstudio.Service
	Models  lmstudio.Models
	Version string
	// Admit tells who a client is by what its first frame says, and returns ctx with the
	// caller.
	Admit func(ctx context.Context, identifier, passkey string) (context.Context, error)
	// Manage refuses callers that may not change which models are loaded.
	Manage func(ctx context.Context) error
	// Watch is called as a prediction begins, and returns its context and what is called at
	// its end.
	Watch func(ctx context.Context, endpoint string) (context.Context, func())
	Logs  *Logs // what streamLogs tells
	// closed when the server drains: sockets end once nothing runs on them. nil: never
	Stopping <-chan struct{}
	MaxFrame int64 // bytes of a frame
	// Hold counts bytes of frames as they are read, and, less than none, once what they began
	// has ended. An error ends the socket.
	Hold func(bytes int64) error
	// how long a channel may be silent before its last progress is sent again; 0: 20 s
	Beat time.Duration
}

const defaultBeat = 20 * time.Second // Python's SDK gives up after 60 s without a packet

// Server serves the sockets. Make it with New.
type Server struct {
	Options
	files *owned.Table[string, upload] // by identifier
}

// New returns the sockets' server.
func New(o Options) *Server {
	o.Beat = cmp.Or(o.Beat, defaultBeat)
	return &Server{o, owned.New[string, upload](mostFiles)}
}

// Handler serves the socket of a namespace until it ends.
func (s *Server) Handler(ns string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			wire.WriteOpenAIError(w, &chat.Error{Kind: chat.NoRoute, Message: "/" + ns + " is a WebSocket for LM Studio's SDKs"})
			return
		}
		// Which pages may connect was decided before: a page without leave does not come
		// this far.
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
		if err != nil {
			return // it has been answered
		}
		// a request that was taken over ends no context
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		defer cancel()
		c := newConn(ctx, cancel, s, namespace(ns), ws)
		c.serve()
	}
}

// Greeting answers GET /lmstudio-greeting, by which SDKs find a server.
func (s *Server) Greeting(w http.ResponseWriter, _ *http.Request) {
	wire.WriteJSON(w, http.StatusOK, map[string]any{"lmstudio": true})
}

// Status answers GET /lms-status, by which the lms command finds one.
func (s *Server) Status(w http.ResponseWriter, _ *http.Request) {
	wire.WriteJSON(w, http.StatusOK, map[string]any{"package": "tenon", "version": s.Version})
}

const (
	mostIdentifier = 256 // characters of each half of a client's credentials
	// bytes of the first frame: nobody counts it, and who sends it may have no key
	mostFirst = 16 << 10
)

// authenticate reads the first frame and answers it. Nothing may be sent before.
func (c *conn) authenticate() bool {
	ctx, cancel := context.WithTimeout(c.ctx, authPatience)
	defer cancel()
	c.ws.SetReadLimit(min(mostFirst, c.server.MaxFrame))
	_, raw, err := c.ws.Read(ctx)
	if err != nil {
		return false
	}
	if err := c.admit(raw); err != nil {
		c.out.send(packet{"success": false, "error": chat.AsError(err).Error()})
		c.out.close()
		// it ends either way
		_ = c.ws.Close(websocket.StatusPolicyViolation, "not authenticated")
		return false
	}
	c.ws.SetReadLimit(c.server.MaxFrame)
	c.out.send(packet{"success": true})
	return true
}

func (c *conn) admit(raw []byte) error {
	var f struct {
		AuthVersion                     int
		ClientIdentifier, ClientPasskey string
	}
	if err := json.Unmarshal(raw, &f); err != nil || f.AuthVersion != 1 {
		return chat.Invalidf("authVersion", "the first frame must be {authVersion: 1, clientIdentifier, clientPasskey}")
	}
	if utf8.RuneCountInString(f.ClientIdentifier) > mostIdentifier || utf8.RuneCountInString(f.ClientPasskey) > mostIdentifier {
		return chat.Invalidf("clientIdentifier", "it and clientPasskey may have %d characters each", mostIdentifier)
	}
	ctx, err := c.server.Admit(c.ctx, f.ClientIdentifier, f.ClientPasskey)
	if err == nil {
		c.ctx = ctx
	}
	return err
}
