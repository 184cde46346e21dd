// Package responses speaks OpenAI's Responses API
// (https://platform.openai.com/docs/api-reference/responses). A turn's events become the response
// and, in the documented sequence, the stream's events. Errors have the shape that package wire
// gives them.
//
// # Files
//
//	wire.go                                  the protocol's structs and nothing else
//	handler.go, background.go                the endpoints; responses that go on without
//	                                         their client
//	decode.go, decode_items.go,              a request becomes a chat.Request: limits, the
//	decode_tools.go                          conversation, tools
//	encode.go, build.go, hosted.go           how a response begins; what events make of it
//	                                         and of the stream; calls that the server
//	                                         executed
//	errors.go                                what a failed stream tells
//	input_items.go                           items as the list of input items shows them
//	store.go                                 keeps responses for previous_response_id and the
//	                                         retrieval routes, bounded in size and age
//	store_local.go, store_disk.go            in memory, or in a folder
//	store_postgres.go, store_schema.go       in a database that several servers share
//	                                         (REPLICAS.md), and its tables
package responses
