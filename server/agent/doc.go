// Package agent runs tools inside a turn: the model calls, the server executes, the model goes on.
//
// It is opt-in. Without configuration no [Tool] exists, and a request runs as if the package were
// not there. Who offers tools (package builtin, MCP servers) gives a [Source]; the loop asks it
// for its tools when a request begins.
//
// [Service.Run] stands before the one of package chat and has the same events, so protocols show
// what is executed as they show text. One round after the other it
//
//  1. has the model answer, the tools of the request and of the server declared alike (loop.go),
//  2. passes on what is the client's: text, thinking, calls of the client's own tools,
//  3. validates each call of a server's tool, asks where it must, executes it (call.go), writes it
//     into the [Journal], cuts the result to what the context has room for (cut_results.go) and
//     adds it to the conversation,
//
// until there is no such call, one waits for approval, a client's tool was called too, or a limit
// is met: then a last round without tools brings the answer.
//
// What a request may use is decided once, before the first round, from the configuration and the
// request alone (toolset.go). A result is text for the model. Nothing in it is read here, so it
// can approve nothing, name no tool and change no limit.
//
// # Files
//
//	service.go, loop.go                      what may be configured; the rounds of a request
//	tool.go, toolset.go, grants.go           a tool and where it comes from; which ones a
//	                                         request has, and who may
//	call.go, defaults.go                     a call: checked, approved, executed; arguments
//	                                         that it leaves out
//	aid.go                                   what a running tool may ask of the model and of
//	                                         the user
//	cut_results.go                           results that the context has no room for
//	journal.go                               a log of executed calls
package agent
