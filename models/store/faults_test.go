package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A pull meets sources that misbehave, each at an address of its own: https://…/NAME/m.gguf
// without a hash, so that nothing but the answers themselves tells what is wrong.

// random is a file of more than one chunk.
func random(seed uint64, size int) []byte {
	b := make([]byte, size)
	r := rand.NewChaCha8([32]byte{byte(seed)})
	_, _ = r.Read(b) // it never fails
	copy(b, "GGUF")
	return b
}

// misbehaving serves body and lets wrong change each answer before it is given; false: wrong has
// answered.
type misbehaving struct {
	mu     sync.Mutex
	body   []byte
	tag    string
	ranges []string
	wrong  func(n int, w http.ResponseWriter, r *http.Request) bool
}

func (m *misbehaving) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.ranges = append(m.ranges, r.Header.Get("Range"))
	n, body, tag := len(m.ranges), m.body, m.tag
	m.mu.Unlock()
	if tag != "" {
		w.Header().Set("ETag", tag)
	}
	if m.wrong != nil && !m.wrong(n, w, r) {
		return
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

func (m *misbehaving) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string{}, m.ranges...)
}

func source(t *testing.T, m *misbehaving) (*Store, Ref) {
	t.Helper()
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	return &Store{Dir: t.TempDir(), Pause: time.Millisecond, Silence: 10 * time.Second}, Ref{URL: s.URL + "/m.gguf"}
}

// part answers a range as it should be, but only most bytes of it, and then breaks off.
func part(w http.ResponseWriter, r *http.Request, body []byte, most int) {
	from, to, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-")
	start, _ := strconv.Atoi(from)
	end, _ := strconv.Atoi(to)
	end = min(end, len(body)-1)
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, end, len(body)))
	w.Header().Set("Content-Length", strconv.Itoa(end-start+1))
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write(body[start:min(start+most, end+1)])
	panic(http.ErrAbortHandler)
}

func TestPull_whatBreaksOffGoesOnWhereItEnded(t *testing.T) {
	body := random(1, 1<<20)
	m := &misbehaving{body: body, tag: `"1"`}
	m.wrong = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n%2 == 1 {
			part(w, r, body, 200_000)
		}
		return true
	}
	s, ref := source(t, m)
	path, err := s.Pull(t.Context(), ref, nil)
	got, _ := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, body) {
		t.Fatal(err)
	}
	if asked := m.asked(); len(asked) != 2 || asked[1] == asked[0] {
		t.Errorf("asked %q", asked)
	}
}

