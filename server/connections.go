package server

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"time"
)

// Serving returns an HTTP server for a handler, whose connections end when they stay silent for
// long, and of whose silent connections there are never more than some. What ends first is the
// one that has been silent longest: whoever opens thousands loses his own.
func Serving(h http.Handler) *http.Server {
	s := &silent{places: map[net.Conn]*list.Element{}, order: list.New()}
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ConnState: s.changed}
}

// maxSilent is how many connections may send nothing at once: neither a request's head nor, in
// between, the next.
const maxSilent = 512

// silent are the connections that nothing was read from since they were opened or had their last
// answer.
type silent struct {
	mu     sync.Mutex // guards what follows
	places map[net.Conn]*list.Element
	order  *list.List // of net.Conn, the longest silent first
}

func (s *silent) changed(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.places[c]; e != nil {
		s.order.Remove(e)
		delete(s.places, c)
	}
	if state != http.StateNew && state != http.StateIdle {
		return
	}
	s.places[c] = s.order.PushBack(c)
	if s.order.Len() > maxSilent {
		// its own goroutine sees that, and tells
		_ = s.order.Front().Value.(net.Conn).Close()
	}
}
