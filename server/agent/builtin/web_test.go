package builtin

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

var hostileAddresses = []string{
	"", "x", "//", "http:", "http://", "http:///x", "ftp://example.org/", "file:///etc/passwd", "gopher://127.0.0.1:70/_x", "data:text/html,x", "javascript:alert(1)", "unix:///run/docker.sock",
	"http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://LOCALHOST:PORT/", "http://localhost.:PORT/", "http://127.1:PORT/", "http://2130706433:PORT/", "http://0x7f000001:PORT/", "http://0177.0.0.1:PORT/",
	"http://0.0.0.0:PORT/", "http://0:PORT/", "http://[::1]:PORT/", "http://[::]:PORT/", "http://[::ffff:127.0.0.1]:PORT/", "http://[::127.0.0.1]:PORT/", "http://[64:ff9b::7f00:1]:PORT/", "http://[fe80::1]:PORT/",
	"http://user:pass@127.0.0.1:PORT/", "http://example.org@127.0.0.1:PORT/", "http://127.0.0.1:PORT#@example.org/", "http://127.0.0.1:PORT\\@example.org/", "http://127.0.0.1%00.example.org:PORT/",
	"http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://192.168.0.1/", "http://172.16.0.1/", "http://100.64.0.1/", "http://[fd00::1]/", "http://127.0.0.1:PORT/\r\nX: y", " http://127.0.0.1:PORT/",
}

// Every request that a hostile address makes would reach a listener of this machine; none does.
func TestFetch_reachesNoPrivateAddress(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer s.Close()
	t.Setenv("HTTP_PROXY", s.URL)
	t.Setenv("http_proxy", s.URL)
	port := s.URL[strings.LastIndex(s.URL, ":")+1:]
	tool := made(t, "fetch", func(Settings) {})
	for _, address := range hostileAddresses {
		if r := run(t, tool, map[string]any{"url": strings.ReplaceAll(address, "PORT", port)}); !r.Failed {
			t.Errorf("%s: %+v", address, r)
		}
	}
	if asked > 0 {
		t.Errorf("%d requests came", asked)
	}
}

