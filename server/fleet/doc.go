// Package fleet is tenon's own HTTP API for what no protocol has: which models are at hand and
// loaded, load, unload, pin, pull, remove, and the server's log. API.md describes it for those
// who call it.
//
// [API] decodes a request, asks the fleet (package models/fleet), and writes the answer; long
// work can be followed as server-sent events. Who may call what is decided before, in package
// server.
//
// # Files
//
//	api.go                                   the endpoints
//	wire.go                                  bodies and answers
//	answer.go                                reading, answering, following; errors
//	log.go                                   the server's log
package fleet
