package builtin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"tenon/models/public"
	"tenon/server/agent"
)

// request is one for a tool.
type request struct {
	url     string
	headers map[string]string
	body    []byte // posted as JSON; nil: GET
	private bool   // it may reach private addresses
	follow  bool   // it follows redirects; headers is empty then
	most    int    // bytes of the answer
}

type answer struct {
	status int
	url    *url.URL // after redirects
	kind   string   // Content-Type
	body   []byte
	rest   io.ReadCloser // what was too long for body; to be closed
}

const mostRedirects = 5

// ask makes a request. Every address is looked at when it is dialled, behind redirects too.
func ask(ctx context.Context, r request) (answer, error) {
	method := http.MethodGet
	if r.body != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, r.url, bytes.NewReader(r.body))
	if err == nil {
		err = webAddress(req.URL)
	}
	if err != nil {
		return answer{}, fmt.Errorf("address %q: %w", r.url, err)
	}
	req.Header.Set("User-Agent", "tenon")
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range r.headers {
		req.Header.Set(name, value)
	}
	client := public.Client(r.private)
	defer client.CloseIdleConnections()
	if r.follow {
		client.CheckRedirect = func(to *http.Request, via []*http.Request) error {
			if len(via) > mostRedirects {
				return fmt.Errorf("redirected %d times", len(via))
			}
			to.Header.Del("Referer")
			return webAddress(to.URL)
		}
	}
	res, err := client.Do(req)
	if err != nil {
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err
		}
		return answer{}, fmt.Errorf("ask %s: %w", req.URL.Host, err)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(r.most)))
	if err != nil {
		res.Body.Close()
		return answer{}, fmt.Errorf("read the answer of %s: %w", req.URL.Host, err)
	}
	return answer{res.StatusCode, res.Request.URL, res.Header.Get("Content-Type"), body, res.Body}, nil
}

func webAddress(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("expected http:// or https:// and a host")
	}
	if u.User != nil {
		return errors.New("a name and a password cannot stand in it")
	}
	return nil
}

// largestPage is how much of a page is read.
const largestPage = 4 << 20

type fetch struct {
	Common
	Private bool `key:"private" help:"true: addresses of this machine and its networks may be fetched, too"`
}

func (s *fetch) Tool(name string) (agent.Tool, error) {
	type arguments struct {
		URL    string
		Offset int
	}
	return tool(s.Common, name, "Fetch a web page as text.", `{"type":"object","properties":{"url":{"type":"string"},`+
		`"offset":{"type":"integer","minimum":0,"default":0,"description":"byte of the text to begin at"}},"required":["url"],"additionalProperties":false}`,
		func(ctx context.Context, a arguments) (agent.Result, error) {
			page, err := ask(ctx, request{url: a.URL, private: s.Private, follow: true, most: largestPage})
			if err != nil {
				return failed("%v", err)
			}
			page.rest.Close()
			text, err := page.text()
			if err != nil {
				return failed("%s: %v", page.url.Redacted(), err)
			}
			r := section(text, a.Offset, s.MaxBytes)
			if r.Failed = page.status >= 400; r.Failed {
				r.Text = fmt.Sprintf("HTTP status %d: %s", page.status, r.Text)
			}
			return r, nil
		}), nil
}

// text is what a person would read of a page.
func (a answer) text() (string, error) {
	kind, _, err := mime.ParseMediaType(a.kind)
	if err != nil {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(a.body))
	}
	switch {
	case kind == "text/html" || kind == "application/xhtml+xml":
		return readable(a.body, a.kind, a.url), nil
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "json"), strings.HasSuffix(kind, "xml"), strings.HasSuffix(kind, "javascript"):
		return printable(decoded(a.body, a.kind)), nil
	}
	return "", fmt.Errorf("it is no text but %s, %d bytes or more", kind, len(a.body))
}

type webSearch struct {
	Common
	URL     string            `key:"url" help:"address of a search engine that speaks SearXNG's API, such as http://127.0.0.1:8888/search; its settings must allow the format json"`
	Headers map[string]string `key:"headers" help:"headers for it, such as a key"`
	Results int               `key:"results" help:"most results of a search"`
}

func (s *webSearch) Tool(name string) (agent.Tool, error) {
	at, err := url.Parse(s.URL)
	if err == nil {
		err = webAddress(at)
	}
	if err != nil {
		err = fmt.Errorf("url: %w", err)
	}
	type arguments struct {
		Query string
		Days  int `json:"recency_days"`
	}
	return tool(s.Common, name, "Search the web; gives titles, addresses and excerpts.", `{"type":"object","properties":{"query":{"type":"string"},`+
		`"recency_days":{"type":"integer","minimum":1,"default":30,"description":"how old results may be"}},"required":["query"],"additionalProperties":false}`,
		func(ctx context.Context, a arguments) (agent.Result, error) {
			return s.search(ctx, *at, a.Query, cmp.Or(a.Days, 30))
		}), err
}

func (s *webSearch) search(ctx context.Context, at url.URL, query string, days int) (agent.Result, error) {
	q := at.Query()
	q.Set("q", query)
	q.Set("format", "json")
	for _, r := range []struct {
		days int
		name string
	}{{1, "day"}, {7, "week"}, {31, "month"}, {366, "year"}} {
		if days <= r.days {
			q.Set("time_range", r.name)
			break
		}
	}
	at.RawQuery = q.Encode()
	a, err := ask(ctx, request{url: at.String(), headers: s.Headers, private: true, most: largestPage})
	if err != nil {
		return agent.Result{}, err
	}
	a.rest.Close()
	if a.status != http.StatusOK {
		return agent.Result{}, fmt.Errorf("search: %s answered with HTTP status %d; does it allow the format json?", at.Host, a.status)
	}
	text, err := s.results(a.body)
	if err != nil {
		return agent.Result{}, fmt.Errorf("search: decode what %s answered: %w", at.Host, err)
	}
	return section(text, 0, s.MaxBytes), nil
}

// results are those of SearXNG, for the model.
func (s *webSearch) results(body []byte) (string, error) {
	var found struct {
		Results []struct{ Title, URL, Content string }
	}
	if err := json.Unmarshal(body, &found); err != nil {
		return "", err
	}
	if len(found.Results) == 0 {
		return "Nothing was found.", nil
	}
	var all strings.Builder
	for i, r := range found.Results[:min(len(found.Results), s.Results)] {
		fmt.Fprintf(&all, "%d. %s\n%s\n%s\n\n", i+1, r.Title, r.URL, r.Content)
	}
	return all.String(), nil
}
