package socket

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"tenon/server/chat"
	"tenon/server/chat/owned"
	"tenon/templates"
)

// history is a conversation as the SDKs send it.
type history struct {
	Messages []message `json:"messages"`
}

type message struct {
	Role    string `json:"role"`
	Content []part `json:"content"`
}

// part is a piece of a message; Type says which members are set.
type part struct {
	Type       string `json:"type"` // "text", "file", "toolCallRequest", "toolCallResult"
	Text       string `json:"text"`
	Name       string `json:"name"` // of a file, or of a result's tool
	Identifier string `json:"identifier"`
	FileType   string `json:"fileType"`
	Content    string `json:"content"` // of a result
	ToolCallID string `json:"toolCallId"`
	Request    struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCallRequest"`
}

// reader turns a history into a conversation.
type reader struct {
	file       func(identifier string) (upload, bool)
	start, end string // tags around an assistant's thinking
}

// decode reads the whole history.
func (r reader) decode(h history) (out []templates.Message, err error) {
	for i, m := range h.Messages {
		at := fmt.Sprintf("history.messages[%d]", i)
		var read []templates.Message
		switch m.Role {
		case "system", "user", "assistant":
			read, err = r.message(m, at)
		case "tool":
			read, err = results(m, at)
		default:
			err = chat.Invalidf(at+".role", "is %q; expected system, user, assistant or tool", m.Role)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, read...)
	}
	if len(out) == 0 { // a tool message without results says nothing
		return nil, chat.Invalidf("history.messages", "is empty; send at least one message")
	}
	return out, nil
}

// message reads what anybody but a tool said.
func (r reader) message(m message, at string) ([]templates.Message, error) {
	out := templates.Message{Role: templates.Role(m.Role)}
	for i, p := range m.Content {
		place := fmt.Sprintf("%s.content[%d]", at, i)
		switch p.Type {
		case "text":
			out.Parts = append(out.Parts, templates.Part{Text: p.Text})
		case "file":
			text, err := r.fileText(p, place)
			if err != nil {
				return nil, err
			}
			out.Parts = append(out.Parts, templates.Part{Text: text})
		case "toolCallRequest":
			arguments := string(p.Request.Arguments)
			if arguments == "" {
				arguments = "{}"
			}
			out.Calls = append(out.Calls, templates.Call{ID: p.Request.ID, Name: p.Request.Name, Arguments: arguments})
		default:
			return nil, chat.Invalidf(place+".type", "is %q; expected text, file or toolCallRequest", p.Type)
		}
	}
	if len(out.Parts) == 1 {
		out.Text, out.Parts = out.Parts[0].Text, nil
	}
	if m.Role == "assistant" {
		out.Reasoning, out.Text = r.split(out.Text)
	}
	return []templates.Message{out}, nil
}

// split takes the thinking out of what an assistant said: SDKs replay all fragments of an answer
// as its text.
func (r reader) split(text string) (reasoning, rest string) {
	after, ok := strings.CutPrefix(strings.TrimLeft(text, "\n "), r.start)
	if !ok {
		return "", text
	}
	thought, rest, closed := strings.Cut(after, r.end)
	if !closed {
		return after, ""
	}
	return thought, rest
}

// results reads a tool message: one result a part.
func results(m message, at string) (out []templates.Message, err error) {
	for i, p := range m.Content {
		if p.Type != "toolCallResult" {
			return nil, chat.Invalidf(fmt.Sprintf("%s.content[%d].type", at, i), "is %q; expected toolCallResult", p.Type)
		}
		out = append(out, templates.Message{Role: templates.ToolRole, Name: p.Name, CallID: p.ToolCallID, Text: p.Content})
	}
	return out, nil
}

// fileText is a file as the model reads it.
func (r reader) fileText(p part, at string) (string, error) {
	f, ok := r.file(p.Identifier)
	if !ok {
		return "", chat.Invalidf(at+".identifier", "is %q, which is no file that was uploaded here; files are kept for a while only", p.Identifier)
	}
	if !strings.HasPrefix(f.fileType, "text/") {
		return "", &chat.Error{Kind: chat.NotSupportedHere, Field: at,
			Message: fmt.Sprintf("%s is of type %s; this server reads text only", f.name, f.fileType)}
	}
	return fmt.Sprintf("[%s]\n%s", f.name, f.content), nil
}

// plain is the text of the history's user, for a client that has the text continued.
func (h history) plain() string {
	var b strings.Builder
	for _, m := range h.Messages {
		for _, p := range m.Content {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// mostFiles bounds the uploads that are kept.
var mostFiles = owned.Size{Entries: 10_000, Bytes: 128 << 20}

// upload is a file that a client sent.
type upload struct {
	name     string
	fileType string // as the SDKs know it
	content  []byte
}

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
