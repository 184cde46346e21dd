package server

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"tenon/models/catalog"
	"tenon/server/agent"
	"tenon/server/chat"
	"tenon/server/chat/loader"
	"tenon/server/fleet"
	"tenon/server/lmstudio"
	"tenon/server/lmstudio/socket"
	"tenon/server/responses"
	"tenon/server/telemetry"
)

// Options configure a server. Service and Models must be set.
type Options struct {
	Service *chat.Service
	Models  Models
	// what executes tools, on Service; nil: nothing does
	Agent *agent.Service
	// where responses are kept; nil: in memory
	Responses *responses.Store
	// what /metrics tells of engines; nil: nothing
	Engines Engines
	// nil: always ready
	Readiness Readiness
	// what is to be known of a model, for its entry in /v1/models; nil: nothing
	Warnings func(id string) []string
	// tenon's own API; the zero value: there is none
	Fleet fleet.API
	// whether new requests are refused, but for /health; nil: never
	Draining func() bool
	// closed when the server begins to drain, for sockets; nil: never
	Stopping <-chan struct{}
	// what LM Studio's clients load; nil: their routes are not served
	LMStudio lmstudio.Fleet
	// what a model's file says it can; set with LMStudio
	Traits func(catalog.Entry) loader.Traits
	// turns that run at once on a model, as set; nil: not known
	Slots func(id string) int
	// of this server, as it is told to them
	Version string
	// what /metrics shows; nil: a registry of the server's own
	Metrics *prometheus.Registry
	// who gets a span of each request; nil: nobody
	Telemetry *telemetry.Telemetry

	Keys         []Key    // none: no key is asked for
	AllowedHosts []string // names for the Host header; nil: any. See [LoopbackHosts]
	CORSOrigins  []string // web pages that may call; nil: none
	// largest body in bytes, and a quarter of those in flight together; 0 means 64 MiB
	MaxBody int64

	Heartbeat time.Duration // longest silence of a stream; 0: [sse.DefaultEvery]

	Log        *slog.Logger // access log; nil: slog.Default()
	LogPrompts bool         // prompts and answers go into the access log
	// how many requests' records are kept for GET /debug/requests/{id}; 0: none, and no such
	// route
	DebugRequests int
}

// DefaultMaxBody is the largest request body, in bytes, where nothing else is said.
const DefaultMaxBody = 64 << 20

// New returns the handler of all routes.
func New(o Options) http.Handler {
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Agent == nil {
		o.Agent = agent.New(o.Service, agent.Options{})
	}
	gin.SetMode(gin.ReleaseMode)
	g := gin.New()
	g.RedirectTrailingSlash = false // a redirected POST loses its body in some clients
	g.HandleMethodNotAllowed = true
	g.UseRawPath = true // model ids may hold %2F
	if o.Metrics == nil {
		o.Metrics = prometheus.NewRegistry()
	}
	m, kept := newMetrics(o.Metrics, o.Engines, o.Models), newRecords(o.DebugRequests)
	seen := observer{log: o.Log, logPrompts: o.LogPrompts, metrics: m, telemetry: o.Telemetry, kept: kept, streamed: &socket.Logs{}}
	held := &bodies{most: o.MaxBody}
	g.Use(held.limit, requestID, seen.observe, recoverPanic, checkHost(o.AllowedHosts), checkPage(o.CORSOrigins), cors(o.CORSOrigins), authenticate(o.Keys), refuseWhileDraining(o.Draining), refuseWhileLoading(o.Readiness))
	routes(g, o, seen)
	lmstudioRoutes(g, o, seen, held)
	g.NoRoute(noRoute)
	g.NoMethod(noMethod)
	return g
}
