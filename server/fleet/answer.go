package fleet

import (
	"context"
	"errors"
	"net/http"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/models/store"
	"tenon/server/chat"
	"tenon/server/sse"
	"tenon/server/wire"
)

// read decodes a body. What it has wrong is answered.
func read(w http.ResponseWriter, r *http.Request, v any) bool {
	ignored, err := wire.Decode(r.Body, v, wire.Others{})
	if err == nil && len(ignored) > 0 {
		err = chat.Invalidf(ignored[0], "is no field of this request")
	}
	if b, ok := v.(*loadBody); err == nil && ok {
		if field, problem := b.check(); field != "" {
			err = chat.Invalidf(field, "%s", problem)
		}
	}
	if err != nil {
		WriteError(w, err)
	}
	return err == nil
}

// named demands a field.
func named(w http.ResponseWriter, field, value string) bool {
	if value == "" {
		WriteError(w, chat.Invalidf(field, "is required"))
	}
	return value != ""
}

// done answers what has nothing to tell.
func done(w http.ResponseWriter, err error) {
	if err != nil {
		WriteError(w, err)
		return
	}
	wire.WriteJSON(w, http.StatusOK, map[string]bool{"ok": true})
}

// answer runs long work and answers with its result; streamed, with events: progress, then done
// or error.
func answer(w http.ResponseWriter, r *http.Request, streamed bool, work func(ctx context.Context, event func(any)) (any, error)) {
	if !streamed {
		result, err := work(r.Context(), func(any) {})
		if err != nil {
			WriteError(w, err)
			return
		}
		wire.WriteJSON(w, http.StatusOK, result)
		return
	}
	stream := events(w)
	defer stream.Close()
	result, err := work(r.Context(), func(e any) { stream.Event("progress", e) })
	if err != nil {
		stream.Event("error", body(err))
		return
	}
	stream.Event("done", result)
}

// events begins a stream whose heartbeat is the event ping.
func events(w http.ResponseWriter) *sse.Writer {
	s := sse.NewWriter(w)
	s.Beat(0, func() { s.Event("ping", struct{}{}) })
	s.Begin()
	return s
}

// fault is an error as clients see it.
type fault struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
}

func body(err error) map[string]fault {
	_, kind, field := classify(err)
	return map[string]fault{"error": {kind, err.Error(), field}}
}

// WriteError answers in the shape of this API.
func WriteError(w http.ResponseWriter, err error) {
	status, _, _ := classify(err)
	wire.WriteJSON(w, status, body(err))
}

// classify maps an error to its status and type, and to the field at fault.
func classify(err error) (status int, kind, field string) {
	var (
		missing   *catalog.NotFoundError
		ambiguous *catalog.AmbiguousError
		room      *fleet.NoRoomError
		source    *store.SourceError
		load      *fleet.LoadError
		given     *chat.Error
	)
	own := chat.AsError(err) // which knows the engine's errors
	switch {
	case errors.As(err, &missing):
		return http.StatusNotFound, "model_not_found", "model"
	case errors.As(err, &ambiguous):
		return http.StatusBadRequest, "ambiguous_model", "model"
	case errors.As(err, &room):
		return http.StatusInsufficientStorage, "no_room", ""
	case errors.Is(err, store.ErrNoSpace):
		return http.StatusInsufficientStorage, "no_space", ""
	case errors.Is(err, fleet.ErrReadOnly):
		return http.StatusConflict, "read_only", "model"
	case errors.Is(err, catalog.ErrTaken):
		return http.StatusConflict, "name_taken", "alias"
	case errors.Is(err, engine.ErrBusy): // not a full queue: a model that is in use
		return http.StatusConflict, "busy", ""
	case errors.As(err, &source):
		return http.StatusBadGateway, "source_failed", "source"
	case errors.As(err, &given), own.Kind == chat.Unavailable:
		return ofTurn(own)
	case errors.As(err, &load):
		return http.StatusUnprocessableEntity, "load_failed", ""
	}
	return http.StatusInternalServerError, "internal", ""
}

// ofTurn is classify for errors that have a kind.
func ofTurn(e *chat.Error) (status int, kind, field string) {
	switch e.Kind {
	case chat.NotFound:
		return http.StatusNotFound, "model_not_found", e.Field
	case chat.Busy, chat.Unavailable:
		return http.StatusServiceUnavailable, "unavailable", ""
	case chat.Invalid:
		field = e.Field
	}
	return wire.Status(e.Kind), e.Kind.String(), field
}
