package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
)

// How a child's inherited file is to be used.
const (
	inheritListener = "listener" // a listening unix socket
	inheritConn     = "conn"     // one end of a socket pair, which carries all requests as HTTP/2 streams
)

// inheritedFD is where the child finds the inherited file: the first one after the standard three.
const inheritedFD = 3

// maxSocketPath is the shortest limit on a unix socket's path among our systems (macOS), with its
// final zero.
const maxSocketPath = 104

// maxStreams is how many requests one connection may carry at once: more than any queue holds.
const maxStreams = 1 << 16

// rendezvous is where parent and child meet. The parent makes it, hands file to the child and
// speaks over transport.
type rendezvous struct {
	kind      string // inheritListener or inheritConn
	file      *os.File
	dir       string // holds the socket; "" for a pair
	transport *http.Transport
}

// newRendezvous tries the runtime folder, then the temporary one, then a socket pair.
func newRendezvous(name string) (*rendezvous, error) {
	for _, base := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()} {
		if base == "" {
			continue
		}
		if r, err := listenIn(base, name); err == nil {
			return r, nil
		}
	}
	return pair()
}

// listenIn makes a private folder with a listening socket in it.
func listenIn(base, name string) (_ *rendezvous, err error) {
	dir, err := os.MkdirTemp(base, "tenon-") // mode 0700
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir) // it holds nothing yet; the error to report is the first one
		}
	}()
	path := filepath.Join(dir, name+".sock")
	if len(path) >= maxSocketPath {
		return nil, fmt.Errorf("%s is too long for a socket", path)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // only the child listens on; its copy is the one that counts
	file, err := l.File()
	if err = errors.Join(err, l.Close()); err != nil {
		return nil, err
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	return &rendezvous{
		kind: inheritListener, file: file, dir: dir,
		transport: &http.Transport{DialContext: dial, DisableCompression: true, MaxIdleConnsPerHost: 8},
	}, nil
}

// pair needs no file: one connection, inherited, with a stream per request.
func pair() (*rendezvous, error) {
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
	return &rendezvous{
		kind: inheritConn, file: theirs,
		transport: &http.Transport{
			DialContext: dial, DisableCompression: true, Protocols: protocols,
			HTTP2: &http.HTTP2Config{StrictMaxConcurrentRequests: true},
		},
	}, nil
}

// handOver closes the parent's copy of what the child has inherited by now.
func (r *rendezvous) handOver() { _ = r.file.Close() }

// remove closes the connections and removes what lies in the file system. It may be called more
// than once.
func (r *rendezvous) remove() {
	r.transport.CloseIdleConnections()
	_ = r.file.Close()
	if r.dir != "" {
		_ = os.RemoveAll(r.dir) // what cannot be removed is an empty private folder
	}
}

// inherited is the child's side: a listener made from the file that the parent left at
// inheritedFD.
func inherited(kind string) (net.Listener, error) {
	file := os.NewFile(inheritedFD, "worker socket")
	defer func() { _ = file.Close() }() // both calls below copy it
	if kind == inheritListener {
		l, err := net.FileListener(file)
		if err != nil {
			return nil, fmt.Errorf("listen on the inherited socket: %w", err)
		}
		return l, nil
	}
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
