package socket

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"path"
	"strings"
	"sync"
	"unicode/utf8"

	"tenon/server/chat"
)

// mostFiles is how many bytes of uploads are kept; the oldest go first.
const mostFiles = 128 << 20

// upload is a file that a client sent.
type upload struct {
	identifier, owner, name string
	fileType                string // as the SDKs know it
	content                 []byte
}

// text tells whether the model can read it.
func (u upload) text() bool { return strings.HasPrefix(u.fileType, "text/") }

// files keeps uploads until the server ends, or there are too many.
type files struct {
	mu    sync.Mutex // guards what follows
	kept  []upload   // oldest first
	bytes int
}

func (f *files) add(u upload) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept = append(f.kept, u)
	for f.bytes += len(u.content); f.bytes > mostFiles && len(f.kept) > 1; f.kept = f.kept[1:] {
		f.bytes -= len(f.kept[0].content)
	}
}

func (f *files) get(identifier, owner string) (upload, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, u := range f.kept {
		if u.identifier == identifier && u.owner == owner {
			return u, true
		}
	}
	return upload{}, false
}

// file is an upload of the socket's caller.
func (c *conn) file(identifier string) (upload, bool) {
	return c.server.files.get(identifier, chat.CallerKey(c.ctx))
}

// uploadFile keeps a file for the messages that name it. Whether a model can read it is said when
// one is to.
func uploadFile(ctx context.Context, c *conn, p struct {
	Name    string `json:"name"`
	Content string `json:"contentBase64"`
}) (any, error) {
	content, err := base64.StdEncoding.DecodeString(p.Content)
	if err != nil {
		return nil, chat.Invalidf("contentBase64", "is no base64: %v", err)
	}
	u := upload{identifier: "file-" + rand.Text(), owner: chat.CallerKey(ctx), name: path.Base(p.Name), fileType: fileType(p.Name, content), content: content}
	c.server.files.add(u)
	return packet{"identifier": u.identifier, "fileType": u.fileType, "sizeBytes": len(content)}, nil
}

// fileType is one of the types that the SDKs know.
func fileType(name string, content []byte) string {
	kind := http.DetectContentType(content)
	switch {
	case strings.HasPrefix(kind, "image/"):
		return "image"
	case kind == "application/pdf":
		return "application/pdf"
	case strings.EqualFold(path.Ext(name), ".docx"):
		return "application/word"
	case utf8.Valid(content):
		return "text/plain"
	}
	return "unknown"
}
