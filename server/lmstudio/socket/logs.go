package socket

import (
	"log/slog"
	"strings"
	"sync"
	"time"

	"tenon/server/chat"
	"tenon/server/lmstudio"
)

// Logs passes on what happens to whoever streams the log (lms log stream). The zero value is
// ready; its methods may be called from any goroutine.
type Logs struct {
	mu      sync.Mutex // guards readers
	readers map[chan logEvent]struct{}
}

// logBacklog is how many events wait for a reader; what is beyond is lost to it.
const logBacklog = 256

type logEvent struct {
	Timestamp int64 `json:"timestamp"` // milliseconds
	Data      any   `json:"data"`
}

// The data of log events.
type (
	inputLog struct {
		Type       string `json:"type"` // "llm.prediction.input"
		Input      string `json:"input"`
		Path       string `json:"modelPath"`
		Identifier string `json:"modelIdentifier"`
	}
	outputLog struct {
		Type       string `json:"type"` // "llm.prediction.output"
		Output     string `json:"output"`
		Stats      *stats `json:"stats,omitempty"`
		Identifier string `json:"modelIdentifier"`
	}
	serverLog struct {
		Type    string `json:"type"` // "server.log"
		Content string `json:"content"`
		Level   string `json:"level"`
	}
)

func (l *Logs) subscribe() (events chan logEvent, end func()) {
	events = make(chan logEvent, logBacklog)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.readers == nil {
		l.readers = map[chan logEvent]struct{}{}
	}
	l.readers[events] = struct{}{}
	return events, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.readers, events)
	}
}

// Wanted tells whether anybody reads.
func (l *Logs) Wanted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.readers) > 0
}

// tell passes an event on and waits for nobody.
func (l *Logs) tell(data any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for events := range l.readers {
		select {
		case events <- logEvent{time.Now().UnixMilli(), data}:
		default:
		}
	}
}

func (l *Logs) server(level slog.Level, text string) {
	l.tell(serverLog{"server.log", text, strings.ToLower(level.String())})
}

// Turns tells of a request's predictions: what the model read, and what it wrote. They must have
// ended, and r must be Full.
func (l *Logs) Turns(r *chat.Record) {
	for n, t := range r.Turns {
		id := r.Outcomes[n].Model
		figures := encodeStats(lmstudio.Measure(r.Outcomes[n]))
		l.tell(inputLog{"llm.prediction.input", t.Prompt.String(), id, id})
		l.tell(outputLog{"llm.prediction.output", t.Output(), &figures, id})
	}
}

// streamLogs tells what happens until the client has seen enough. It shows what others ask, so
// that it takes the same leave as changing the fleet.
func streamLogs(ch *channel, _ none) error {
	if err := ch.conn.mayManage(ch.ctx); err != nil {
		return err
	}
	events, end := ch.conn.server.Logs.subscribe()
	defer end()
	for {
		select {
		case e := <-events:
			if err := ch.send(struct {
				Type string   `json:"type"` // "log"
				Log  logEvent `json:"log"`
			}{"log", e}); err != nil {
				return err
			}
		case <-ch.ctx.Done():
			return nil
		}
	}
}
