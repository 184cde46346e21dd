package server

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/gin-gonic/gin"

	"tenon/server/chat"
)

// Key is an API key: a name for the log and the key's hash. The key itself is not kept.
type Key struct {
	Name string
	hash [sha256.Size]byte
}

// NewKey reads KEY or NAME=KEY. A key without a name is called by its place, from 1.
func NewKey(s string, place int) (Key, error) {
	name, key, named := SplitKey(s)
	if !named {
		name = fmt.Sprintf("key%d", place)
	}
	if strings.Trim(key, "=") == "" || name == "" {
		return Key{}, fmt.Errorf("API key %d: expected KEY or NAME=KEY", place)
	}
	return Key{Name: name, hash: sha256.Sum256([]byte(key))}, nil
}

// SplitKey divides NAME=KEY; what has no name is all key. Clients send the key alone.
func SplitKey(s string) (name, key string, named bool) {
	name, key, named = strings.Cut(s, "=")
	if !named || padded(s) {
		return "", s, false
	}
	return name, key, true
}

// padded tells a key in base64, whose end may be "=" or "==", from a name with nothing behind it. Were it taken for a name, the key
// would stand in the log, and "=" would open the server.
func padded(s string) bool {
	const least = 16 // characters; no shorter key is a secret
	return len(s) >= least && len(s)%4 == 0 && strings.Index(s, "=") >= len(s)-2 && strings.HasSuffix(s, "=")
}

// ReadKeys reads a file with a key on each line; empty lines and those that begin with # are passed over.
func ReadKeys(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read API keys: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	var keys []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && !strings.HasPrefix(line, "#") {
			keys = append(keys, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read API keys: %w", err)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("read API keys: %s holds none", path)
	}
	return keys, nil
}

// authenticate asks for a key on every route but /health, if there are keys.
func authenticate(keys []Key) gin.HandlerFunc {
	return func(c *gin.Context) {
		if len(keys) == 0 || strings.HasPrefix(c.Request.URL.Path, "/health") || c.Request.Method == http.MethodOptions {
			c.Next()
			return
		}
		key, ok := find(keys, presented(c.Request)...)
		if !ok {
			writeError(c, &chat.Error{Kind: chat.Unauthorized, Message: "an API key is needed, as Authorization: Bearer KEY or x-api-key: KEY; the one sent (if any) is not valid"})
			return
		}
		c.Request = c.Request.WithContext(chat.WithCaller(c.Request.Context(), key.Name))
		c.Next()
	}
}

// presented are the keys that a request brings. Anthropic's SDKs send two where their environment has two.
func presented(r *http.Request) []string {
	keys := []string{r.Header.Get("X-Api-Key")}
	if scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		keys = append(keys, strings.TrimSpace(key))
	}
	return keys
}

// find compares with every key, in time that says nothing about which one was near.
func find(keys []Key, sent ...string) (Key, bool) {
	var found Key
	match := 0
	for _, s := range sent {
		hash := sha256.Sum256([]byte(s))
		for _, k := range keys {
			if subtle.ConstantTimeCompare(hash[:], k.hash[:]) == 1 {
				found, match = k, 1
			}
		}
	}
	return found, match == 1
}

// LoopbackHosts are the names by which a server on loopback may be called. Without a key, any web page could reach it under
// a name of its own that resolves to loopback (DNS rebinding); the Host header tells.
func LoopbackHosts(further []string) []string {
	return append([]string{"localhost", "127.0.0.1", "::1", "host.docker.internal"}, further...)
}

func checkHost(allowed []string) gin.HandlerFunc {
	return func(c *gin.Context) {
		if allowed == nil {
			c.Next()
			return
		}
		host := c.Request.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		host = strings.Trim(host, "[]")
		for _, a := range allowed {
			if strings.EqualFold(a, host) {
				c.Next()
				return
			}
		}
		writeError(c, &chat.Error{Kind: chat.Forbidden, Message: fmt.Sprintf("the Host header names %q; --allowed-hosts adds names", host)})
	}
}

// cors lets the pages of an allow list call, and answers their preflight requests.
func cors(origins []string) gin.HandlerFunc {
	return func(c *gin.Context) {
		origin := c.GetHeader("Origin")
		for _, o := range origins {
			if o == origin || o == "*" {
				c.Header("Access-Control-Allow-Origin", origin)
				c.Header("Vary", "Origin")
				c.Header("Access-Control-Expose-Headers", "X-Request-Id, X-Tenon-Ignored, X-Tenon-Issues, X-Tenon-Estimate, Retry-After")
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
