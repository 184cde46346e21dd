package socket

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/coder/websocket"

	"tenon/server/chat"
)

// mostIdentifier is how long each half of a client's credentials may be, in characters.
const mostIdentifier = 256

// authenticate reads the first frame and answers it. Nothing may be sent before.
func (c *conn) authenticate() bool {
	ctx, cancel := context.WithTimeout(c.ctx, authPatience)
	defer cancel()
	_, raw, err := c.ws.Read(ctx)
	if err != nil {
		return false
	}
	if err := c.admit(raw); err != nil {
		_ = c.out.send(packet{"success": false, "error": chat.AsError(err).Error()}) // the close says it as well
		c.out.close()
		_ = c.ws.Close(websocket.StatusPolicyViolation, "not authenticated") // it ends either way
		return false
	}
	return c.out.send(packet{"success": true}) == nil
}

func (c *conn) admit(raw []byte) error {
	var f authFrame
	if err := json.Unmarshal(raw, &f); err != nil || f.AuthVersion != 1 {
		return chat.Invalidf("authVersion", "the first frame must be {authVersion: 1, clientIdentifier, clientPasskey}")
	}
	if utf8.RuneCountInString(f.ClientIdentifier) > mostIdentifier || utf8.RuneCountInString(f.ClientPasskey) > mostIdentifier {
		return chat.Invalidf("clientIdentifier", "it and clientPasskey may have %d characters each", mostIdentifier)
	}
	if c.server.Admit == nil {
		return nil
	}
	ctx, err := c.server.Admit(c.ctx, f.ClientIdentifier, f.ClientPasskey)
	if err == nil {
		c.ctx = ctx
	}
	return err
}