// A pull that is given up leaves what it has, and another one, of another process, asks for the
// rest alone.
func TestPull_goesOnAfterItWasGivenUp(t *testing.T) {
	body := random(2, 1<<20)
	m := &misbehaving{body: body, tag: `"1"`}
	m.wrong = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n > 1 {
			return true
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(body)-1, len(body)))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // the other half would come later
		return false
	}
	s, ref := source(t, m)
	s.Report = time.Nanosecond // each piece is told
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Pull(ctx, ref, func(p Progress) {
		if p.Done > 100_000 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	// its lock waits until the first has written what it has
	again := &Store{Dir: s.Dir, Pause: s.Pause}
	path, err := again.Pull(t.Context(), ref, nil)
	got, _ := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, body) {
		t.Fatal(err)
	}
	if asked := m.asked(); len(asked) != 2 || asked[1] == "bytes=0-1048575" {
		t.Errorf("asked %q", asked)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*part*")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// A source that sends no parts is asked for the file in one piece, again if that breaks off, and
// as long as it may be.
func TestPull_inOnePieceWhereTheSourceSendsNoParts(t *testing.T) {
	body := random(12, chunkSize+321)
	all := func(w http.ResponseWriter, most int, length bool) {
		if length {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		_, _ = w.Write(body[:most/2])
		_ = http.NewResponseController(w).Flush() // without a length it is sent in pieces
		_, _ = w.Write(body[most/2 : most])
	}
	for name, wrong := range map[string]func(n int, w http.ResponseWriter, r *http.Request) bool{
		"with its length":    func(_ int, w http.ResponseWriter, _ *http.Request) bool { all(w, len(body), true); return false },
		"without its length": func(_ int, w http.ResponseWriter, _ *http.Request) bool { all(w, len(body), false); return false },
		"broken off twice": func(n int, w http.ResponseWriter, _ *http.Request) bool {
			all(w, min(len(body), n*len(body)/3), true)
			return false
		},
		"a part of who knows what": func(_ int, w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("Range") == "" {
				return true
			}
			w.Header().Set("Content-Range", "bytes 0-99/*")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(body[:100])
			return false
		},
		"no parts from the middle on": func(n int, w http.ResponseWriter, r *http.Request) bool {
			if n == 1 {
				part(w, r, body, 100_000)
				return false
			}
			all(w, len(body), true)
			return false
		},
	} {
		store, ref := source(t, &misbehaving{body: body, wrong: wrong})
		var last Progress
		path, err := store.Pull(t.Context(), ref, func(p Progress) { last = p })
		if got, _ := os.ReadFile(path); err != nil || !bytes.Equal(got, body) || last.Done != int64(len(body)) {
			t.Errorf("%s: %d bytes of %d, %v; told of %d", name, len(got), len(body), err, last.Done)
		}
	}
	store, ref := source(t, &misbehaving{body: body, wrong: func(_ int, w http.ResponseWriter, _ *http.Request) bool { all(w, 1000, true); return false }})
	if _, err := store.Pull(t.Context(), ref, nil); err == nil {
		t.Error("a file that always breaks off looks whole")
	}
}

// Of a file that changes while it is fetched nothing old stays, with If-Range or without the
// source's help.
func TestPull_aFileThatChangesIsFetchedAnew(t *testing.T) {
	for _, blind := range []bool{false, true} {
		before, after := random(3, chunkSize+1000), random(4, chunkSize+1000)
		m := &misbehaving{body: before, tag: `"before"`}
		m.wrong = func(n int, _ http.ResponseWriter, r *http.Request) bool {
			if n == 1 {
				m.mu.Lock()
				defer m.mu.Unlock()
				m.body, m.tag = after, `"after"`
				return true
			}
			// the source ignores If-Range, and sends the range of its new file
			if blind {
				r.Header.Del("If-Range")
			}
			return true
		}
		s, ref := source(t, m)
		path, err := s.Pull(t.Context(), ref, nil)
		got, _ := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, after) {
			t.Errorf("blind %t: %v, asked %q", blind, err, m.asked())
		}
	}
}

func TestPull_wrongAnswersAreErrors(t *testing.T) {
	body := random(5, 100_000)
	always := func(f func(w http.ResponseWriter, r *http.Request)) func(int, http.ResponseWriter, *http.Request) bool {
		return func(_ int, w http.ResponseWriter, r *http.Request) bool { f(w, r); return false }
	}
	for name, c := range map[string]struct {
		wrong func(int, http.ResponseWriter, *http.Request) bool
		want  string
	}{
		"another range": {always(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 5-99/100")
			w.WriteHeader(http.StatusPartialContent)
		}), "was asked for bytes from 0 on"},
		"no range": {always(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPartialContent) }), "was asked for bytes from 0 on"},
		"short, whole": {always(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write(body[:10])
		}), "unexpected EOF"},
		"401": {always(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }), "HF_TOKEN"},
		"404": {always(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }), "check the name"},
		"429": {always(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }), "asked too often"},
		"500": {always(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }), "500"},
		"ever on": {always(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}), "redirected 10 times"},
		"cut for ever": {always(func(w http.ResponseWriter, r *http.Request) { part(w, r, body, 0) }), "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &misbehaving{body: body, wrong: c.wrong}
			s, ref := source(t, m)
			path, err := s.Pull(t.Context(), ref, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not say %q", err, c.want)
			}
			if path != "" {
				t.Errorf("%s looks whole", path)
			}
			if _, err := os.Stat(filepath.Join(s.folder(ref), "m.gguf")); err == nil {
				t.Error("the file looks whole")
			}
		})
	}
}

