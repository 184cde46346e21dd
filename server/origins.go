package server

import (
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"tenon/server/chat"
)

// What keeps web pages from driving the server through the browser of somebody who can reach it.
// A page may send requests to any address, and read answers from its own: the first is told by
// the headers that browsers add, the second, where the page's own name has been pointed here (DNS
// rebinding), by the name that the request was sent to.

// LoopbackHosts are the names with a dot by which a server without keys may be called, and
// further ones. What a public name service cannot point here passes in any case: addresses, names
// without a dot, and names that end in .local.
func LoopbackHosts(further []string) []string {
	return append([]string{"host.docker.internal"}, further...)
}

func checkHost(allowed []string) gin.HandlerFunc {
	return func(c *gin.Context) {
		if host := hostname(c.Request.Host); allowed != nil && !ownName(host, allowed) {
			writeError(c, &chat.Error{Kind: chat.Forbidden, Message: fmt.Sprintf("the Host header names %q; --allowed-hosts adds names", host)})
		}
	}
}

// hostname is the name or address in host or host:port.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

func ownName(host string, allowed []string) bool {
	if host == "" {
		return false
	}
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") {
		return true
	}
	return slices.ContainsFunc(allowed, func(a string) bool { return hostname(a) == host })
}

// checkPage refuses what a web page sends that is neither this server's own, nor of this machine,
// nor on the list. Probes do nothing.
func checkPage(origins []string) gin.HandlerFunc {
	return func(c *gin.Context) {
		r := c.Request
		origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
		listed := origin != "" && (slices.Contains(origins, origin) || slices.Contains(origins, "*"))
		switch {
		case strings.HasPrefix(r.URL.Path, "/health"):
		case !listed && (site == "cross-site" || origin != "" && !ownPage(origin, r.Host)):
			writeError(c, &chat.Error{Kind: chat.Forbidden, Message: fmt.Sprintf("a web page (Origin %.200q) may not call this server; --cors-origins lists those that may", origin)})
		case (origin != "" || fromBrowser(r)) && r.Method == http.MethodPost && r.ContentLength != 0 && !isJSON(r.Header.Get("Content-Type")):
			writeError(c, &chat.Error{Kind: chat.Forbidden, Message: "a web page sends JSON with Content-Type: application/json; other types need no leave of the browser"})
		}
	}
}

// ownPage tells whether a page comes from the address that it calls, or from this machine.
func ownPage(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false // "null", a page in a sandbox or a file
	}
	if strings.EqualFold(u.Host, host) {
		return true
	}
	name := hostname(u.Host)
	address, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && address.IsLoopback()
}

func fromBrowser(r *http.Request) bool {
	for name := range r.Header {
		if strings.HasPrefix(name, "Sec-Fetch-") {
			return true
		}
	}
	return false
}

func isJSON(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json" || strings.HasSuffix(t, "+json"))
}

// cors lets the pages of an allow list call, and answers their preflight requests.
func cors(origins []string) gin.HandlerFunc {
	return func(c *gin.Context) {
		origin := c.GetHeader("Origin")
		for _, o := range origins {
			if o == origin || o == "*" {
				c.Header("Access-Control-Allow-Origin", origin)
				c.Header("Vary", "Origin")
				c.Header("Access-Control-Expose-Headers", "X-Request-Id, X-Tenon-Ignored, X-Tenon-Issues, X-Tenon-Guarantees, X-Tenon-Estimate, X-Tenon-Retries, Retry-After")
				if c.Request.Method == http.MethodOptions {
					c.Header("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
					c.Header("Access-Control-Allow-Headers", "*, Authorization")
					c.AbortWithStatus(http.StatusNoContent)
					return
				}
			}
		}
		c.Next()
	}
}
