package worker

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/net/http2"
)

// Parent and child share a pair of connected sockets. The child inherits one end, so that nothing
// lies in the file system. Each request is a stream of one HTTP/2 connection.

// inheritedFD is where the child finds its end: the first file after the standard three.
const inheritedFD = 3

// maxStreams is how many requests the connection may carry at once: more than any queue holds.
const maxStreams = 1 << 16

// link is the parent's side of a pair.
type link struct {
	theirs *os.File // the child's end
	*http2.ClientConn
}

func newLink() (*link, error) {
	mine, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	conn, err := connection(mine)
	if err == nil {
		var c *http2.ClientConn
		if c, err = (&http2.Transport{DisableCompression: true, StrictMaxConcurrentStreams: true}).NewClientConn(conn); err == nil {
			return &link{theirs, c}, nil
		}
	}
	_ = theirs.Close() // the pair is given up
	return nil, err
}

// close ends the connection. It may be called more than once.
func (l *link) close() {
	_ = l.Close()
	_ = l.theirs.Close() // where the child has it, this is a copy
}

// connection makes one of an end of a pair.
func connection(end *os.File) (net.Conn, error) {
	defer func() { _ = end.Close() }() // FileConn copies it
	conn, err := net.FileConn(end)
	if err != nil {
		return nil, fmt.Errorf("use a socket pair: %w", err)
	}
	return conn, nil
}
