// Package anthropic speaks Anthropic's Messages API (https://docs.anthropic.com/en/api/messages).
//
// wire.go holds the protocol's structs and nothing else, decode.go turns a request into a
// chat.Request, encode.go a result into a message, stream.go events into the stream's events,
// errors.go errors into statuses and bodies. signature.go signs thinking, so that what a client
// sends back can be told from what it changed.
package anthropic
