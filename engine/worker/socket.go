package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
)

// Parent and child share a pair of connected sockets. The child inherits one end, so that nothing
// lies in the file system. Each request is a stream of one HTTP/2 connection.

// inheritedFD is where the child finds its end: the first file after the standard three.
const inheritedFD = 3

// maxStreams is how many requests the connection may carry at once: more than any queue holds.
const maxStreams = 1 << 16

// link is the parent's side of a pair.
type link struct {
	theirs    *os.File // the child's end
	transport *http.Transport
}

func newLink() (*link, error) {
	mine, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	conn, err := net.FileConn(mine)
	_ = mine.Close() // FileConn has a copy
	if err != nil {
		_ = theirs.Close() // the pair is given up
		return nil, fmt.Errorf("use a socket pair: %w", err)
	}
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	var once sync.Once
	dial := func(context.Context, string, string) (net.Conn, error) {
		var c net.Conn
		once.Do(func() { c = conn })
		if c == nil {
			return nil, errors.New("the worker's only connection is closed")
		}
		return c, nil
	}
	return &link{theirs: theirs, transport: &http.Transport{
		DialContext: dial, DisableCompression: true, Protocols: protocols,
		HTTP2: &http.HTTP2Config{StrictMaxConcurrentRequests: true},
	}}, nil
}

// close ends the connection. It may be called more than once.
func (l *link) close() {
	l.transport.CloseIdleConnections()
	_ = l.theirs.Close() // where the child has it, this is a copy
}

// inherited is the child's side: a listener that accepts the one connection there is.
func inherited() (net.Listener, error) {
	file := os.NewFile(inheritedFD, "worker socket")
	defer func() { _ = file.Close() }() // FileConn copies it
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("use the inherited connection: %w", err)
	}
	return newSingleListener(conn), nil
}

// singleListener accepts the one connection that there is, then waits for its own end.
type singleListener struct {
	conns chan net.Conn
	addr  net.Addr
	once  sync.Once
	done  chan struct{}
}

func newSingleListener(c net.Conn) *singleListener {
	l := &singleListener{conns: make(chan net.Conn, 1), addr: c.LocalAddr(), done: make(chan struct{})}
	l.conns <- c
	return l
}

func (l *singleListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *singleListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *singleListener) Addr() net.Addr { return l.addr }
