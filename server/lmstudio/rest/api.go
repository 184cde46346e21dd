package rest

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"tenon/server/chat"
	"tenon/server/lmstudio"
	"tenon/server/wire"
)

// API serves the endpoints. Make it with New.
type API struct {
	service lmstudio.Service
	models  lmstudio.Models
	manage  func(context.Context) error
	chats   chats

	downloads lmstudio.Downloads

	heartbeat time.Duration // longest silence of a stream; 0: the default
}

// New returns the endpoints. manage refuses callers that may not change which models are loaded;
// nil: all may.
func New(s lmstudio.Service, m lmstudio.Models, manage func(context.Context) error, heartbeat time.Duration) *API {
	if manage == nil {
		manage = func(context.Context) error { return nil }
	}
	return &API{service: s, models: m, manage: manage, chats: newChats(), heartbeat: heartbeat}
}

// errorBody is what every failed request gets.
type errorBody struct {
	Error wireError `json:"error"`
}

type wireError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
	Param   string `json:"param,omitempty"`
}

// encodeError maps a kind of error to its status and type.
func encodeError(err error) (int, errorBody) {
	e := wire.OfInput(err)
	status, kind := http.StatusInternalServerError, "internal_error"
	switch e.Kind {
	case chat.Invalid, chat.TooLong:
		status, kind = http.StatusBadRequest, "invalid_request"
	case chat.NotSupportedHere:
		status, kind = http.StatusBadRequest, "not_implemented"
	case chat.NotFound:
		status, kind = http.StatusNotFound, "model_not_found"
	case chat.NoRoute:
		status, kind = http.StatusNotFound, "invalid_request"
	case chat.NoMethod:
		status, kind = http.StatusMethodNotAllowed, "invalid_request"
	case chat.TooLarge:
		status, kind = http.StatusRequestEntityTooLarge, "invalid_request"
	case chat.Unauthorized:
		status, kind = http.StatusUnauthorized, "invalid_request"
	case chat.Forbidden:
		status, kind = http.StatusForbidden, "invalid_request"
	case chat.Busy:
		status, kind = http.StatusTooManyRequests, "internal_error"
	case chat.Unavailable:
		status = http.StatusServiceUnavailable
	case chat.ClientGone:
		status = wire.StatusClientClosed
	}
	body := errorBody{wireError{Type: kind, Message: e.Error(), Code: e.Code, Param: e.Place()}}
	if e.Kind == chat.Unauthorized {
		body.Error.Code = "invalid_api_key"
	}
	return status, body
}

// WriteError answers with an error in LM Studio's shape.
func WriteError(w http.ResponseWriter, err error) {
	status, body := encodeError(err)
	wire.RetryAfter(w, chat.AsError(err))
	wire.WriteJSON(w, status, body)
}

// read decodes a body. LM Studio refuses members that it does not know.
func read(r *http.Request, v any) error {
	unknown, err := wire.Decode(r.Body, v, wire.Others{})
	if err == nil && len(unknown) > 0 {
		err = chat.Invalidf(unknown[0], "is not known (Unrecognized key(s) in object: '%s')", unknown[0])
	}
	return err
}

// change reads a request that changes the fleet, and answers what do returns.
func change[P any](a *API, w http.ResponseWriter, r *http.Request, do func(context.Context, P) (any, error)) {
	var p P
	err := a.manage(r.Context())
	if err == nil {
		err = read(r, &p)
	}
	var out any
	if err == nil {
		out, err = do(r.Context(), p)
	}
	if err != nil {
		WriteError(w, err)
		return
	}
	wire.WriteJSON(w, http.StatusOK, out)
}

func missing(field string) error {
	return &chat.Error{Kind: chat.Invalid, Field: field, Code: "missing_required_parameter", Message: fmt.Sprintf("Missing required parameter: %s", field)}
}
