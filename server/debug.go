package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"tenon/server/chat"
	"tenon/server/chat/owned"
	"tenon/server/chat/record"
	"tenon/server/wire"
)

// How requests are seen from inside. A request with X-Tenon-Debug: 1 gets its own record in its
// answer: a JSON body has it as a last member, tenon_debug, an event stream as a last comment (":
// tenon-debug {…}"), which every reader of such streams passes over. Apart from that the server
// may keep the latest records for GET /debug/requests/{id} (Options.DebugRequests), which shows a
// caller its own requests only.

// maxRecords is how many bytes the kept records may have together.
const maxRecords = 64 << 20

// records are the latest requests' as they are shown. An id is its caller's own: clients choose
// ids.
type records struct {
	most int // 0: none are kept
	kept *owned.Table[string, []byte]
}

func newRecords(most int) *records {
	return &records{most: most, kept: owned.New[string, []byte](owned.Size{Entries: most, Bytes: maxRecords})}
}

// show serves GET /debug/requests/{id}.
func (r *records) show(c *gin.Context) {
	if r.most == 0 {
		writeError(c, &chat.Error{Kind: chat.NoRoute, Message: "no requests are kept; --debug-requests N has the server keep the latest N"})
		return
	}
	body, ok := r.kept.Get(chat.CallerKey(c.Request.Context()), c.Param("id"))
	if !ok {
		writeError(c, &chat.Error{Kind: chat.NoRoute, Message: "there is no record of request " + c.Param("id") + "; it is too old, or another key's"})
		return
	}
	c.Data(http.StatusOK, "application/json", body)
}

// asksForRecord tells whether a request wants its record in its answer.
func asksForRecord(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get(wire.Debug) == "1"
}

// encodeRecord writes a record on one line.
func encodeRecord(r *record.Record) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		// a record holds nothing that cannot be encoded
		return []byte(`{"error":"the record cannot be written"}`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// bodyRecorder is a request's body that is written down as it is read.
type bodyRecorder struct {
	io.ReadCloser
	read bytes.Buffer
}

func (b *bodyRecorder) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Write(p[:n])
	return n, err
}

// recordWriter puts a record at the end of an answer. Bodies of JSON are held back until then;
// events are not.
type recordWriter struct {
	gin.ResponseWriter
	held bytes.Buffer
	// set with the status: a stream's goroutine reads no headers that another may write
	holds bool
}

func (w *recordWriter) WriteHeader(status int) {
	w.holds = strings.HasPrefix(w.Header().Get("Content-Type"), "application/json")
	w.ResponseWriter.WriteHeader(status)
}

func (w *recordWriter) Write(b []byte) (int, error) {
	if w.holds {
		return w.held.Write(b)
	}
	return w.ResponseWriter.Write(b)
}

func (w *recordWriter) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

// Unwrap lets http.ResponseController reach the connection.
func (w *recordWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// end sends what was held back, with the record r. nil: there is none.
func (w *recordWriter) end(r []byte) {
	last := w.held.Bytes()
	body, isObject := bytes.CutSuffix(bytes.TrimSpace(last), []byte("}"))
	switch {
	case r == nil:
	case !w.holds:
		last = slices.Concat([]byte(": tenon-debug "), r, []byte("\n\n"))
	case isObject:
		last = slices.Concat(body, []byte(`,"tenon_debug":`), r, []byte("}\n"))
	}
	_, _ = w.ResponseWriter.Write(last) // a reader that is gone cannot be told
}
