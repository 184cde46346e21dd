// Package server is the HTTP server: routes, middleware and errors for what no route matches. It
// is the only package that knows Gin.
//
// The life of a request:
//
//  1. routes.go maps POST /v1/chat/completions to openai.API.ChatCompletions; middleware gave it
//     an id and asked for a key, and refuses it while models load or the server drains.
//  2. The wire package decodes the body into a chat.Request, or answers 400 in its own shape,
//     naming the field.
//  3. chat.Service acquires the model, plans the turn (prompt, grammar, budget) and opens a
//     session on the engine.
//  4. The engine's tokens are parsed into chat.Events.
//  5. The wire package streams the events, or collects them into a whole answer: the same events,
//     so the same answer.
//
// Around it, observe.go counts and logs each request and keeps or sends its record (debug.go):
// what its turns saw and did, which the record.Record in its context writes down.
//
// What changes the fleet of models is tenon's own API (server/fleet, API.md), for admins alone
// (admin.go).
//
// Read server/chat next.
//
// # Files
//
//	server.go, routes.go                     making the server; every route there is
//	middleware.go, bodies.go, connections.go ids, panics and the answer while nothing can be
//	                                         served; how much bodies may be; silent
//	                                         connections
//	auth.go, admin.go, origins.go            keys, who may change the fleet, which hosts and
//	                                         web pages may call
//	models.go, ollama_props.go, health.go    which models there are, in the shapes of three
//	                                         protocols, of Ollama and of llama-server;
//	                                         whether they are ready
//	lmstudio.go, unserved.go                 the routes of LM Studio's clients; why a known
//	                                         path is not served
//	observe.go, debug.go                     what is logged and counted of a request; its
//	                                         record in the answer
//	metrics.go, metrics_engine.go            Prometheus metrics of requests and turns, and of
//	                                         the loaded engines
package server
