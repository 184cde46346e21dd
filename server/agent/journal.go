package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"tenon/server/chat"
	"tenon/server/chat/record"
)

// Journal records executed calls in a file of JSON lines: one before a call runs and one behind
// it, and between them one for each thing that it asked of the model or the user, before the tool
// gets the answer. A call whose end is missing was running when the server ended.
type Journal struct {
	mu   sync.Mutex // guards what follows
	file *os.File
	torn bool // the last line may have no end
}

// Entry is a line of the journal.
type Entry struct {
	Time      time.Time       `json:"time"`
	Event     string          `json:"event"` // "start", "sample", "question", "end"
	Call      string          `json:"call"`  // the id; an end belongs to the start of the same
	Request   string          `json:"request,omitempty"`
	Key       string          `json:"key,omitempty"` // the API key's name
	Model     string          `json:"model"`
	Source    string          `json:"source"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// "settings", or the name of the key whose client did
	Approved string `json:"approved_by,omitempty"`
	*Outcome
}

// Outcome is what an end tells.
type Outcome struct {
	Success bool    `json:"success"`
	Result  string  `json:"result"`
	Error   *string `json:"error"` // null where it succeeded
	Why     string  `json:"why,omitempty"`
	Exit    int     `json:"exit"`
	Cut     int     `json:"cut_bytes,omitempty"`
	Seconds float64 `json:"seconds"`
}

// OpenJournal opens a journal, and mends its last line where the machine ended while it was
// written.
func OpenJournal(path string) (*Journal, error) {
	// arguments and results are nobody else's
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	last := make([]byte, 1)
	if size, err := f.Seek(0, io.SeekEnd); err == nil && size > 0 {
		if _, err := f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			_, _ = f.WriteString("\n") // if it fails, so will the first entry
		}
	}
	return &Journal{file: f}, nil
}

// Close closes the file.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}

// entry is what a journal says of a call from the beginning.
func (l *loop) entry(ctx context.Context, s settled) Entry {
	return Entry{
		Event: "start", Call: s.call.ID, Request: record.RequestID(ctx), Key: l.caller.Name, Model: l.model, Source: s.Source, Tool: s.original(),
		Arguments: s.call.Arguments, Approved: s.approver,
	}
}

func (j *Journal) end(e Entry, r chat.HostedResult) error {
	e.Event, e.Outcome = "end", &Outcome{Success: !r.Failed, Result: r.Text, Why: r.Why, Exit: r.Exit, Cut: r.Cut, Seconds: r.Took.Seconds()}
	if r.Failed {
		e.Result, e.Error = "", &r.Text
	}
	return j.write(e)
}

// write appends a line in one piece, and returns when the disk has it.
func (j *Journal) write(e Entry) error {
	if j == nil {
		return nil
	}
	e.Time = time.Now()
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode an entry of the journal: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if line = append(line, '\n'); j.torn {
		line = append([]byte{'\n'}, line...)
	}
	_, err = j.file.Write(line)
	if j.torn = err != nil; err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return j.file.Sync()
}

// ReadJournal calls visit with each entry, in order; broken counts the lines that are none: what
// was being written when the machine ended.
func ReadJournal(r io.Reader, visit func(Entry) error) (broken int, err error) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			var e Entry
			if json.Unmarshal(line, &e) != nil || e.Event == "" {
				broken++
			} else if err := visit(e); err != nil {
				return broken, err
			}
		}
		if errors.Is(err, io.EOF) {
			return broken, nil
		}
		if err != nil {
			return broken, fmt.Errorf("read the journal: %w", err)
		}
	}
}
