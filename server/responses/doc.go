// Package responses speaks OpenAI's Responses API
// (https://platform.openai.com/docs/api-reference/responses).
//
// wire.go holds the protocol's structs and nothing else; decode.go, decode_items.go and
// decode_tools.go turn a request into a chat.Request, encode.go begins the response, build.go
// turns a turn's events into the response and, in the documented sequence, into the stream's
// events. Errors have the shape that package wire gives them. store.go keeps responses for
// previous_response_id and the retrieval routes, bounded in size and age: in memory or on disk
// (store_local.go, store_disk.go), or in a database that several servers share (store_postgres.go;
// REPLICAS.md says what holds between them). background.go runs responses that go on without their
// client.
package responses
