// Package rest serves LM Studio's REST API. v1 (models.go, chat.go) has shapes of
// its own; v0 is OpenAI's protocol with figures beside the answer, and package openai
// serves it.
package rest
