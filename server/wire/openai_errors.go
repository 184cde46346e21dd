package wire

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"

	"tenon/engine"
	"tenon/server/chat"
)

// openAIShape maps a kind of error to its status, type and code.
func openAIShape(k chat.ErrorKind) (status int, kind, code string) {
	switch k {
	case chat.Invalid:
		return http.StatusBadRequest, "invalid_request_error", ""
	case chat.NotSupportedHere:
		return http.StatusBadRequest, "invalid_request_error", "unsupported"
	case chat.TooLong:
		return http.StatusBadRequest, "invalid_request_error", "context_length_exceeded"
	case chat.TooLarge:
		return http.StatusRequestEntityTooLarge, "invalid_request_error", "body_too_large"
	case chat.NotFound:
		return http.StatusNotFound, "invalid_request_error", "model_not_found"
	case chat.NoRoute:
		return http.StatusNotFound, "invalid_request_error", "unknown_url"
	case chat.NoMethod:
		return http.StatusMethodNotAllowed, "invalid_request_error", "method_not_allowed"
	case chat.Unauthorized:
		return http.StatusUnauthorized, "invalid_request_error", "invalid_api_key"
	case chat.Forbidden:
		return http.StatusForbidden, "invalid_request_error", "host_not_allowed"
	case chat.Busy:
		return http.StatusTooManyRequests, "rate_limit_error", "rate_limit_exceeded"
	case chat.Unavailable:
		return http.StatusServiceUnavailable, "server_error", "unavailable"
	case chat.ClientGone:
		return StatusClientClosed, "client_closed_request", ""
	default:
		return http.StatusInternalServerError, "server_error", ""
	}
}

// Status is the HTTP status of a kind of error, in every protocol but Anthropic's and LM Studio's
// REST v1.
func Status(k chat.ErrorKind) int {
	status, _, _ := openAIShape(k)
	return status
}

// OpenAIError is what every failed request to a protocol of OpenAI's gets, and what a stream gets
// as data once it has begun.
type OpenAIError struct {
	Error openAIError `json:"error"`
}

type openAIError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// EncodeOpenAIError gives an error the shape of
// https://platform.openai.com/docs/guides/error-codes.
func EncodeOpenAIError(e *chat.Error) OpenAIError {
	_, kind, code := openAIShape(e.Kind)
	return OpenAIError{openAIError{Message: Message(e), Type: kind, Param: Optional(e.Place()), Code: Optional(cmp.Or(e.Code, code))}}
}

// OfInput is an error in the terms of a protocol that calls input what others call messages.
func OfInput(err error) *chat.Error {
	e := *chat.AsError(err)
	if e.Field == "messages" {
		e.Field = "input"
	}
	return &e
}

// Message says of a prompt that does not fit, in the words by which clients recognise that and
// shorten their history, how long it is and how long it may be.
func Message(e *chat.Error) string {
	var over *engine.ContextError
	if e.Kind != chat.TooLong || !errors.As(e, &over) {
		return e.Error()
	}
	return fmt.Sprintf("Your input exceeds the context window of this model: this model's maximum context length is %d tokens. "+
		"However, your messages resulted in %d tokens. Please reduce the length of the messages. %s", over.Context, over.Prompt, e.Error())
}

// WriteOpenAIError answers with an error. Package server uses it for unknown routes too.
func WriteOpenAIError(w http.ResponseWriter, e *chat.Error) {
	RetryAfter(w, e)
	WriteJSON(w, Status(e.Kind), EncodeOpenAIError(e))
}

// Optional is nil for "", for fields that are null or absent then.
func Optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
