package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tenon/engine"
)

// ErrorKind is what went wrong, for a protocol to map to its own status and type.
type ErrorKind uint8

const (
	Internal         ErrorKind = iota // ours
	Invalid                           // the request; Field says where
	NotFound                          // the model
	TooLong                           // the prompt does not fit the context
	Busy                              // the queue is full; RetryAfter says when to come back
	Unavailable                       // loading, draining, a worker that ended
	ClientGone                        // nobody reads the answer
	NotSupportedHere                  // well-formed, but not by this model
	TooLarge                          // from here on the door's: the body
	NoRoute                           // the path
	NoMethod                          // the method, on this path
	Unauthorized                      // no valid API key
	Forbidden                         // by the host check
)

func (k ErrorKind) String() string {
	return [...]string{
		"internal", "invalid", "not_found", "too_long", "busy", "unavailable", "client_gone", "not_supported_here",
		"too_large", "no_route", "no_method", "unauthorized", "forbidden",
	}[k]
}

// Error is why there is no answer: what failed in a turn, or at the server's door.
type Error struct {
	Kind       ErrorKind
	Field      string // of the request, such as "messages[3].content"
	Message    string // says what is wrong and what would be accepted
	Code       string // a protocol's own code for it, if it has one
	RetryAfter time.Duration
	Err        error // what caused it, for the log

	embeds bool // it is about a text to embed, which may fill the context
}

func (e *Error) Error() string {
	if e.Field == "" {
		return shortened(e.Message)
	}
	return e.Place() + ": " + shortened(e.Message)
}

// Place is the field, for a protocol that tells it apart from the message. A client may have
// written it.
func (e *Error) Place() string { return shortened(e.Field) }

// shortened leaves out the middle of what a client wrote at length: an error is no place to send
// it back.
func shortened(text string) string {
	const most, end = 1000, 200 // bytes
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-end], "") + " … " + strings.ToValidUTF8(text[len(text)-end:], "")
}

func (e *Error) Unwrap() error { return e.Err }

// Invalidf is an Error for a field of the request.
func Invalidf(field, format string, args ...any) *Error {
	return &Error{Kind: Invalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// ofEngine maps engine errors, and a canceled context, to kinds. The first row that matches
// counts.
var ofEngine = []struct {
	err  error
	kind ErrorKind
}{
	{context.Canceled, ClientGone},
	{engine.ErrContextExceeded, TooLong},
	{engine.ErrBusy, Busy},
	{engine.ErrQueueTimeout, Unavailable}, {engine.ErrWorkerLost, Unavailable}, {engine.ErrClosed, Unavailable},
	{engine.ErrUnsupported, NotSupportedHere}, {engine.ErrInexact, NotSupportedHere},
}

// AsError gives any error of a turn its kind.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	kind := Internal
	for _, row := range ofEngine {
		if errors.Is(err, row.err) {
			kind = row.kind
			break
		}
	}
	e = &Error{Kind: kind, Message: err.Error(), Err: err}
	var busy *engine.BusyError
	if errors.As(err, &busy) {
		e.RetryAfter = busy.RetryAfter
	}
	return e
}

// NoModel says that a request has to name a model.
func NoModel() *Error {
	return Invalidf("model", "is required; GET /v1/models lists what there is")
}

// Stopped is why requests end that are left when the server does.
func Stopped() *Error {
	return &Error{Kind: Unavailable, Message: "the server has ended before the answer; try again later"}
}

// UnknownModel says that no model has the name, and which there are.
func UnknownModel(name string, known []string) *Error {
	return &Error{Kind: NotFound, Field: "model", Message: fmt.Sprintf("there is no model %q; there is: %s", name, strings.Join(known, ", "))}
}

// AsErrorOrNil is AsError, but nil stays nil.
func AsErrorOrNil(err error) error {
	if err == nil {
		return nil
	}
	return AsError(err)
}

// IsClientGone tells whether a turn ended only because nobody reads it.
func IsClientGone(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == ClientGone
}
