package agent

import "context"

// RequestServer is an MCP server that a request names, rather than the configuration.
type RequestServer struct {
	Label   string            // what the request calls it; the Source of its tools
	URL     string            // of streamable HTTP
	Headers map[string]string // what the request gives for this server alone: its credentials. Never logged, never kept
	Field   string            // where the server stands in the request, for errors
}

// Connector reaches servers that requests name.
type Connector interface {
	// Connect connects until ctx ends. A server whose host the configuration does not allow, as it
	// is written or once it is resolved, is refused with an error that says so; nothing has been sent
	// to it then.
	Connect(ctx context.Context, s RequestServer) (Source, error)
}
