// Package anthropic speaks Anthropic's Messages API (https://docs.anthropic.com/en/api/messages).
//
// # Files
//
//	wire.go                                  the protocol's structs and nothing else
//	handler.go                               the endpoints
//	decode.go, decode_blocks.go,             a request becomes a chat.Request: settings,
//	client_tools.go                          messages of blocks, tools that are declared by
//	                                         their type alone
//	hosted.go                                tools that the server executes: asked for, and
//	                                         shown
//	encode.go, stream.go                     a result becomes a message, events those of the
//	                                         stream
//	signature.go                             signs thinking, so that what a client sends back
//	                                         can be told from what it changed
//	errors.go                                errors become statuses and bodies
package anthropic
