package socket

import (
	"log/slog"
	"strings"
	"sync"
	"time"

	"tenon/server/chat/record"
	"tenon/server/lmstudio"
)

// Logs passes on what happens to whoever streams the log (lms log stream). The zero value is
// ready; its methods may be called from any goroutine.
type Logs struct {
	readers sync.Map // of channels of packets
}

// logBacklog is how many events wait for a reader; what is beyond is lost to it.
const logBacklog = 256

func (l *Logs) subscribe() (events chan packet, end func()) {
	events = make(chan packet, logBacklog)
	l.readers.Store(events, true)
	return events, func() { l.readers.Delete(events) }
}

// Wanted tells whether anybody reads.
func (l *Logs) Wanted() (wanted bool) {
	for range l.readers.Range {
		wanted = true
	}
	return wanted
}

// tell passes an event on and waits for nobody.
func (l *Logs) tell(kind string, data packet) {
	data["type"] = kind
	event := packet{"timestamp": time.Now().UnixMilli(), "data": data}
	for events := range l.readers.Range {
		select {
		case events.(chan packet) <- event:
		default:
		}
	}
}

func (l *Logs) server(level slog.Level, text string) {
	l.tell("server.log", packet{"content": text, "level": strings.ToLower(level.String())})
}

// Turns tells of a request's predictions: what the model read, and what it wrote. They must have
// ended, and r must be Full.
func (l *Logs) Turns(r *record.Record) {
	for n, t := range r.Turns {
		id := r.Outcomes[n].Model
		l.tell("llm.prediction.input", packet{"input": t.Prompt.String(), "modelPath": id, "modelIdentifier": id})
		l.tell("llm.prediction.output", packet{"output": t.Output(), "stats": encodeStats(lmstudio.Measure(r.Outcomes[n])), "modelIdentifier": id})
	}
}

// streamLogs tells what happens until the client has seen enough.
func streamLogs(ch *channel, _ struct{}) error {
	events, end := ch.conn.server.Logs.subscribe()
	defer end()
	for {
		select {
		case e := <-events:
			ch.send("log", packet{"log": e})
		case <-ch.ctx.Done():
			return nil
		}
	}
}
