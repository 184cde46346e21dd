package engine

import (
	"context"
	"errors"
	"time"
)

// Errors that a caller branches on. Implementations wrap them with what was being done.
var (
	// ErrBusy: the queue is full; try again after the time in a [BusyError], if one is in the
	// chain.
	ErrBusy = errors.New("all slots are taken and the queue is full")
	// ErrQueueTimeout: the turn waited longer than the queue timeout. Next returns it.
	ErrQueueTimeout = errors.New("no slot became free in time")
	// ErrContextExceeded: the prompt alone is as long as the context or longer. See
	// [ContextError].
	ErrContextExceeded = errors.New("the prompt does not fit the context")
	// ErrWorkerLost: the process that held the model ended. A turn that has sent nothing may
	// be tried again.
	ErrWorkerLost = errors.New("the model's worker ended")
	// ErrUnsupported: this engine or model cannot do what was asked (embeddings of a chat
	// model, answers of one that only embeds).
	ErrUnsupported = errors.New("not supported by this model")
	// ErrInexact: the turn wants its grammar kept to exactly, and the engine cannot.
	ErrInexact = errors.New("the model's engine cannot keep to the whole grammar")
	// ErrClosed: the engine was closed.
	ErrClosed = errors.New("the model was unloaded")
)

// BusyError is ErrBusy with a hint of when to come back.
type BusyError struct {
	RetryAfter time.Duration
}

func (e *BusyError) Error() string { return ErrBusy.Error() }
func (e *BusyError) Unwrap() error { return ErrBusy }

// ContextError is ErrContextExceeded with the figures, in tokens.
type ContextError struct {
	Prompt, Context int
}

func (e *ContextError) Error() string { return ErrContextExceeded.Error() }
func (e *ContextError) Unwrap() error { return ErrContextExceeded }

// Kinds names the errors that callers branch on.
var Kinds = map[string]error{
	"busy":             ErrBusy,
	"queue_timeout":    ErrQueueTimeout,
	"context_exceeded": ErrContextExceeded,
	"worker_lost":      ErrWorkerLost,
	"unsupported":      ErrUnsupported,
	"inexact":          ErrInexact,
	"closed":           ErrClosed,
	"cancelled":        context.Canceled,
}

// Fault is an error as it goes to another process or into a record: its words, and what callers
// branch on.
type Fault struct {
	Kind       string        `json:"kind,omitempty"` // "": nobody branches on it
	Message    string        `json:"message"`
	RetryAfter time.Duration `json:"retry_after,omitempty"` // nanoseconds
	// where the prompt does not fit the context
	Prompt  int `json:"prompt_tokens,omitempty"`
	Context int `json:"context,omitempty"`
}

// FaultOf describes an error.
func FaultOf(err error) *Fault {
	f := &Fault{Message: err.Error()}
	for kind, e := range Kinds {
		if errors.Is(err, e) {
			f.Kind = kind
		}
	}
	var busy *BusyError
	if errors.As(err, &busy) {
		f.RetryAfter = busy.RetryAfter
	}
	var over *ContextError
	if errors.As(err, &over) {
		f.Prompt, f.Context = over.Prompt, over.Context
	}
	return f
}

// Err is an error with the words and the identity of the one that f describes.
func (f *Fault) Err() error {
	cause := Kinds[f.Kind]
	switch {
	case errors.Is(cause, ErrBusy):
		cause = &BusyError{RetryAfter: f.RetryAfter}
	case errors.Is(cause, ErrContextExceeded):
		cause = &ContextError{Prompt: f.Prompt, Context: f.Context}
	}
	return &faultError{f.Message, cause}
}

type faultError struct {
	message string
	cause   error // may be nil
}

func (e *faultError) Error() string { return e.message }
func (e *faultError) Unwrap() error { return e.cause }
