package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"tenon/engine"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/servertest"
)

const (
	plainKey = "plain-key-0123456789"
	chiefKey = "chief-key-0123456789" // of an admin
)

// keyed is a server with both keys, the model "m", and "set", whose own context is of 4,096
// tokens.
func keyed(t *testing.T, keys ...string) (*httptest.Server, *fleet.Fleet) {
	t.Helper()
	f, o := servertest.Fleet(map[string]engine.Engine{
		"m": servertest.Obedient(engine.Model{Context: 2048, Slots: 2}), "set": servertest.Obedient(engine.Model{Context: 4096, Slots: 2}),
	}, func(o *fleet.Options) {
		entries := o.Catalog.Entries
		for i := range entries {
			if entries[i].ID == "set" {
				entries[i].Context = 4096
			}
		}
	})
	t.Cleanup(func() { _ = f.Close() })
	for i, text := range keys {
		k, err := server.NewKey(text, i+1)
		if err != nil {
			t.Fatal(err)
		}
		o.Keys = append(o.Keys, k)
	}
	s := httptest.NewServer(server.New(o))
	t.Cleanup(s.Close)
	return s, f
}

// What changes the fleet, and the log, which shows what others ask, need a key marked admin.
// Models that a prediction needs are loaded for every key.
func TestStudio_changingTheFleetNeedsAnAdmin(t *testing.T) {
	s, _ := keyed(t, plainKey, "admin:"+chiefKey)
	for passkey, may := range map[string]bool{plainKey: false, chiefKey: true} {
		if status, out := withKey(t, s, passkey, "/api/v1/models/load", `{"model":"m"}`); (status == http.StatusForbidden) == may {
			t.Errorf("%s: load answers %d %v", passkey, status, out)
		}
		for _, c := range []struct {
			namespace, kind, endpoint string
			open                      bool
		}{
			{"llm", "channel", "loadModel", false}, {"llm", "channel", "getOrLoad", true}, {"llm", "rpc", "estimateModelUsage", false}, {"llm", "rpc", "unloadModel", false},
			{"repository", "rpc", "searchModels", false}, {"repository", "rpc", "getModelDownloadOptions", false}, {"repository", "channel", "downloadModel", false},
			{"llm", "rpc", "listLoaded", true}, {"system", "rpc", "listDownloadedModels", true},
		} {
			if got := firstOf(t, s, c.namespace, passkey, c.kind, c.endpoint, `{"modelKey":"m","identifier":"m","loadConfigStack":{"layers":[]}}`); strings.Contains(got, "admin:KEY") == (may || c.open) {
				t.Errorf("%s: %s answers %s", passkey, c.endpoint, got)
			}
		}
	}
	if got := firstOf(t, s, "diagnostics", plainKey, "channel", "streamLogs", `{}`); !strings.Contains(got, "admin:KEY") {
		t.Errorf("the log: %s", got)
	}
}

// A key without admin has a model brought in by its name, as a chat does, and uses what is loaded.
// Load settings by which it would be loaded otherwise than it is set are refused by their name.
func TestStudio_loadSettingsNeedAnAdmin(t *testing.T) {
	const context = "llm.load.contextLength"
	type load struct {
		name, field, value string // "": no setting
		refused            bool   // for a key without admin
	}
	for _, c := range []load{
		{"m", "", "", false},
		{"m", context, "1024", true},
		{"set", context, "4096", false}, // its own
		{"set", context, "2048", true},
		{"m", "llm.load.numParallelSessions", "3", true},
		{"m", "llm.load.llama.acceleration.offloadRatio", `"off"`, true},
		{"m", "llm.load.llama.kCacheQuantizationType", `{"checked":true,"value":"q8_0"}`, true},
		{"m", "llm.load.llama.kCacheQuantizationType", `{"checked":false,"value":"q8_0"}`, false},
		{"m", "llm.load.llama.speculativeDecoding.draftModel", `"small"`, true},
		{"m", "llm.load.llama.speculativeDecoding.draftModel", `""`, false},
		{"m", "llm.load.llama.autoFit", "false", false}, // has no effect
	} {
		fields := ""
		if c.field != "" {
			fields = `{"key":"` + c.field + `","value":` + c.value + `}`
		}
		parameter := `{"identifier":"` + c.name + `","loadConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[` + fields + `]}}]}}`
		for passkey, admin := range map[string]bool{plainKey: false, chiefKey: true} {
			s, f := keyed(t, plainKey, "admin:"+chiefKey)
			got := lastOf(t, s, "llm", passkey, "channel", "getOrLoad", parameter)
			refused := strings.Contains(got, `"channelError"`) && strings.Contains(got, c.field+": ") && strings.Contains(got, "admin:KEY")
			if wanted := c.refused && !admin; refused != wanted || (len(f.Instances()) == 0) != wanted {
				t.Errorf("%+v, %s: %s", c, passkey, got)
			}
		}
		s, f := keyed(t) // without keys everybody's settings are taken
		if got := lastOf(t, s, "llm", "any", "channel", "getOrLoad", parameter); len(f.Instances()) != 1 {
			t.Errorf("%+v without keys: %s", c, got)
		}
	}
	s, f := keyed(t, plainKey)
	if _, err := f.Load(t.Context(), fleet.Request{Name: "m"}); err != nil {
		t.Fatal(err)
	}
	loaded := `{"identifier":"m","loadConfigStack":{"layers":[{"layerName":"apiOverride","config":{"fields":[{"key":"` + context + `","value":1024}]}}]}}`
	if got := lastOf(t, s, "llm", plainKey, "channel", "getOrLoad", loaded); !strings.Contains(got, "alreadyLoaded") || len(f.Instances()) != 1 {
		t.Errorf("what is loaded is used: %s", got)
	}
}

