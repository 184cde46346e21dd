// Package wire is what the wire protocols have in common: reading one JSON object strictly,
// checking the ranges of numbers, writing JSON, the headers that every answer may carry, and what
// OpenAI's two protocols share: errors, logprobs, timings. It knows no protocol's requests.
//
// # Files
//
//	decode.go, unread.go, place.go           reading a body: its types, members that nobody
//	                                         reads, where a fault is
//	credentials.go                           a body without keys, as it may be kept
//	encode.go                                JSON, headers, how a stream begins and ends
//	errors.go                                the status of each kind of error
//	sampling.go                              sampling fields, by the engine's table
//	hosted.go                                tools of MCP servers that the server executes
//	openai_tools.go, freeform.go             tool_choice, custom tools, effort, the answer's
//	                                         form
//	openai_errors.go, logprobs.go, timings.go
//	                                         what OpenAI's answers hold
package wire
