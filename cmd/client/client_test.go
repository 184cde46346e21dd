package client

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func at(t *testing.T, status int, body string) *Client {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(h.Close)
	return &Client{Base: h.URL, http: h.Client()}
}

func TestClient_errorsAreWhatTheServerSays(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"type":"invalid","message":"model is wrong","field":"model"}}`: "model is wrong",
		`{"type":"error","error":{"type":"x","message":"not so"}}`:                "not so",
		`teapot`:      "the server answered 400 Bad Request: teapot",
		`{"error":3}`: "the server answered 400 Bad Request: {\"error\":3}",
	} {
		err := at(t, 400, body).Get(t.Context(), "/x", nil)
		var e *Error
		if !errors.As(err, &e) || e.Message != want || e.Status != 400 {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestHealth_aServerThatIsNotReadyIsNoError(t *testing.T) {
	h, err := at(t, 503, `{"status":"loading","model":"m","progress":0.5}`).Health(t.Context())
	if err != nil || h.Model != "m" || h.Progress != 0.5 {
		t.Errorf("%+v %v", h, err)
	}
	if _, err := at(t, 502, `{"status":"x"}`).Health(t.Context()); err == nil {
		t.Error("a gateway's error is no health")
	}
}

func TestChat_whatHasComeIsKept(t *testing.T) {
	stream := "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"reasoning_content\":\"hm\"}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n" +
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\n" +
		": a comment\n\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"}\"}}]}}]}\n\n"
	for name, c := range map[string]struct {
		end, want string
	}{
		"whole":      {"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"timings\":{\"predicted_n\":3}}\n\ndata: [DONE]\n\n", ""},
		"cut":        {"", "middle of a turn"},
		"broken off": {"data: {\"error\":{\"message\":\"the worker ended\"}}\n\n", "the worker ended"},
		"no JSON":    {"data: {\n\n", "read the server's stream"},
	} {
		var said strings.Builder
		show := func(s string) { said.WriteString(s) }
		turn, err := at(t, 200, stream+c.end).Chat(t.Context(), ChatRequest{}, Shower{Text: show, Thinking: show})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
		if m := turn.Message; said.String() != "hma" || m.Content != "a" || m.Reasoning != "hm" || len(m.Calls) != 2 || m.Calls[1].Function.Arguments != "{}" {
			t.Errorf("%s: %+v", name, turn)
		}
	}
}
