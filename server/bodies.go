package server

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"tenon/server/chat"
)

// bodies bounds what the bodies of all requests in flight hold together. A body counts as far as
// it has been read, until its request ends: what is decoded of it lives as long.
type bodies struct {
	most int64 // of one, in bytes; all together may have four times as much
	held atomic.Int64
}

// hold counts bytes that are held, or, less than none, no more.
func (b *bodies) hold(n int64) error {
	if b.held.Add(n) > 4*b.most && n > 0 {
		return &chat.Error{Kind: chat.Busy, Message: "the bodies of the requests in flight are too large together; try again later", RetryAfter: time.Second}
	}
	return nil
}

// limit makes a read fail beyond the limit of one body, which the decoders turn into 413, or of
// all, which is a 429, and where a client takes too long over it. It comes before whatever may
// refuse a request: the body of a refused one is read to its end, too, so that the connection can
// be used again.
func (b *bodies) limit(c *gin.Context) {
	out := &patientWriter{c.Writer, http.NewResponseController(c.Writer)}
	c.Writer = out
	defer out.extend(0) // for what leaves behind the handler
	if c.Request.Body == nil || c.Request.Body == http.NoBody {
		c.Next()
		return
	}
	in := &limitedBody{ReadCloser: http.MaxBytesReader(c.Writer, c.Request.Body, b.most), all: b, connection: out.connection}
	defer func() { b.held.Add(-in.read) }()
	length := c.Request.ContentLength
	if length < 0 || length > b.most {
		length = b.most
	}
	in.deadline(time.Now().Add(patience(length)))
	c.Request.Body = in
	c.Next()
}

// patience is how long so many bytes may take on their way.
func patience(bytes int64) time.Duration {
	const atLeast, slowest = 30 * time.Second, 64 << 10 // bytes a second beyond that
	return atLeast + time.Duration(bytes/slowest)*time.Second
}

// limitedBody is a body whose bytes count while they are held.
type limitedBody struct {
	io.ReadCloser
	all        *bodies
	connection *http.ResponseController
	read       int64
}

func (l *limitedBody) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	l.read += int64(n)
	if err := l.all.hold(int64(n)); err != nil {
		return n, err
	}
	// the connection stays open behind the body; one that broke off is not waited for
	if errors.Is(err, io.EOF) {
		l.deadline(time.Time{})
	}
	return n, err
}

// recorders in tests have none
func (l *limitedBody) deadline(t time.Time) { _ = l.connection.SetReadDeadline(t) }

// patientWriter gives each write a deadline: who does not read his answer is given up.
type patientWriter struct {
	gin.ResponseWriter
	connection *http.ResponseController
}

func (w *patientWriter) extend(bytes int) {
	// recorders in tests have none
	_ = w.connection.SetWriteDeadline(time.Now().Add(patience(int64(bytes))))
}

func (w *patientWriter) Write(b []byte) (int, error) {
	w.extend(len(b))
	return w.ResponseWriter.Write(b)
}

func (w *patientWriter) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

func (w *patientWriter) Flush() {
	w.extend(0)
	w.ResponseWriter.Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
