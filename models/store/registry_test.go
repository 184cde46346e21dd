package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestPull_fromARegistry(t *testing.T) {
	body := random(10, 5000)
	sum := sha256.Sum256(body)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	template, parameters := "<|im_start|>{{ .Prompt }}", `{"temperature":0.5}`
	hash := func(text string) string {
		s := sha256.Sum256([]byte(text))
		return "sha256:" + hex.EncodeToString(s[:])
	}
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v2/library/tiny/manifests/1b":
			_, _ = fmt.Fprintf(w, `{"layers":[{"mediaType":%q,"digest":"sha256:00"},{"mediaType":%q,"digest":%q},{"mediaType":%q,"digest":%q},{"mediaType":%q,"digest":%q,"size":%d}]}`,
				templateLayer, templateLayer, hash(template), parameterLayer, hash(`{"temperature":0.5}`), modelLayer, digest, len(body))
		case "/v2/library/tiny/blobs/" + hash(template):
			_, _ = io.WriteString(w, template)
		case "/v2/library/tiny/blobs/" + hash(`{"temperature":0.5}`):
			_, _ = io.WriteString(w, parameters)
		case "/v2/library/tiny/blobs/" + digest:
			http.Redirect(w, r, s.URL+"/cdn", http.StatusTemporaryRedirect)
		case "/cdn":
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	ref, err := ParseRef("ollama:" + strings.TrimPrefix(s.URL, "http://") + "/library/tiny:1b")
	if err != nil {
		t.Fatal(err)
	}
	store := &Store{Dir: t.TempDir(), Pause: time.Millisecond}
	parameters = `{"temperature":5}`
	if _, err := store.Pull(t.Context(), ref, nil); err == nil || !strings.Contains(err.Error(), "its SHA-256 is another") {
		t.Error(err)
	}
	parameters = `{"temperature":0.5}`
	path, err := store.Pull(t.Context(), ref, nil)
	if got, _ := os.ReadFile(path); err != nil || !bytes.Equal(got, body) {
		t.Fatal(err)
	}
	var m Manifest
	if b, err := os.ReadFile(path + ".json"); err != nil || json.Unmarshal(b, &m) != nil || m.Template != template || m.Parameters != parameters {
		t.Errorf("%v %+v", err, m)
	}
	if err := store.Remove(path); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(store.Dir, "ollama", "*", "*", "*", "*.gguf*")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
	if err := store.Remove(filepath.Join(store.Dir, "..", "x")); err == nil {
		t.Error("removed a file outside the store")
	}
}

func TestPull_triesTheNextMirror(t *testing.T) {
	h := &hub{files: map[string][]byte{"m-Q8_0.gguf": body}}
	s := serve(t, h)
	s.Hub = "http://127.0.0.1:1, " + s.Hub
	pull(t, s, body)
}
