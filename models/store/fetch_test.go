package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// hub is a local stand-in for Hugging Face: one repository, whose files it can serve badly.
type hub struct {
	// guards everything: a handler may outlive the answer that a test has read
	mu       sync.Mutex
	files    map[string][]byte
	cut      int    // serve only so many bytes of a file, then end
	noResume bool   // ignore Range
	sum      string // a wrong SHA-256 to announce
	silent   chan struct{}
	asked    []string
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.silent != nil {
		<-h.silent
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, r.URL.Path+" "+r.Header.Get("Range"))
	if r.URL.Path == "/api/models/some/repo-GGUF/tree/main" {
		_ = json.NewEncoder(w).Encode(h.tree())
		return
	}
	body, ok := h.files[strings.TrimPrefix(r.URL.Path, "/some/repo-GGUF/resolve/main/")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if h.noResume {
		r.Header.Del("Range")
	}
	if h.cut > 0 {
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(body[:h.cut])
		panic(http.ErrAbortHandler)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// change sets how the hub behaves from now on.
func (h *hub) change(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

// requests returns what was asked for so far.
func (h *hub) requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.asked)
}

func (h *hub) tree() []map[string]any {
	var out []map[string]any
	for name, body := range h.files {
		sum := sha256.Sum256(body)
		oid := hex.EncodeToString(sum[:])
		if h.sum != "" {
			oid = h.sum
		}
		out = append(out, map[string]any{"path": name, "size": len(body), "lfs": map[string]any{"oid": oid, "size": len(body)}})
	}
	return out
}

func serve(t *testing.T, h *hub) *Store {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return &Store{Dir: t.TempDir(), Hub: s.URL, Pause: time.Millisecond}
}

var (
	ref  = Ref{Repo: "some/repo-GGUF", Quant: "Q8_0"}
	body = append([]byte("GGUF"), bytes.Repeat([]byte("weights "), 5000)...)
)

func pull(t *testing.T, s *Store, want []byte) string {
	t.Helper()
	path, err := s.Pull(context.Background(), ref, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%v; %d bytes, want %d", err, len(got), len(want))
	}
	return path
}

func TestPull_choosesTheQuantAndAsksOnce(t *testing.T) {
	h := &hub{files: map[string][]byte{"m-Q8_0.gguf": body, "m-Q4_K_M.gguf": []byte("GGUF other"), "mmproj-Q8_0.gguf": []byte("eyes"), "README.md": nil}}
	s := serve(t, h)
	pull(t, s, body)
	asked := len(h.requests())
	if pull(t, s, body); len(h.requests()) != asked {
		t.Error("a file that is here was asked for again")
	}
}

func TestPull_beginsAnewWhereTheSourceCannotResume(t *testing.T) {
	h := &hub{files: map[string][]byte{"m-Q8_0.gguf": body}, cut: 100}
	s := serve(t, h)
	_, _ = s.Pull(context.Background(), ref, nil)
	h.change(func() { h.cut, h.noResume = 0, true })
	pull(t, s, body)
}

func TestPull_refusesAWrongFile(t *testing.T) {
	h := &hub{files: map[string][]byte{"m-Q8_0.gguf": body}, sum: strings.Repeat("0", 64)}
	s := serve(t, h)
	if _, err := s.Pull(context.Background(), ref, nil); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Fatal(err)
	}
	h.change(func() { h.sum = "" })
	pull(t, s, body) // nothing of the wrong one is left
}

func TestPull_refusesAWrongLength(t *testing.T) {
	short := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			_, _ = w.Write([]byte(`[{"path":"m-Q8_0.gguf","size":99}]`))
			return
		}
		_, _ = w.Write([]byte("too short"))
	}))
	defer short.Close()
	s := &Store{Dir: t.TempDir(), Hub: short.URL, Pause: time.Millisecond}
	if _, err := s.Pull(context.Background(), ref, nil); err == nil || !strings.Contains(err.Error(), "has 9 bytes, and its list of files says 99") {
		t.Fatal(err)
	}
}

func TestPull_saysThatTheHubIsSilent(t *testing.T) {
	h := &hub{silent: make(chan struct{})}
	s := serve(t, h)
	t.Cleanup(func() { close(h.silent) })
	s.Silence = time.Millisecond
	if _, err := s.Pull(context.Background(), ref, nil); !errors.Is(err, ErrSilent) {
		t.Fatal(err)
	}
}

func TestPull_bringsEveryPartOfASplitFile(t *testing.T) {
	h := &hub{files: map[string][]byte{"Q8_0/m-Q8_0-00001-of-00002.gguf": []byte("GGUF one"), "Q8_0/m-Q8_0-00002-of-00002.gguf": []byte("GGUF two")}}
	s := serve(t, h)
	first := pull(t, s, []byte("GGUF one"))
	second := strings.Replace(first, "00001-of", "00002-of", 1)
	if _, err := os.Stat(second); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(second)
	if pull(t, s, []byte("GGUF one")); !fileExists(second) {
		t.Error("a missing part was not brought")
	}
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestPull_errorsSayWhatThereIs(t *testing.T) {
	s := serve(t, &hub{files: map[string][]byte{"m-Q4_K_M.gguf": body}})
	if _, err := s.Pull(context.Background(), ref, nil); err == nil || !strings.Contains(err.Error(), "m-Q4_K_M.gguf") {
		t.Error(err)
	}
	if _, err := s.Pull(context.Background(), Ref{Repo: "no/such"}, nil); err == nil || !strings.Contains(err.Error(), "404") {
		t.Error(err)
	}
	if _, err := s.Pull(context.Background(), Ref{Path: filepath.Join(s.Dir, "none")}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestParseRef(t *testing.T) {
	for in, want := range map[string]Ref{
		"m.gguf":                       {Path: "m.gguf"},
		"hf:Qwen/Qwen3-0.6B-GGUF:Q8_0": {Repo: "Qwen/Qwen3-0.6B-GGUF", Quant: "Q8_0"},
		"hf:a/b":                       {Repo: "a/b"},
		"https://example.org/x/m.gguf": {URL: "https://example.org/x/m.gguf"},
		"http://127.0.0.1:8080/m.gguf": {URL: "http://127.0.0.1:8080/m.gguf"},
	} {
		if got, err := ParseRef(in); err != nil || got != want {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "hf:", "hf:a", "hf:../b", "hf:a/..", "http://example.org/m.gguf", "ftp://a/m.gguf", "https://example.org/page"} {
		if got, err := ParseRef(in); err == nil {
			t.Errorf("%q: accepted as %+v", in, got)
		}
	}
}
