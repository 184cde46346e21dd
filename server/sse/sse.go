// Package sse writes server-sent events (WHATWG HTML, section 9.2).
package sse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// idle is how long a stream may be silent before a keep-alive is sent: clients and proxies cut silent connections.
	idle = 5 * time.Second
	// patience is how long one write may take. A reader that is slower is treated as gone.
	patience = 30 * time.Second
	// backlog is how many bytes may wait for a reader that is slower than the model: some thousand events. Whoever writes
	// events holds a slot, and never waits for the network: a reader that falls further behind is treated as gone.
	backlog = 1 << 20
)

// Writer writes events to one response. Its methods may be called from any goroutine.
type Writer struct {
	w          http.ResponseWriter
	controller *http.ResponseController
	keepAlive  func() []byte
	sent       sync.WaitGroup // the goroutine that writes what waits, while there is one

	mu      sync.Mutex // guards what follows
	event   bytes.Buffer
	waiting []byte
	writing bool
	timer   *time.Timer
	err     error // of the first write that failed, or errClosed, or errSlow; no other write is tried after it
}

var (
	errClosed = errors.New("the stream has ended")
	errSlow   = fmt.Errorf("the reader is more than %d bytes behind", backlog)
)

// NewWriter begins the stream: it sends status 200 and the headers, so that errors from here on must be events.
// Five seconds without an event, and after each further five, a comment is sent, or the event ping if it is not "".
// Close must be called before the handler returns.
func NewWriter(w http.ResponseWriter, ping string) *Writer {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	s := &Writer{w: w, controller: http.NewResponseController(w), keepAlive: comment}
	if ping != "" {
		s.keepAlive = func() []byte { return pingEvent(ping) }
	}
	w.WriteHeader(http.StatusOK)
	_ = s.controller.Flush() // a writer that cannot flush still delivers, later
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = time.AfterFunc(idle, s.beat)
	return s
}

// Event sends v as JSON under a name; "" sends data alone, as Chat Completions does. It does not wait for the reader: an error
// is that of an earlier write.
func (s *Writer) Event(name string, v any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.event.Reset()
	if name != "" {
		fmt.Fprintf(&s.event, "event: %s\n", name)
	}
	s.event.WriteString("data: ")
	e := json.NewEncoder(&s.event)
	e.SetEscapeHTML(false) // the readers are no browsers, and model text is full of < and >
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("encode event %q: %w", name, err)
	}
	s.event.WriteByte('\n') // Encode has ended the line; JSON holds no other
	return s.send(s.event.Bytes())
}

// Data sends a literal, such as [DONE].
func (s *Writer) Data(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.send([]byte("data: " + text + "\n\n"))
}

// Close ends the keep-alives and waits until the reader has what was sent, or is given up. What is sent later is an error.
func (s *Writer) Close() {
	s.mu.Lock()
	s.timer.Stop()
	if s.err == nil {
		s.err = errClosed
	}
	s.mu.Unlock()
	s.sent.Wait()
}

// beat runs when nothing was sent for a while.
func (s *Writer) beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.send(s.keepAlive()) // the next event meets the same error
}

// send puts bytes behind those that wait. The caller holds mu.
func (s *Writer) send(b []byte) error {
	switch {
	case s.err != nil:
		return s.err
	case len(s.waiting)+len(b) > backlog && s.writing:
		s.err = errSlow
		return s.err
	}
	s.waiting = append(s.waiting, b...)
	if !s.writing {
		s.writing = true
		s.sent.Go(s.drain)
	}
	s.timer.Reset(idle)
	return nil
}

// drain writes until nothing waits. What came together while a write was under way goes out in one piece.
func (s *Writer) drain() {
	var next []byte
	for {
		s.mu.Lock()
		next, s.waiting = s.waiting, next[:0]
		if len(next) == 0 || s.err != nil && s.err != errClosed { //nolint:errorlint // our own value, never wrapped
			s.writing = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		if err := s.write(next); err != nil {
			s.mu.Lock()
			s.err = fmt.Errorf("write event: %w", err)
			s.mu.Unlock()
		}
	}
}

func (s *Writer) write(b []byte) error {
	_ = s.controller.SetWriteDeadline(time.Now().Add(patience)) // recorders in tests have none
	_, err := s.w.Write(b)
	if err == nil {
		err = s.controller.Flush()
	}
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

func comment() []byte { return []byte(": keep-alive\n\n") }

func pingEvent(name string) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: {\"type\": %q}\n\n", name, name)
}
