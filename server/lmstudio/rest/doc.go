// Package rest serves LM Studio's REST API. v1 (models.go, chat.go) has shapes of
// its own; v0 is OpenAI's protocol with figures beside the answer, and package openai
// serves it.
//
// # Files
//
//	api.go                                   the endpoints, errors, reading a body
//	chat.go, integrations.go                 a chat, and tools of MCP servers in it
//	models.go                                models: listed, loaded, unloaded, downloaded
package rest
