package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"
)

const (
	// patience is how long one write may take. A reader that is slower is treated as gone.
	patience = 30 * time.Second
	// backlog is how many bytes may wait for a reader that is slower than the model.
	backlog = 8 << 20
)

var (
	errClosed = errors.New("the socket has ended")
	errSlow   = fmt.Errorf("the reader is more than %d bytes behind", backlog)
)

// outbox writes frames in the order in which they are sent. Its methods may be called from any
// goroutine and never wait for the network: who sends holds a slot. What fails ends the socket,
// and with it whatever sends.
type outbox struct {
	ws      *websocket.Conn
	fail    func()         // told once when a write fails
	writing sync.WaitGroup // the goroutine that writes what waits, while there is one

	mu      sync.Mutex // guards what follows
	waiting [][]byte
	bytes   int
	busy    bool
	// of the first write that failed, errClosed or errSlow; nothing is written after it
	err error
}

// send encodes v and has it written.
func (o *outbox) send(v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the readers are no browsers, and model text is full of < and >
	err := e.Encode(v)
	frame := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err != nil:
		o.stop(fmt.Errorf("encode a frame: %w", err))
	case o.bytes > 0 && o.bytes+len(frame) > backlog:
		o.stop(errSlow)
	}
	if o.err != nil {
		return
	}
	o.waiting = append(o.waiting, frame)
	o.bytes += len(frame)
	if !o.busy {
		o.busy = true
		o.writing.Go(o.drain)
	}
}

// stop ends the outbox. The caller holds mu.
func (o *outbox) stop(why error) {
	if o.err == nil {
		o.err = why
		go o.fail()
	}
}

// drain writes until nothing waits.
func (o *outbox) drain() {
	for {
		o.mu.Lock()
		if len(o.waiting) == 0 || o.err != nil && !errors.Is(o.err, errClosed) {
			o.busy, o.waiting = false, nil
			o.mu.Unlock()
			return
		}
		next := o.waiting[0]
		o.waiting = o.waiting[1:]
		o.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err := o.ws.Write(ctx, websocket.MessageText, next)
		cancel()
		o.mu.Lock()
		o.bytes -= len(next)
		if err != nil {
			o.stop(fmt.Errorf("write a frame: %w", err))
		}
		o.mu.Unlock()
	}
}

// close waits until the reader has what was sent, or is given up.
func (o *outbox) close() {
	o.mu.Lock()
	if o.err == nil {
		o.err = errClosed
	}
	o.mu.Unlock()
	o.writing.Wait()
}
