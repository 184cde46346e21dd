package fleet

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tenon/server/chat"
)

// Log keeps the last lines of the server's log and gives new ones to those who follow it. It is
// an [io.Writer], to be written one line at a time, as loggers do. Its methods may be called from
// any goroutine.
type Log struct {
	mu        sync.Mutex // guards what follows
	lines     []string
	followers map[chan string]bool
}

const (
	logLines   = 1000 // that are kept
	logBacklog = 256  // lines that a follower may be behind; then it misses some
)

// Write takes a line. It never fails and never waits.
func (l *Log) Write(b []byte) (int, error) {
	line := strings.TrimSuffix(string(b), "\n")
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lines = append(l.lines, line); len(l.lines) > logLines {
		l.lines = slices.Delete(l.lines, 0, len(l.lines)-logLines)
	}
	for f := range l.followers {
		select {
		case f <- line:
		default:
		}
	}
	return len(b), nil
}

// follow returns the last n lines and a channel of those to come.
func (l *Log) follow(n int) ([]string, chan string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.followers == nil {
		l.followers = map[chan string]bool{}
	}
	f := make(chan string, logBacklog)
	l.followers[f] = true
	return slices.Clone(l.lines[max(0, len(l.lines)-n):]), f
}

func (l *Log) leave(f chan string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.followers, f)
}

// Logged answers GET log: the last lines, and those to come unless follow=false, as events.
func (a API) Logged(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("lines"))
	if text := r.URL.Query().Get("lines"); text == "" {
		n = 100
	} else if err != nil || n < 0 {
		WriteError(w, chat.Invalidf("lines", "is %q; expected a number", text))
		return
	}
	last, more := a.Log.follow(n)
	defer a.Log.leave(more)
	stream := events(w)
	defer stream.Close()
	for _, line := range last {
		stream.Event("line", logLine{line})
	}
	for r.URL.Query().Get("follow") != "false" && stream.Err() == nil {
		select {
		case line := <-more:
			stream.Event("line", logLine{line})
		case <-r.Context().Done():
			return
		}
	}
}

type logLine struct {
	Line string `json:"line"`
}