// REST v1's context_length is such a setting, where no loaded instance has as much.
func TestStudio_chatsContextNeedsAnAdmin(t *testing.T) {
	for _, c := range []struct {
		body, loaded string
		refused      bool // for a key without admin
	}{
		{`{"model":"m","input":"hi"}`, "", false},
		{`{"model":"m","input":"hi","context_length":1024}`, "", true},
		{`{"model":"m","input":"hi","context_length":1024,"stream":true}`, "", true},
		{`{"model":"m","input":"hi","context_length":1024}`, "m", false},
		{`{"model":"m","input":"hi","context_length":4096}`, "m", true},
		{`{"model":"set","input":"hi","context_length":4096}`, "", false},
		{`{"model":"set","input":"hi","context_length":8192}`, "", true},
	} {
		for passkey, admin := range map[string]bool{plainKey: false, chiefKey: true, "": true} {
			keys := []string{plainKey, "admin:" + chiefKey}
			if passkey == "" {
				keys = nil
			}
			s, f := keyed(t, keys...)
			if c.loaded != "" {
				if _, err := f.Load(t.Context(), fleet.Request{Name: c.loaded}); err != nil {
					t.Fatal(err)
				}
			}
			before := len(f.Instances())
			status, out := withKey(t, s, passkey, "/api/v1/chat", c.body)
			if wanted := c.refused && !admin; (status == http.StatusForbidden) != wanted || wanted && (!strings.Contains(out, `"param":"context_length"`) || !strings.Contains(out, "admin:KEY") || len(f.Instances()) != before) {
				t.Errorf("%s, %q: %d %s", c.body, passkey, status, out)
			}
		}
	}
}

func withKey(t *testing.T, s *httptest.Server, key, path, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("POST", s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(r)
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

// firstOf makes a call or opens a channel on a new socket and returns the first frame that it
// answers with.
func firstOf(t *testing.T, s *httptest.Server, namespace, passkey, kind, endpoint, parameter string) string {
	t.Helper()
	return framesOf(t, s, namespace, passkey, kind, endpoint, parameter, func(string) bool { return true })
}

// lastOf returns all the frames of a channel, up to its end.
func lastOf(t *testing.T, s *httptest.Server, namespace, passkey, kind, endpoint, parameter string) string {
	t.Helper()
	return framesOf(t, s, namespace, passkey, kind, endpoint, parameter, func(frame string) bool {
		return strings.Contains(frame, `"channelClose"`) || strings.Contains(frame, `"channelError"`)
	})
}

func framesOf(t *testing.T, s *httptest.Server, namespace, passkey, kind, endpoint, parameter string, ends func(frame string) bool) (all string) {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), s.URL+"/"+namespace, nil) //nolint:bodyclose // the socket takes the body over
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	frame := `{"type":"rpcCall","callId":1,"endpoint":"` + endpoint + `","parameter":` + parameter + `}`
	if kind == "channel" {
		frame = `{"type":"channelCreate","channelId":1,"endpoint":"` + endpoint + `","creationParameter":` + parameter + `}`
	}
	for _, text := range []string{`{"authVersion":1,"clientIdentifier":"guest","clientPasskey":"` + passkey + `"}`, frame} {
		if err := ws.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err = ws.Read(t.Context()); err != nil { // who it is
		t.Fatal(err)
	}
	for {
		_, b, err := ws.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if all += string(b); ends(string(b)) {
			return all
		}
	}
}
