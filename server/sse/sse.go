// Package sse writes server-sent events (WHATWG HTML, section 9.2).
package sse

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// DefaultEvery is how long a stream is silent before a heartbeat is sent, where nothing
	// else is said.
	DefaultEvery = 5 * time.Second
	// MaxEvery is the longest that may be set: clients and proxies cut silent streams, some
	// after 20 seconds.
	MaxEvery = 10 * time.Second
	// backlog is how many bytes may wait for a reader that is slower than the model: some
	// thousand events. Whoever writes events holds a slot, and never waits for the network: a
	// reader that falls further behind is treated as gone.
	backlog = 1 << 20
)

// Writer writes events to one response. Its methods may be called from any goroutine. What fails
// is told by Err: whoever writes several events asks once, behind the last.
//
// The response begins with Begin or the first event, or with the first heartbeat where that is due
// before: until then a refusal keeps its own status.
type Writer struct {
	w          http.ResponseWriter
	controller *http.ResponseController
	every      time.Duration
	beat       func()
	sent       sync.WaitGroup // the goroutine that writes what waits, while there is one

	// held by one step of the protocol or one heartbeat at a time; taken before mu
	turn  chan struct{}
	ended bool // guarded by turn: no heartbeat is sent any more

	mu      sync.Mutex // guards what follows
	begun   bool
	event   bytes.Buffer
	waiting []byte
	trailer [][2]string
	writing bool
	timer   *time.Timer
	// the first that was met, or errClosed, or errSlow; no other write is tried after it
	err error
}

var (
	errClosed = errors.New("the stream has ended")
	errSlow   = fmt.Errorf("the reader is more than %d bytes behind", backlog)
)

// NewWriter promises a stream. End must be called before the handler writes anything else, and
// Close before it returns.
func NewWriter(w http.ResponseWriter) *Writer {
	s := &Writer{w: w, controller: http.NewResponseController(w), every: DefaultEvery, turn: make(chan struct{}, 1)}
	s.timer = time.AfterFunc(s.every, s.tick)
	s.timer.Stop()
	return s
}

// Beat starts the heartbeats: after each silence of the length every (0: [DefaultEvery]) beat is
// called, which sends the protocol's heartbeat as an event. Clients throw comments away before
// they set their idle timers back. beat runs under [Writer.Do], on another goroutine: what it
// reads must be set before this call.
func (s *Writer) Beat(every time.Duration, beat func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beat = beat
	if every > 0 {
		s.every = every
	}
	s.timer.Reset(s.every)
}

// Do runs f, which writes one step of the protocol, while no heartbeat and no other step is
// written. It returns Err.
func (s *Writer) Do(f func()) error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	f()
	return s.Err()
}

// Err is why no more is written: that of the first write that failed, or that the reader is too
// far behind. Nothing waits for the reader, so an error shows behind one of the next events.
func (s *Writer) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Begin sends the status and the headers, for a protocol whose first event comes later.
func (s *Writer) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
}

// Begun tells whether the status and the headers have been sent, so that errors must be events.
func (s *Writer) Begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// Event sends v as JSON under a name; "" sends data alone, as Chat Completions does.
func (s *Writer) Event(name string, v any) {
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
		s.err = cmp.Or(s.err, fmt.Errorf("encode event %q: %w", name, err))
	}
	s.event.WriteByte('\n') // Encode has ended the line; JSON holds no other
	s.send(s.event.Bytes())
}

// Done ends the streams of OpenAI's chat protocol.
const Done = "[DONE]"

// Data sends a literal, such as [Done].
func (s *Writer) Data(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send([]byte("data: " + text + "\n\n"))
}

// Trailer has a header sent behind the stream.
func (s *Writer) Trailer(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trailer = append(s.trailer, [2]string{name, value})
}

// End stops the heartbeats. Whether the stream has begun is settled then, but for events that are
// sent later.
func (s *Writer) End() {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.ended = true
	s.timer.Stop()
}

// Close ends the stream and waits until the reader has what was sent, or is given up. What is sent
// later is an error.
func (s *Writer) Close() {
	s.End()
	s.mu.Lock()
	if s.err == nil {
		s.err = errClosed
	}
	trailer := s.trailer
	s.mu.Unlock()
	s.sent.Wait()
	for _, t := range trailer { // nobody else touches headers by now
		s.w.Header().Set(http.TrailerPrefix+t[0], t[1])
	}
}

// tick runs when nothing was sent for a while.
func (s *Writer) tick() {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.ended {
		return
	}
	s.beat()
	s.timer.Reset(s.every)
}

// begin sends the status and the headers, once. The caller holds mu.
func (s *Writer) begin() {
	if s.begun {
		return
	}
	s.begun = true
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	s.w.WriteHeader(http.StatusOK)
	_ = s.controller.Flush() // a writer that cannot flush still delivers, later
}

// send puts bytes behind those that wait. The caller holds mu.
func (s *Writer) send(b []byte) {
	if s.err == nil && len(s.waiting)+len(b) > backlog && s.writing {
		s.err = errSlow
	}
	if s.err != nil {
		return
	}
	s.begin()
	s.waiting = append(s.waiting, b...)
	if !s.writing {
		s.writing = true
		s.sent.Go(s.drain)
	}
	if s.beat != nil {
		s.timer.Reset(s.every)
	}
}

// drain writes until nothing waits. What came together while a write was under way goes out in one
// piece.
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
	_, err := s.w.Write(b)
	if err == nil {
		err = s.controller.Flush()
	}
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}
