package wire

import (
	"cmp"
	"fmt"
	"net/http"

	"tenon/server/chat"
)

// openAITypes are the types of OpenAI's errors that are not the client's, openAICodes their codes.
var (
	openAITypes = map[chat.ErrorKind]string{
		chat.Internal: "server_error", chat.Unavailable: "server_error", chat.Busy: "rate_limit_error", chat.ClientGone: "client_closed_request",
	}
	openAICodes = map[chat.ErrorKind]string{
		chat.NotSupportedHere: "unsupported", chat.TooLong: "context_length_exceeded", chat.TooLarge: "body_too_large",
		chat.NotFound: "model_not_found", chat.NoRoute: "unknown_url", chat.NoMethod: "method_not_allowed", chat.Unauthorized: "invalid_api_key",
		chat.Forbidden: "host_not_allowed", chat.Busy: "rate_limit_exceeded", chat.Unavailable: "unavailable",
	}
)

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
	return OpenAIError{openAIError{
		Message: Message(e), Type: cmp.Or(openAITypes[e.Kind], "invalid_request_error"), Param: Optional(e.Place()), Code: Optional(cmp.Or(e.Code, openAICodes[e.Kind])),
	}}
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
	prompt, most, ok := e.Overflowed()
	if !ok {
		return e.Error()
	}
	return fmt.Sprintf("Your input exceeds the context window of this model: this model's maximum context length is %d tokens. "+
		"However, your messages resulted in %d tokens. Please reduce the length of the messages. %s", most, prompt, e.Error())
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