func TestFetch_checksRedirectsAndKinds(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/user":
			http.Redirect(w, r, "http://a:b@"+r.Host+"/page", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/once":
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/binary":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write(make([]byte, 100))
		case "/gone":
			http.Error(w, "gone", http.StatusGone)
		case "/latin":
			w.Header().Set("Content-Type", "text/plain; charset=iso-8859-1")
			_, _ = w.Write([]byte{'c', 'a', 'f', 0xe9})
		case "/endless":
			for range 10000 {
				fmt.Fprint(w, strings.Repeat("word ", 1000))
			}
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>T</title><p>Hello <a href='/there'>you</a>")
		}
	}))
	defer s.Close()
	tool := made(t, "fetch", func(f Settings) { f.(*fetch).Private = true })
	for path, want := range map[string]string{
		"/page": "T\n\nHello you (" + s.URL + "/there)", "/once": "T\n\nHello you (" + s.URL + "/there)", "/latin": "café",
	} {
		if r := run(t, tool, map[string]any{"url": s.URL + path}); r.Failed || r.Text != want {
			t.Errorf("%s: %+v", path, r)
		}
	}
	for _, path := range []string{"/file", "/user", "/loop", "/binary", "/gone"} {
		if r := run(t, tool, map[string]any{"url": s.URL + path}); !r.Failed {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if r := run(t, tool, map[string]any{"url": s.URL + "/endless"}); r.Failed || len(r.Text) > 65<<10 || r.Cut == 0 {
		t.Errorf("endless: %d bytes, %d cut", len(r.Text), r.Cut)
	}
}

// S2-10: the query, and how old results may be.
func TestSearch_asksTheEngineAndShowsResults(t *testing.T) {
	var asked url.Values
	body := `{"results":[{"title":"A","url":"http://a","content":"first"},{"title":"B","url":"http://b"},{"title":"C","url":"http://c"}]}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Query()
		fmt.Fprint(w, body)
	}))
	defer s.Close()
	tool := made(t, "web_search", func(w Settings) { w.(*webSearch).URL, w.(*webSearch).Results = s.URL+"/search?language=en", 2 })
	for days, want := range map[int]string{0: "month", 1: "day", 5: "week", 30: "month", 100: "year", 1000: ""} {
		arguments := map[string]any{"query": "tenon & mortise"}
		if days > 0 {
			arguments["recency_days"] = days
		}
		r := run(t, tool, arguments)
		if r.Failed || !strings.HasPrefix(r.Text, "1. A\nhttp://a\nfirst\n\n2. B") || strings.Contains(r.Text, "http://c") {
			t.Errorf("%+v", r)
		}
		if asked.Get("q") != "tenon & mortise" || asked.Get("time_range") != want || asked.Get("format") != "json" || asked.Get("language") != "en" {
			t.Errorf("%d days: %v", days, asked)
		}
	}
	for _, body = range []string{"", "<html>", `{"results":7}`, `[]`} {
		if r := run(t, tool, map[string]any{"query": "x"}); !r.Failed {
			t.Errorf("%q: %+v", body, r)
		}
	}
}

func TestReadable_pages(t *testing.T) {
	at, _ := url.Parse("http://x.example/a/b")
	for page, want := range map[string]string{
		"<h1>A</h1><p>b  c\n d</p><p>e":                                    "# A\n\nb c d\n\ne",
		"a<script>evil()</script>b<style>p{}</style>c":                     "abc",
		"<ul><li>1<li>2</ul>":                                              "- 1\n- 2",
		"<table><tr><th>a<th>b<tr><td>1<td>2</table>":                      "a | b\n1 | 2",
		"<a href=c>t</a> <a href='javascript:x()'>u</a> <a href=#f>v</a>w": "t (http://x.example/a/c) u v (http://x.example/a/b#f)w",
		"<svg><text>x</text></svg>&lt;b&gt; &amp;":                         "<b> &",
		"<p>one<br>two": "one\ntwo",
		"":              "",
	} {
		if got := readable([]byte(page), "text/html; charset=utf-8", at); got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}

// What a page costs grows with its size, however it is built.
func TestReadable_hostilePagesAreRead(t *testing.T) {
	at, _ := url.Parse("http://x.example/")
	for _, part := range []string{"<div>", "<b>", "<a href=x>y", "<ul><li>x", "<tr><td>x", "*_[", "\n", "<br>", "<table><tr><td>", "<!--", "<svg>", "<p x=", "&amp", "<title>", "</a>", "<a href=http://h/", "\x00", "\xff"} {
		begun := time.Now()
		text := readable([]byte(strings.Repeat(part, largestPage/len(part))), "text/html", at)
		if len(text) > 16*largestPage || time.Since(begun) > time.Minute { // a hang guard
			t.Errorf("%q: %d bytes in %v", part, len(text), time.Since(begun))
		}
	}
}

func FuzzReadable(f *testing.F) {
	f.Add("<p>a<a href=b>c</a><script>d</script>", "text/html")
	f.Add("<svg><a>", "text/html; charset=utf-16")
	at, _ := url.Parse("http://x.example/")
	f.Fuzz(func(t *testing.T, page, kind string) {
		a := answer{url: at, kind: kind, body: []byte(page)}
		if text, err := a.text(); err == nil && len(text) > 100*len(page)+1000 {
			t.Errorf("%d bytes of %d", len(text), len(page))
		}
	})
}

func FuzzResults(f *testing.F) {
	f.Add(`{"results":[{"title":"A","url":"http://a","content":"first"}]}`)
	s := &webSearch{Results: 3}
	f.Fuzz(func(_ *testing.T, body string) { _, _ = s.results([]byte(body)) })
}
