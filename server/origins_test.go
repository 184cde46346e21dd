package server_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/responses"
)

// Issue 19: a web page may not drive a local server, on any route but the probes.
func TestPages_onlyOwnAndListedOnesMayCall(t *testing.T) {
	h := handler(t, func(o *server.Options) { o.CORSOrigins = []string{"https://app.example"} })
	const json = "application/json; charset=utf-8"
	for _, c := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"a program", nil, 200},
		{"the server's own page", []string{"Origin", "http://tenon:1234", "Sec-Fetch-Site", "same-origin", "Content-Type", json}, 200},
		{"a page of this machine", []string{"Origin", "http://localhost:3000", "Content-Type", json}, 200},
		{"by its address", []string{"Origin", "http://127.0.0.2", "Content-Type", json}, 200},
		{"a listed page", []string{"Origin", "https://app.example", "Sec-Fetch-Site", "cross-site", "Content-Type", json}, 200},
		{"another page", []string{"Origin", "https://evil.example", "Content-Type", json}, 403},
		{"a page whose name begins as ours", []string{"Origin", "http://localhost.evil.example", "Content-Type", json}, 403},
		{"a page in a sandbox", []string{"Origin", "null", "Content-Type", json}, 403},
		{"what is no origin", []string{"Origin", "localhost", "Content-Type", json}, 403},
		{"another port of the same name", []string{"Origin", "http://tenon:99", "Content-Type", json}, 403},
		{"a link or image of another site", []string{"Sec-Fetch-Site", "cross-site", "Content-Type", json}, 403},
		{"another site that says it is this machine's", []string{"Sec-Fetch-Site", "cross-site", "Origin", "http://localhost", "Content-Type", json}, 403},
		{"a form", []string{"Origin", "http://localhost", "Content-Type", "text/plain"}, 403},
		{"a form that says nothing", []string{"Sec-Fetch-Mode", "no-cors"}, 403},
		{"typed into the browser", []string{"Sec-Fetch-Site", "none", "Content-Type", json}, 200},
	} {
		for _, route := range []string{"POST /v1/chat/completions", "POST /v1/responses", "POST /v1/messages", "POST /tokenize", "GET /v1/models", "GET /metrics", "DELETE /v1/responses/x", "POST /nothing"} {
			method, path, _ := strings.Cut(route, " ")
			r := httptest.NewRequest(method, "http://tenon:1234"+path, strings.NewReader("{}"))
			for i := 0; i < len(c.headers); i += 2 {
				r.Header.Set(c.headers[i], c.headers[i+1])
			}
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			refused := c.want == 403 && (method == "POST" || !strings.HasPrefix(c.name, "a form"))
			if (rec.Code == http.StatusForbidden) != refused {
				t.Errorf("%s, %s: %d %s", c.name, route, rec.Code, rec.Body)
			}
		}
		r := request("GET", "/health", c.headers...)
		if got := status(h, r); got != 200 {
			t.Errorf("%s: /health %d", c.name, got)
		}
	}
	rec := askWith(t, h, "/v1/chat/completions", "{}", "Origin", "https://evil.example")
	if !strings.Contains(rec.Body.String(), "--cors-origins") {
		t.Errorf("%s", rec.Body)
	}
}

// Issue 19: names that a public name service could point here are refused, whether or not the
// server listens on loopback.
func TestHost_onlyNamesThatNobodyElseCanHave(t *testing.T) {
	h := handler(t, func(o *server.Options) { o.AllowedHosts = server.LoopbackHosts([]string{"gpu.example"}) })
	for host, want := range map[string]int{
		"tenon:1234": 200, "localhost": 200, "192.168.1.7:1234": 200, "[fe80::1]:80": 200, "box.local": 200, "GPU.example.:1": 200, "host.docker.internal": 200,
		"evil.example": 403, "127.0.0.1.evil.example": 403, "local": 200, "x.local.evil": 403, "": 403, "[::1": 200, "1.2.3": 403,
	} {
		r := request("GET", "/v1/models")
		r.Host = host
		if got := status(h, r); got != want {
			t.Errorf("Host %q: %d, want %d", host, got, want)
		}
	}
}

// Issue 19: a key file that others can read is refused, and the error has the command that mends
// it.
func TestReadKeys_refusesAFileThatOthersCanRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte("sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, refused := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true, 0o644: true} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		_, err := server.ReadKeys(file)
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "chmod 600 "+file) {
			t.Errorf("%o: %v", mode, err)
		}
	}
}

// Issue 19: what is kept belongs to the key itself. A key that takes another's name or place in
// the file gets nothing of it.
func TestKeys_whatIsKeptBelongsToTheKeyNotToItsNameOrPlace(t *testing.T) {
	o := options(t, enginetest.Say("one"), enginetest.Say("two"))
	// in memory nothing can fail
	o.Responses, _ = responses.OpenStore(responses.StoreOptions{})
	with := func(written string) http.Handler {
		k, err := server.NewKey(written, 1)
		if err != nil {
			t.Fatal(err)
		}
		o := o
		o.Keys = []server.Key{k}
		return server.New(o)
	}
	for _, written := range [][2]string{{"first", "second"}, {"team=first", "team=second"}} {
		_, before, named := server.SplitKey(written[0])
		_, after, _ := server.SplitKey(written[1])
		if !named {
			before, after = written[0], written[1]
		}
		made := askWith(t, with(written[0]), "/v1/responses", `{"model":"scripted","input":"hi"}`, "X-Api-Key", before)
		id := between(made.Body.String(), `"id":"resp_`, `"`)
		for key, want := range map[string]int{before: 200, after: 404} {
			h := with(written[0])
			if key == after {
				h = with(written[1])
			}
			if got := status(h, request("GET", "/v1/responses/resp_"+id, "X-Api-Key", key)); got != want {
				t.Errorf("%v, %s: %d", written, key, got)
			}
		}
	}
}

func between(s, before, after string) string {
	_, s, _ = strings.Cut(s, before)
	s, _, _ = strings.Cut(s, after)
	return s
}
