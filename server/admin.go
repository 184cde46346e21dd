package server

import (
	"net"
	"net/http"

	"github.com/gin-gonic/gin"

	"tenon/server/chat"
)

// admin lets through who may change the fleet: with keys, a key marked so; without any, this
// machine alone. What a proxy passes on is not from this machine, wherever the proxy runs.
func admin(keys []Key) gin.HandlerFunc {
	return func(c *gin.Context) {
		switch {
		case len(keys) > 0 && !c.GetBool(adminMark):
			writeError(c, &chat.Error{Kind: chat.Forbidden, Message: "this needs a key marked admin: in the key file, a line admin:KEY or admin:NAME=KEY"})
		case len(keys) == 0 && !fromHere(c.Request):
			writeError(c, &chat.Error{Kind: chat.Forbidden, Message: "without API keys this is for the machine itself; give the server a key marked admin (admin:KEY)"})
		default:
			c.Next()
		}
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
