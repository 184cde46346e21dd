package anthropic

import (
	"cmp"
	"fmt"
	"net/http"

	"tenon/server/chat"
	"tenon/server/wire"
)

// types are those of the kinds of errors (https://docs.anthropic.com/en/api/errors); others are
// api_error.
var types = map[chat.ErrorKind]string{
	chat.Invalid: "invalid_request_error", chat.TooLong: "invalid_request_error", chat.NotSupportedHere: "invalid_request_error",
	chat.NoMethod: "invalid_request_error", chat.TooLarge: "request_too_large", chat.NotFound: "not_found_error", chat.NoRoute: "not_found_error",
	chat.Unauthorized: "authentication_error", chat.Forbidden: "permission_error", chat.Busy: "rate_limit_error", chat.Unavailable: "overloaded_error",
}

func body(e *chat.Error, requestID string) errorBody {
	b := errorBody{Type: "error", Error: wireError{Type: cmp.Or(types[e.Kind], "api_error"), Message: e.Error()}, RequestID: requestID}
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
	if prompt, most, ok := e.Overflowed(); ok {
		return fmt.Sprintf("prompt is too long: %d tokens > %d maximum (%s)", prompt, most, e.Message)
	}
	return "prompt is too long: " + e.Error()
}

// WriteError answers with an error in this protocol's shape. Package server uses it for errors of
// its own.
func WriteError(w http.ResponseWriter, e *chat.Error) {
	wire.RetryAfter(w, e)
	wire.WriteJSON(w, wire.Status(e.Kind), body(e, w.Header().Get(wire.RequestID)))
}