func TestPull_askedTooOftenItWaitsAndAsksAgain(t *testing.T) {
	body := random(6, 1000)
	m := &misbehaving{body: body, wrong: func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n < 4 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		return n >= 4
	}}
	s, ref := source(t, m)
	if path, err := s.Pull(t.Context(), ref, nil); err != nil || path == "" || len(m.asked()) != 4 {
		t.Errorf("%v after %q", err, m.asked())
	}
	if got := s.pause(0, &SourceError{wait: 7}); (&Store{}).pause(0, &SourceError{wait: 7}) != 7 || got != time.Millisecond {
		t.Error("the source's wish is not heard")
	}
}

// A source that falls silent in the middle is asked again for what is missing.
func TestPull_silenceInTheMiddle(t *testing.T) {
	body := random(7, 1<<20)
	hold := make(chan struct{})
	m := &misbehaving{body: body, wrong: func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n > 1 {
			return true
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(body)-1, len(body)))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(body[:300_000])
		_ = http.NewResponseController(w).Flush()
		<-hold
		return false
	}}
	s, ref := source(t, m)
	t.Cleanup(func() { close(hold) })
	s.Silence = 200 * time.Millisecond
	path, err := s.Pull(t.Context(), ref, nil)
	if got, _ := os.ReadFile(path); err != nil || !bytes.Equal(got, body) {
		t.Fatal(err)
	}
}

func TestPull_severalConnectionsBringOneFile(t *testing.T) {
	body := random(8, 3*chunkSize+12345)
	m := &misbehaving{body: body, tag: `"1"`}
	s, ref := source(t, m)
	var last Progress
	path, err := s.Pull(t.Context(), ref, func(p Progress) { last = p })
	if got, _ := os.ReadFile(path); err != nil || !bytes.Equal(got, body) {
		t.Fatal(err)
	}
	if len(m.asked()) != 4 || last.Done != int64(len(body)) || last.Total != last.Done || !last.Checking {
		t.Errorf("asked %q, %+v", m.asked(), last)
	}
	sum := sha256.Sum256(body)
	b, err := os.ReadFile(path + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var note Manifest
	if err := json.Unmarshal(b, &note); err != nil || note.SHA256 != hex.EncodeToString(sum[:]) || note.Source != ref.URL || note.Size != int64(len(body)) {
		t.Errorf("%+v", note)
	}
}

func TestPull_twoOfOneModelShareTheWork(t *testing.T) {
	body := random(9, 100_000)
	m := &misbehaving{body: body, tag: `"1"`}
	s, ref := source(t, m)
	other := &Store{Dir: s.Dir, Pause: s.Pause} // as another process
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			if _, err := []*Store{s, other}[i%2].Pull(t.Context(), ref, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if asked := m.asked(); len(asked) != 1 {
		t.Errorf("asked %q", asked)
	}
}

func TestPull_noSpaceIsToldBeforeItBegins(t *testing.T) {
	m := &misbehaving{wrong: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", chunkSize-1, int64(1)<<60))
		w.WriteHeader(http.StatusPartialContent)
		return false
	}}
	s, ref := source(t, m)
	if _, err := s.Pull(t.Context(), ref, nil); !errors.Is(err, ErrNoSpace) {
		t.Error(err)
	}
}

// The page of a network's login comes with status 200, whatever was asked for.
func TestPull_whatIsNoModelIsNotKept(t *testing.T) {
	s, ref := source(t, &misbehaving{body: []byte("<html>please log in</html>")})
	_, err := s.Pull(t.Context(), ref, nil)
	var source *SourceError
	if !errors.As(err, &source) || !strings.Contains(err.Error(), "no GGUF file") {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir, "url", "*", "m.gguf*")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}
