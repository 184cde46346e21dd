package anthropic

import (
	"errors"
	"fmt"
	"net/http"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/wire"
)

// shape maps a kind of error to its status and type (https://docs.anthropic.com/en/api/errors).
func shape(k chat.ErrorKind) (status int, kind string) {
	switch k {
	case chat.Invalid, chat.TooLong, chat.NotSupportedHere:
		return http.StatusBadRequest, "invalid_request_error"
	case chat.TooLarge:
		return http.StatusRequestEntityTooLarge, "request_too_large"
	case chat.NotFound, chat.NoRoute:
		return http.StatusNotFound, "not_found_error"
	case chat.NoMethod:
		return http.StatusMethodNotAllowed, "invalid_request_error"
	case chat.Unauthorized:
		return http.StatusUnauthorized, "authentication_error"
	case chat.Forbidden:
		return http.StatusForbidden, "permission_error"
	case chat.Busy:
		return http.StatusTooManyRequests, "rate_limit_error"
	case chat.Unavailable:
		return http.StatusServiceUnavailable, "overloaded_error"
	case chat.ClientGone:
		return wire.StatusClientClosed, "api_error"
	default:
		return http.StatusInternalServerError, "api_error"
	}
}

func body(e *chat.Error, requestID string) errorBody {
	_, kind := shape(e.Kind)
	b := errorBody{Type: "error", Error: wireError{Type: kind, Message: e.Error()}, RequestID: requestID}
	if e.Kind == chat.TooLong {
		b.Error.Message = tooLong(e)
	}
	if e.Code == codeThread {
		b.Error.Details = &errorDetails{ErrorCode: codeThread, Unsupported: []string{"thread"}}
	}
	return b
}

// tooLong begins with the words and figures of the real API, which clients look for to shorten
// their history.
func tooLong(e *chat.Error) string {
	var over *engine.ContextError
	if errors.As(e, &over) {
		return fmt.Sprintf("prompt is too long: %d tokens > %d maximum (%s)", over.Prompt, over.Context, e.Message)
	}
	return "prompt is too long: " + e.Error()
}

// WriteError answers with an error in this protocol's shape. Package server uses it for errors of
// its own.
func WriteError(w http.ResponseWriter, e *chat.Error) {
	status, _ := shape(e.Kind)
	wire.RetryAfter(w, e)
	wire.WriteJSON(w, status, body(e, w.Header().Get(wire.RequestID)))
}
