package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/server"
)

func handler(t *testing.T, change func(*server.Options)) http.Handler {
	t.Helper()
	o := options(t)
	change(&o)
	return server.New(o)
}

func status(h http.Handler, r *http.Request) int {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec.Code
}

func request(method, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader("{}"))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func TestKeys_everyRouteButHealthNeedsOne(t *testing.T) {
	alice, err := server.NewKey("alice=sesame", 1)
	if err != nil {
		t.Fatal(err)
	}
	h := handler(t, func(o *server.Options) { o.Keys = []server.Key{alice} })
	for _, c := range []struct {
		name    string
		request *http.Request
		want    int
	}{
		{"health", request("GET", "/health"), 200},
		{"metrics without", request("GET", "/metrics"), 401},
		{"models without", request("GET", "/v1/models"), 401},
		{"wrong", request("GET", "/v1/models", "Authorization", "Bearer sesamE"), 401},
		{"the name is no key", request("GET", "/v1/models", "Authorization", "Bearer alice=sesame"), 401},
		{"empty", request("GET", "/v1/models", "Authorization", "Bearer "), 401},
		{"bearer", request("GET", "/v1/models", "Authorization", "bearer sesame"), 200},
		{"x-api-key", request("GET", "/v1/models", "X-Api-Key", "sesame"), 200},
		{"basic", request("GET", "/v1/models", "Authorization", "Basic sesame"), 401},
		{"beside another", request("GET", "/v1/models", "Authorization", "Bearer sesame", "X-Api-Key", "dummy"), 200},
	} {
		if got := status(h, c.request); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// openssl rand -base64 16 prints such keys.
func TestKeys_paddingIsPartOfTheKey(t *testing.T) {
	const sent = "YWJjZGVmZ2hpamtsbW5vcA=="
	for _, written := range []string{sent, "alice=" + sent} {
		key, err := server.NewKey(written, 1)
		if err != nil {
			t.Fatal(err)
		}
		h := handler(t, func(o *server.Options) { o.Keys = []server.Key{key} })
		for bearer, want := range map[string]int{sent: 200, "=": 401, "==": 401, "": 401} {
			if got := status(h, request("GET", "/v1/models", "Authorization", "Bearer "+bearer)); got != want {
				t.Errorf("%s: Bearer %s: %d, want %d", written, bearer, got, want)
			}
		}
		if strings.Contains(key.Name, sent[:9]) {
			t.Errorf("the log would hold the key: %s", key.Name)
		}
	}
}

func TestHost_rebindingIsRefused(t *testing.T) {
	h := handler(t, func(o *server.Options) { o.AllowedHosts = server.LoopbackHosts([]string{"gpu.lan"}) })
	for host, want := range map[string]int{
		"localhost:1234": 200, "127.0.0.1": 200, "[::1]:1234": 200, "GPU.lan:80": 200, "evil.example:1234": 403, "": 403,
	} {
		r := request("GET", "/v1/models")
		r.Host = host
		if got := status(h, r); got != want {
			t.Errorf("Host %q: %d, want %d", host, got, want)
		}
	}
}

func TestCORS_onlyListedPages(t *testing.T) {
	h := handler(t, func(o *server.Options) { o.CORSOrigins = []string{"https://app.example"} })
	for origin, want := range map[string]string{"https://app.example": "https://app.example", "https://evil.example": ""} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, request("OPTIONS", "/v1/chat/completions", "Origin", origin, "Access-Control-Request-Method", "POST"))
		if got := rec.Header().Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s: %q", origin, got)
		}
	}
}

func TestBody_tooLargeIs413(t *testing.T) {
	h := handler(t, func(o *server.Options) { o.MaxBody = 100 })
	r := httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(`{"model":"scripted","messages":[{"role":"user","content":"`+strings.Repeat("x", 200)+`"}]}`))
	if got := status(h, r); got != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", got)
	}
}

func TestReadKeys_saysWhatIsWrong(t *testing.T) {
	if _, err := server.ReadKeys("testdata/none"); err == nil {
		t.Error("accepted")
	}
	for _, bad := range []string{"", "=x", "x=", "alice==", "=", "==", "================"} {
		if _, err := server.NewKey(bad, 1); err == nil {
			t.Errorf("%q accepted", bad)
		}
	}
}
