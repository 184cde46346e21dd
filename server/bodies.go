package server

import (
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

// limit makes a read fail beyond the limit of one body, which the decoders turn into 413, or of
// all, which is a 429, and where a client takes too long over it.
func (b *bodies) limit(c *gin.Context) {
	if c.Request.Body == nil || c.Request.Body == http.NoBody {
		return
	}
	in := &limitedBody{ReadCloser: http.MaxBytesReader(c.Writer, c.Request.Body, b.most), all: b, connection: http.NewResponseController(c.Writer)}
	defer func() { b.held.Add(-in.read) }()
	length := c.Request.ContentLength
	if length < 0 || length > b.most {
		length = b.most
	}
	in.deadline(time.Now().Add(bodyPatience + time.Duration(length/slowest)*time.Second))
	c.Request.Body = in
	c.Next()
}

// How long a body may take on its way.
const (
	bodyPatience = 30 * time.Second
	slowest      = 64 << 10 // bytes a second beyond that
)

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
	if l.all.held.Add(int64(n)) > 4*l.all.most {
		return n, &chat.Error{Kind: chat.Busy, Message: "the bodies of the requests in flight are too large together; try again later", RetryAfter: time.Second}
	}
	if err != nil { // the connection stays open behind the body
		l.deadline(time.Time{})
	}
	return n, err
}

func (l *limitedBody) deadline(t time.Time) { _ = l.connection.SetReadDeadline(t) } // recorders in tests have none
