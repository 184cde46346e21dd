package socket

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"tenon/server/chat"
	"tenon/server/chat/owned"
)

// mostFiles bounds the uploads that are kept.
var mostFiles = owned.Size{Entries: 10_000, Bytes: 128 << 20}

// upload is a file that a client sent.
type upload struct {
	name     string
	fileType string // as the SDKs know it
	content  []byte
}

// text tells whether the model can read it.
func (u upload) text() bool { return strings.HasPrefix(u.fileType, "text/") }

// file is an upload of the socket's caller.
func (c *conn) file(identifier string) (upload, bool) {
	return c.server.files.Get(chat.CallerKey(c.ctx), identifier)
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
	u := upload{path.Base(p.Name), fileType(p.Name, content), content}
	identifier := "file-" + rand.Text()
	c.server.files.Put(chat.CallerKey(ctx), identifier, u, len(content))
	return packet{"identifier": identifier, "fileType": u.fileType, "sizeBytes": len(content)}, nil
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
