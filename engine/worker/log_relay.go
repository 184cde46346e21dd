package worker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// maxLogLine is how much of a line is kept; the rest of a longer one is dropped.
const maxLogLine = 64 << 10

// newLogHandler writes what a relay reads. JSON has no durations: they are written as people read
// them.
func newLogHandler(w io.Writer, level slog.Leveler) slog.Handler {
	return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration {
			a.Value = slog.StringValue(a.Value.Duration().String())
		}
		return a
	}})
}

// relay joins a child's standard error with a logger. The child writes slog's JSON; anything else
// comes from native code or from Go's own last words, whose end is kept to tell why a child died.
type relay struct {
	log *slog.Logger

	mu   sync.Mutex // guards last
	last []string
}

// keptLines of native output are told in the error of a crash.
const keptLines = 3

// run reads until the child's end of the pipe is closed.
func (r *relay) run(from io.Reader) {
	in := bufio.NewReaderSize(from, maxLogLine)
	for {
		line, more, err := in.ReadLine()
		if err != nil {
			return
		}
		r.line(bytes.TrimSpace(line))
		for more && err == nil {
			_, more, err = in.ReadLine()
		}
	}
}

func (r *relay) line(text []byte) {
	if len(text) == 0 {
		return
	}
	record, ok := decodeRecord(text)
	if !ok {
		r.keep(string(text))
		record = slog.NewRecord(time.Now(), slog.LevelWarn, string(text), 0)
	}
	ctx := context.Background()
	if r.log.Enabled(ctx, record.Level) {
		// a log that cannot be written has nobody to tell
		_ = r.log.Handler().Handle(ctx, record)
	}
}

func (r *relay) keep(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if strings.HasPrefix(line, "goroutine ") || len(r.last) > 0 && strings.HasPrefix(r.last[0], "panic:") {
		return // of a Go panic the first line tells, not the stack
	}
	if r.last = append(r.last, line); len(r.last) > keptLines {
		r.last = r.last[1:]
	}
}

// lastWords is what native code wrote last, "" if nothing.
func (r *relay) lastWords() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.last, " · ")
}

// decodeRecord reads one line of slog's JSON handler.
func decodeRecord(text []byte) (slog.Record, bool) {
	if text[0] != '{' {
		return slog.Record{}, false
	}
	var head struct {
		Time  time.Time  `json:"time"`
		Level slog.Level `json:"level"`
		Msg   *string    `json:"msg"`
	}
	if json.Unmarshal(text, &head) != nil || head.Msg == nil {
		return slog.Record{}, false
	}
	record := slog.NewRecord(head.Time, head.Level, *head.Msg, 0)
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()    // as they were written: 268098176 is no 2.68098176e+08
	_, _ = in.Token() // the opening brace, which is there
	for in.More() {
		key, _ := in.Token() // the text has been decoded once, so that this cannot fail
		var value any
		if in.Decode(&value) != nil {
			break
		}
		switch key := key.(string); key {
		case slog.TimeKey, slog.LevelKey, slog.MessageKey:
		default:
			record.AddAttrs(slog.Any(key, value))
		}
	}
	return record, true
}
