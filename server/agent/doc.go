// Package agent runs tools inside a turn: the model calls, the server executes, the model goes on.
//
// It is opt-in. Without configuration no [Tool] exists, and a request runs as if the package were
// not there. Who offers tools (package builtin, MCP servers) gives a [Source]; the loop asks it for
// its tools when a request begins.
package agent
