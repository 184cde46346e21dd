// Package openai speaks OpenAI's Chat Completions API
// (https://platform.openai.com/docs/api-reference/chat).
//
// wire.go holds the protocol's structs and nothing else, decode.go turns a request into a
// chat.Request, encode.go a result into a body, stream.go events into chunks. Errors have the
// shape that package wire gives them.
package openai
