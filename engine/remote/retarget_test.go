package remote

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenon/engine"
)

// An upstream that is taken out ends the turns that it has and gets no more; one that is new gets
// some, and weights are those of the new list.
func TestRetarget_whatIsTakenOutEndsItsTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar("old", "new", "third")
		whole := transcript(t, "llama/whole.txt")
		release := make(chan struct{})
		at := strings.Index(whole, "\n\n") + 2
		f.hosts["old"].body = func(*http.Request) io.Reader {
			return io.MultiReader(strings.NewReader(whole[:at]), readerOf(func([]byte) (int, error) { <-release; return 0, io.EOF }), strings.NewReader(whole[at:]))
		}
		f.hosts["new"].body, f.hosts["third"].body = says(whole), says(whole)
		e := connectTo(t, f, "http://old")
		s, err := e.Open(t.Context(), plain())
		if err != nil {
			t.Fatal(err)
		}
		if u, err := s.Next(t.Context()); err != nil || u.Progress == nil {
			t.Fatalf("%+v, %v", u, err)
		}
		if err := e.Retarget([]string{"http://new#weight=1", "http://third"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for range 3 {
			if got := ask(t, e, plain()); got.err != nil || got.text != gruss {
				t.Fatalf("%+v", got)
			}
		}
		close(release)
		text := ""
		for {
			u, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, token := range u.Tokens {
				text += string(token.Bytes)
			}
			if u.Finish != nil {
				break
			}
		}
		if turns := f.turns(); text != gruss || turns[0] != "old" || strings.Contains(strings.Join(turns[1:], " "), "old") {
			t.Errorf("%q, turns at %v", text, turns)
		}
		kept := e.all()[0]
		if err := e.Retarget([]string{"http://new#weight=7", "ftp://x"}); err == nil || kept.address.Weight != 1 {
			t.Errorf("half a list was taken: %v, weight %v", err, kept.address.Weight)
		}
		if err := e.Retarget([]string{"http://new#weight=7"}); err != nil || e.all()[0] != kept || kept.address.Weight != 7 {
			t.Errorf("%v, %+v", err, e.all()[0].address)
		}
		_ = e.Close()
	})
}

func TestAnswers_whetherOneIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar("a", "b")
		e := connectTo(t, f, "http://a", "http://b")
		for i, step := range []struct{ a, b, want bool }{{true, true, true}, {false, true, true}, {false, false, false}, {true, false, true}} {
			f.change("a", func(h *farHost) { h.down = !step.a })
			f.change("b", func(h *farHost) { h.down = !step.b })
			time.Sleep(20 * time.Minute) // a breaker rests for less
			if got := e.Answers(t.Context()); got != step.want {
				t.Errorf("step %d: %t", i, got)
			}
		}
		_ = e.Close()
	})
}

// A certificate is trusted where the file says so, and a redirect is not followed.
func TestTLS_itsOwnAuthority(t *testing.T) {
	f := newFar("a")
	f.hosts["a"].body = says(transcript(t, "llama/whole.txt"))
	redirect := false
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if redirect {
			http.Redirect(w, r, "http://elsewhere"+r.URL.Path, http.StatusTemporaryRedirect)
			return
		}
		if r.TLS == nil || r.TLS.Version < tls.VersionTLS12 || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("TLS %v, %q", r.TLS, r.Header)
		}
		r.URL.Host = "a"
		answer, err := f.RoundTrip(r)
		if err != nil {
			t.Error(err)
			return
		}
		_, err = io.Copy(w, answer.Body)
		_ = errors.Join(err, answer.Body.Close()) // a client may have left
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	t.Cleanup(s.Close)
	folder := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ca := file("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	connect := func(ca string) (*Engine, error) {
		return Connect(t.Context(), Options{Name: "m", URLs: []string{s.URL}, Key: "secret", CA: ca, Log: slog.New(slog.DiscardHandler)})
	}
	for _, wrong := range []string{"", file("none.pem", []byte("nothing")), filepath.Join(folder, "missing")} {
		if _, err := connect(wrong); err == nil {
			t.Errorf("%q is trusted", wrong)
		}
	}
	e, err := connect(ca)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	if got := ask(t, e, plain()); got.err != nil || got.text != gruss {
		t.Errorf("%q, %v", got.text, got.err)
	}
	redirect = true
	if got := ask(t, e, plain()); !errors.Is(got.err, engine.ErrWorkerLost) || !strings.Contains(got.err.Error(), "redirects are not followed") {
		t.Errorf("%v", got.err)
	}
}
