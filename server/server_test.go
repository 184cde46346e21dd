package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenon/engine/enginetest"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/chat"
	"tenon/server/servertest"
	"tenon/server/servertest/contract"
)

// oneModel is a scripted engine, served.
type oneModel struct{ engine *enginetest.Scripted }

func (m oneModel) served() servertest.Model {
	return servertest.Model{ID: "scripted", Aliases: []string{"gpt-4o"}, Engine: m.engine}
}

func (m oneModel) Acquire(ctx context.Context, name string) (chat.Model, func(), error) {
	return m.served().Acquire(ctx, name)
}

func (m oneModel) Status() []fleet.Status { return m.served().Status() }

func options(_ *testing.T, replies ...enginetest.Reply) server.Options {
	m := oneModel{enginetest.Script(replies...)}
	return server.Options{Service: &chat.Service{Models: m}, Models: m, Log: slog.New(slog.DiscardHandler)}
}

// conforms is h with every body and event that it sends held against its description. Streams are
// read as the strictest clients read them, too.
func conforms(t *testing.T, h http.Handler) http.Handler {
	return servertest.Watch(h, func(e servertest.Exchange) {
		for _, err := range append(contract.Faults(e), e.Fault()) {
			if err != nil {
				t.Error(err)
			}
		}
	})
}

func start(t *testing.T, replies ...enginetest.Reply) (*httptest.Server, *enginetest.Scripted) {
	t.Helper()
	return startWith(t, options(t, replies...))
}

// startBeating is start with a first heartbeat that is due at once: with it a stream's headers
// leave. By default that is after five seconds.
func startBeating(t *testing.T, replies ...enginetest.Reply) (*httptest.Server, *enginetest.Scripted) {
	t.Helper()
	o := options(t, replies...)
	o.Heartbeat = soon
	return startWith(t, o)
}

const soon = 10 * time.Millisecond

func startWith(t *testing.T, o server.Options) (*httptest.Server, *enginetest.Scripted) {
	t.Helper()
	s := httptest.NewServer(conforms(t, server.New(o)))
	t.Cleanup(s.Close)
	return s, o.Models.(oneModel).engine
}

func post(t *testing.T, s *httptest.Server, body string) (int, string) {
	t.Helper()
	return postTo(t, s, "/v1/chat/completions", body)
}

func postTo(t *testing.T, s *httptest.Server, path, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

const hello = `{"model":"scripted","messages":[{"role":"user","content":"hi"}]`

func TestChat_wholeAnswer(t *testing.T) {
	s, e := start(t, enginetest.Say("grüß dich 👋"))
	status, body := post(t, s, hello+`}`)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	if got := wholeContent(t, body); got != "grüß dich 👋" {
		t.Errorf("content %q", got)
	}
	if got := e.Turns()[0].Prompt.String(); got != "User: hi\n\nAssistant:" {
		t.Errorf("prompt %q", got)
	}
	if e.Running() != 0 {
		t.Error("the slot was not freed")
	}
}

func TestChat_streamEqualsWhole(t *testing.T) {
	reply := enginetest.Say("two words 👋")
	s, _ := start(t, reply, reply)
	_, whole := post(t, s, hello+`}`)
	_, stream := post(t, s, hello+`,"stream":true,"stream_options":{"include_usage":true}}`)
	content, usage := readStream(t, stream)
	if diff := cmp.Diff(wholeContent(t, whole), content); diff != "" {
		t.Errorf("whole (-) against stream (+):\n%s", diff)
	}
	if usage["completion_tokens"] != float64(11) {
		t.Errorf("usage %v", usage)
	}
}

func TestChat_nChoicesHaveSeedsOfTheirOwn(t *testing.T) {
	s, e := start(t, enginetest.Say("one"), enginetest.Say("two"), enginetest.Say("three"))
	status, body := post(t, s, hello+`,"n":3,"seed":7}`)
	if status != http.StatusOK || !strings.Contains(body, `"content":"three"`) {
		t.Fatalf("%d %s", status, body)
	}
	for i, turn := range e.Turns() {
		if *turn.Sampling.Seed != uint32(7+i) {
			t.Errorf("choice %d has seed %d", i, *turn.Sampling.Seed)
		}
	}
}

func wholeContent(t *testing.T, body string) string {
	t.Helper()
	var c struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal([]byte(body), &c); err != nil || len(c.Choices) != 1 {
		t.Fatalf("%v: %s", err, body)
	}
	return c.Choices[0].Message.Content
}

func readStream(t *testing.T, body string) (content string, usage map[string]any) {
	t.Helper()
	var last string
	for lines := bufio.NewScanner(strings.NewReader(body)); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if last = data; data == "[DONE]" {
			break
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
			Usage   map[string]any
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		for _, c := range chunk.Choices {
			content += c.Delta.Content
		}
		usage = chunk.Usage
	}
	if last != "[DONE]" {
		t.Errorf("the stream ends with %q", last)
	}
	return content, usage
}
