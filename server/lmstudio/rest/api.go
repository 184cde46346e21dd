package rest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"tenon/server/chat"
	"tenon/server/chat/owned"
	"tenon/server/lmstudio"
	"tenon/server/wire"
	"tenon/templates"
)

// API serves the endpoints. Make it with New.
type API struct {
	service lmstudio.Service
	models  lmstudio.Models
	// chats are stored answers, each with the conversation up to it: any of them can be gone
	// on from, by whoever asked.
	chats     *owned.Table[string, []templates.Message]
	downloads lmstudio.Downloads

	heartbeat time.Duration // longest silence of a stream; 0: the default
}

// mostChats bounds the stored chats.
var mostChats = owned.Size{Entries: 10_000, Bytes: 64 << 20}

// New returns the endpoints.
func New(s lmstudio.Service, m lmstudio.Models, heartbeat time.Duration) *API {
	return &API{service: s, models: m, chats: owned.New[string, []templates.Message](mostChats), heartbeat: heartbeat}
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

// types are those of the kinds of errors; others are internal_error.
var types = map[chat.ErrorKind]string{
	chat.NotSupportedHere: "not_implemented", chat.NotFound: "model_not_found", chat.Invalid: "invalid_request", chat.TooLong: "invalid_request",
	chat.NoRoute: "invalid_request", chat.NoMethod: "invalid_request", chat.TooLarge: "invalid_request", chat.Unauthorized: "invalid_request", chat.Forbidden: "invalid_request",
}

func encodeError(err error) errorBody {
	e := chat.AsError(err)
	body := errorBody{wireError{Type: cmp.Or(types[e.Kind], "internal_error"), Message: e.Error(), Code: e.Code, Param: e.Place()}}
	if e.Kind == chat.Unauthorized {
		body.Error.Code = "invalid_api_key"
	}
	return body
}

// WriteError answers with an error in LM Studio's shape.
func WriteError(w http.ResponseWriter, err error) {
	e := chat.AsError(err)
	wire.RetryAfter(w, e)
	wire.WriteJSON(w, wire.Status(e.Kind), encodeError(err))
}

// read decodes a body. Harmless members have no effect, and a header names them. Members that LM
// Studio does not know are refused, as it does.
func read(w http.ResponseWriter, r *http.Request, v any, harmless map[string]wire.Type) error {
	others, err := wire.Decode(r.Body, v, wire.Others{Harmless: harmless})
	if err == nil {
		err = known(slices.DeleteFunc(slices.Clone(others), func(name string) bool { return harmless[name] != "" }), nil)
	}
	if err == nil {
		wire.SetIgnored(w, others)
	}
	return err
}

// known refuses the members that decoding found unknown.
func known(unknown []string, err error) error {
	if err == nil && len(unknown) > 0 {
		err = chat.Invalidf(unknown[0], "is not known (Unrecognized key(s) in object: '%s')", unknown[0])
	}
	return err
}

// size is a member that counts something.
type size struct {
	name      string
	asked, to *int // asked is nil where it is absent
}

func decodeSizes(all ...size) error {
	for _, s := range all {
		if s.asked == nil {
			continue
		}
		if *s.to = *s.asked; *s.asked < 1 || *s.asked > math.MaxInt32 {
			return chat.Invalidf(s.name, "is %d; expected 1 to %d", *s.asked, math.MaxInt32)
		}
	}
	return nil
}

// change reads a request that changes the fleet, and answers what do returns.
func change[P any](w http.ResponseWriter, r *http.Request, harmless map[string]wire.Type, do func(context.Context, P) (any, error)) {
	var p P
	var out any
	err := read(w, r, &p, harmless)
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
