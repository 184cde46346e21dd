package server

import (
	"context"
	"net"
	"net/http"

	"github.com/gin-gonic/gin"

	"tenon/server/chat"
)

// admin lets through who may change the fleet: with keys, a key marked so; without any, this
// machine alone. What a proxy passes on is not from this machine, wherever the proxy runs.
func admin(keys []Key) gin.HandlerFunc {
	return func(c *gin.Context) {
		if !mayManage(c, keys) {
			writeError(c, notAdmin(keys))
			return
		}
		c.Next()
	}
}

func mayManage(c *gin.Context, keys []Key) bool {
	if len(keys) > 0 {
		return c.GetBool(adminMark)
	}
	return fromHere(c.Request)
}

func notAdmin(keys []Key) *chat.Error {
	if len(keys) > 0 {
		return &chat.Error{Kind: chat.Forbidden, Message: "this needs a key marked admin: in the key file, a line admin:KEY or admin:NAME=KEY"}
	}
	return &chat.Error{Kind: chat.Forbidden, Message: "without API keys this is for the machine itself; give the server a key marked admin (admin:KEY)"}
}

// manages is what the context of LM Studio's clients holds: whether they may change the fleet. A
// socket's key may come in the upgrade's header or in the first frame.
type manages struct{}

func withManages(ctx context.Context, may bool) context.Context {
	return context.WithValue(ctx, manages{}, may)
}

func manage(keys []Key) func(context.Context) error {
	return func(ctx context.Context) error {
		if may, _ := ctx.Value(manages{}).(bool); !may {
			return notAdmin(keys)
		}
		return nil
	}
}

func fromHere(r *http.Request) bool {
	for _, passed := range []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip"} {
		if r.Header.Get(passed) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return err == nil && net.ParseIP(host).IsLoopback()
}
