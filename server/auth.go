package server

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"

	"github.com/gin-gonic/gin"

	"tenon/server/chat"
)

// Key is an API key: a name for the log and the key's hash. The key itself is not kept.
type Key struct {
	Name  string
	Admin bool // it may change the fleet: load, pull, remove models
	hash  [sha256.Size]byte
}

// adminMark stands before a key that may change the fleet.
const adminMark = "admin:"

// NewKey reads KEY or NAME=KEY, with admin: before it for one that may change the fleet. A key
// without a name is called by its place, from 1.
func NewKey(s string, place int) (Key, error) {
	name, key, named := SplitKey(s)
	if !named {
		name = fmt.Sprintf("key%d", place)
	}
	if strings.Trim(key, "=") == "" || name == "" {
		return Key{}, fmt.Errorf("API key %d: expected KEY or NAME=KEY, or either with admin: before it", place)
	}
	return Key{Name: name, Admin: strings.HasPrefix(s, adminMark), hash: sha256.Sum256([]byte(key))}, nil
}

// caller is who sends the key. What is kept for a caller, on disk too, belongs to the key itself:
// names and places in a file change hands. It is a hash of the hash, so that nothing kept helps in
// guessing the key that the log or a file might tell.
func (k Key) caller() chat.Caller {
	owner := sha256.Sum256(append([]byte("tenon owner:"), k.hash[:]...))
	return chat.Caller{Key: hex.EncodeToString(owner[:16]), Name: k.Name}
}

// SplitKey divides NAME=KEY; what has no name is all key, but for the mark of admin keys. Clients
// send the key alone.
func SplitKey(s string) (name, key string, named bool) {
	s = strings.TrimPrefix(s, adminMark)
	name, key, named = strings.Cut(s, "=")
	if !named || padded(s) {
		return "", s, false
	}
	return name, key, true
}

// padded tells a key in base64, whose end may be "=" or "==", from a name with nothing behind it.
// Were it taken for a name, the key would stand in the log, and "=" would open the server.
func padded(s string) bool {
	const least = 16 // characters; no shorter key is a secret
	return len(s) >= least && len(s)%4 == 0 && strings.Index(s, "=") >= len(s)-2 && strings.HasSuffix(s, "=")
}

// ReadKeys reads a file with a key on each line; empty lines and those that begin with # are
// passed over.
func ReadKeys(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read API keys: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	if err := private(f); err != nil {
		return nil, fmt.Errorf("read API keys: %w", err)
	}
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

// private refuses a file that other users of the machine can read.
func private(f *os.File) error {
	const others = 0o077
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); info.Mode().IsRegular() && mode&others != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("%s can be read by others (mode %04o): chmod 600 %s", f.Name(), mode, f.Name())
	}
	return nil
}

// authenticate asks for a key on every route but /health, if there are keys.
func authenticate(keys []Key) gin.HandlerFunc {
	return func(c *gin.Context) {
		if len(keys) == 0 || strings.HasPrefix(c.Request.URL.Path, "/health") || c.Request.Method == http.MethodOptions {
			c.Next()
			return
		}
		key, ok := find(keys, presented(c.Request)...)
		if !ok && asksLater(c.Request) {
			c.Next()
			return
		}
		if !ok {
			writeError(c, &chat.Error{Kind: chat.Unauthorized, Message: "an API key is needed, as Authorization: Bearer KEY or x-api-key: KEY; the one sent (if any) is not valid"})
			return
		}
		c.Set(adminMark, key.Admin)
		c.Request = c.Request.WithContext(chat.WithCaller(c.Request.Context(), key.caller()))
		c.Next()
	}
}

// presented are the keys that a request brings. Anthropic's SDKs send two where their environment
// has two.
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
