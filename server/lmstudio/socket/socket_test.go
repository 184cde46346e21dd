package socket_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/fleet"
	"tenon/server/lmstudio"
	"tenon/server/lmstudio/socket"
	"tenon/server/servertest"
)

// hang guards against a frame that never comes.
const hang = 30 * time.Second

// served is a fleet behind sockets.
type served struct {
	fleet  *fleet.Fleet
	engine *enginetest.Scripted
	open   *atomic.Int64 // sockets
	url    string
}

// serve has a chat model "m", which does as its prompt says, and an embedding model "e".
func serve(t testing.TB, change ...func(*socket.Options)) *served {
	t.Helper()
	return serveEngine(t, servertest.Obedient(engine.Model{Context: 1 << 16, Slots: 4}), change...)
}

func serveEngine(t testing.TB, e *enginetest.Scripted, change ...func(*socket.Options)) *served {
	t.Helper()
	f, all := servertest.Fleet(map[string]engine.Engine{"m": e, "e": embedder{enginetest.Script()}})
	t.Cleanup(func() { _ = f.Close() })
	o := socket.Options{
		Service: all.Service, Models: lmstudio.Models{Fleet: f, Traits: all.Traits}, Version: "1.0", Logs: &socket.Logs{}, MaxFrame: 64 << 20,
		Admit:  func(ctx context.Context, _, _ string) (context.Context, error) { return ctx, nil },
		Manage: func(context.Context) error { return nil },
		Watch:  func(ctx context.Context, _ string) (context.Context, func()) { return ctx, func() {} },
		Hold:   func(int64) error { return nil },
	}
	for _, c := range change {
		c(&o)
	}
	s := &served{fleet: f, engine: e, open: &atomic.Int64{}}
	sockets := socket.New(o)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.open.Add(1)
		defer s.open.Add(-1)
		sockets.Handler(strings.TrimPrefix(r.URL.Path, "/"))(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = "ws" + strings.TrimPrefix(server.URL, "http")
	return s
}

// embedder makes a text a vector of its length.
type embedder struct{ engine.Engine }

func (embedder) Model() engine.Model {
	return engine.Model{Context: 512, Can: engine.Can{Embeddings: true}}
}

func (embedder) Embed(_ context.Context, prompts []engine.Prompt) (out []engine.Embedding, err error) {
	for _, p := range prompts {
		out = append(out, engine.Embedding{Vector: []float32{float32(len(p.String())), 0.5}})
	}
	return out, nil
}

func (s *served) load(t testing.TB, names ...string) *served {
	t.Helper()
	for _, n := range names {
		if _, err := s.fleet.Load(t.Context(), fleet.Request{Name: n}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// users is how many turns hold a model.
func (s *served) users() (n int) {
	for _, i := range s.fleet.Instances() {
		n += i.Busy
	}
	return n
}

// client is a connected socket.
type client struct {
	t  testing.TB
	ws *websocket.Conn
}

// dial connects and authenticates.
func (s *served) dial(t testing.TB, ns string) *client {
	t.Helper()
	c := s.connect(t, ns)
	c.send(`{"authVersion":1,"clientIdentifier":"guest:a","clientPasskey":"b"}`)
	if got := c.next(); got != `{"success":true}` {
		t.Fatalf("authentication: %s", got)
	}
	return c
}

func (s *served) connect(t testing.TB, ns string) *client {
	t.Helper()
	ws, _, err := websocket.Dial(context.Background(), s.url+"/"+ns, nil) //nolint:bodyclose // the socket takes the body over
	if err != nil {
		t.Fatal(err)
	}
	ws.SetReadLimit(1 << 30)
	t.Cleanup(func() { _ = ws.CloseNow() })
	return &client{t, ws}
}

func (c *client) send(frame string) {
	c.t.Helper()
	if err := c.ws.Write(context.Background(), websocket.MessageText, []byte(frame)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) next() string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	_, b, err := c.ws.Read(ctx)
	if err != nil {
		c.t.Fatalf("no frame: %v", err)
	}
	return string(b)
}

// frame is what tests look at of a frame.
type frame struct {
	Type    string
	Message struct {
		Type     string
		Fragment struct {
			Content, ReasoningType string
			TokensCount            int
			IsStructural           bool
		}
		Progress        float64
		ToolCallID      string
		Name, Content   string
		ToolCallRequest struct {
			ID, Name, Type string
			Arguments      json.RawMessage
		}
		Stats struct {
			StopReason, StopString                                    string
			TokensPerSecond, TotalTimeSec                             *float64
			PromptTokensCount, PredictedTokensCount, TotalTokensCount int
		}
		Info struct{ Identifier string }
	}
	Result json.RawMessage
	Error  struct {
		Title, RootTitle string
		DisplayData      struct{ Code, Feature, EngineName string }
	}
}

// until reads frames up to one that ends a call or channel.
func (c *client) until() (all []frame) {
	c.t.Helper()
	for {
		text := c.next()
		var f frame
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			c.t.Fatalf("%v in %s", err, text)
		}
		all = append(all, f)
		switch f.Type {
		case "channelClose", "channelError", "rpcResult", "rpcError":
			return all
		}
	}
}

// call returns the answer to a call.
func (c *client) call(endpoint, parameter string) frame {
	c.t.Helper()
	if parameter != "" {
		parameter = `,"parameter":` + parameter
	}
	c.send(fmt.Sprintf(`{"type":"rpcCall","endpoint":%q,"callId":1%s}`, endpoint, parameter))
	all := c.until()
	return all[len(all)-1]
}

// open opens a channel and returns its frames up to the end.
func (c *client) open(endpoint, parameter string) []frame {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"type":"channelCreate","endpoint":%q,"channelId":1,"creationParameter":%s}`, endpoint, parameter))
	return c.until()
}

// ask is the parameter of a prediction with settings, as JSON members "key": value below
// llm.prediction.
func ask(text string, settings ...string) string {
	return conversation(fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":%q}]}`, text), settings...)
}

func conversation(messages string, settings ...string) string {
	return fmt.Sprintf(`{"modelSpecifier":{"type":"query","query":{"identifier":"m"}},"history":{"messages":[%s]},"predictionConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[%s]}}]}}`,
		messages, strings.Join(settings, ","))
}

func setting(key, value string) string {
	return fmt.Sprintf(`{"key":"llm.prediction.%s","value":%s}`, key, value)
}

// weather is a tool array of one tool.
const weather = `{"type":"toolArray","tools":[{"type":"function","function":{"name":"get_weather","description":"the weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}]}`

// success is the last packet before the close.
func success(t *testing.T, all []frame) frame {
	t.Helper()
	if n := len(all); n < 2 || all[n-1].Type != "channelClose" || all[n-2].Message.Type != "success" {
		t.Fatalf("no success: %+v", all[len(all)-1])
	}
	return all[len(all)-2]
}

// content joins the fragments.
func content(all []frame) (text string) {
	for _, f := range all {
		text += f.Message.Fragment.Content
	}
	return text
}

func kinds(all []frame) (out []string) {
	for _, f := range all {
		kind := f.Type
		if f.Type == "channelSend" {
			kind = f.Message.Type
		}
		out = append(out, kind)
	}
	return out
}
