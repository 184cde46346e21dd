// Package openai speaks OpenAI's Chat Completions API
// (https://platform.openai.com/docs/api-reference/chat). Errors have the shape that package wire
// gives them.
//
// # Files
//
//	wire.go                                  the protocol's structs and nothing else
//	handler.go                               the endpoints of chat completions
//	decode.go, decode_messages.go,           a request becomes a chat.Request: limits, the
//	decode_tools.go, decode_sampling.go,     conversation, tools and the form of the answer,
//	functions.go                             sampling, the older form of tools
//	encode.go, stream.go                     a result becomes a body, events become chunks
//	completions.go, decode_completions.go    the older text completions
//	embeddings.go, tokenize.go               vectors; llama-server's routes about tokens and
//	                                         templates
package openai
