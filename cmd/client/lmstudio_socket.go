package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// The server's sockets for LM Studio's SDKs: what they answer has the shapes that editors and
// scripts know from LM Studio's own lms.

// Ask calls an endpoint of a namespace and returns its result.
func (c *Client) Ask(ctx context.Context, namespace, endpoint string, parameter any) (result json.RawMessage, err error) {
	frame := map[string]any{"type": "rpcCall", "callId": 0, "endpoint": endpoint, "parameter": parameter}
	err = c.socket(ctx, namespace, frame, func(f socketFrame) (bool, error) {
		result = f.Result
		return f.Type == "rpcResult", nil
	})
	return result, err
}

// Watch opens a channel of a namespace and gives its packets to each, until that fails or the
// server ends it.
func (c *Client) Watch(ctx context.Context, namespace, endpoint string, each func(packet json.RawMessage) error) error {
	frame := map[string]any{"type": "channelCreate", "channelId": 0, "endpoint": endpoint}
	return c.socket(ctx, namespace, frame, func(f socketFrame) (bool, error) {
		if f.Type == "channelSend" {
			return false, each(f.Message)
		}
		return f.Type == "channelClose", nil
	})
}

type socketFrame struct {
	Type    string          `json:"type"`
	Result  json.RawMessage `json:"result"`
	Message json.RawMessage `json:"message"`
	Error   json.RawMessage `json:"error"`
}

// socket sends one frame and reads what comes until take has enough.
func (c *Client) socket(ctx context.Context, namespace string, frame map[string]any, take func(socketFrame) (done bool, err error)) error {
	o := &websocket.DialOptions{HTTPClient: c.http}
	if c.Key != "" {
		o.HTTPHeader = http.Header{"Authorization": {"Bearer " + c.Key}}
	}
	ws, _, err := websocket.Dial(ctx, c.Base+"/"+namespace, o) //nolint:bodyclose // the socket takes the body over
	if err != nil {
		return c.unreached(err)
	}
	defer func() { _ = ws.CloseNow() }() // all has been said
	ws.SetReadLimit(64 << 20)
	for _, f := range []map[string]any{{"authVersion": 1, "clientIdentifier": "lms", "clientPasskey": c.Key}, frame} {
		if err := wsjson.Write(ctx, ws, f); err != nil {
			return fmt.Errorf("ask the server: %w", err)
		}
	}
	for {
		var f socketFrame
		if err := wsjson.Read(ctx, ws, &f); err != nil {
			return fmt.Errorf("read the server's answer: %w", err)
		}
		if len(f.Error) > 0 {
			return socketError(f.Error)
		}
		if f.Type == "" { // who we are is known
			continue
		}
		if done, err := take(f); done || err != nil {
			return err
		}
	}
}

// socketError reads what a server says is wrong: a text of the first answer, an object of others.
func socketError(raw json.RawMessage) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return errors.New(text)
	}
	var said struct{ Title string }
	if json.Unmarshal(raw, &said) != nil || said.Title == "" {
		return fmt.Errorf("the server refuses: %s", raw)
	}
	return errors.New(said.Title)
}
