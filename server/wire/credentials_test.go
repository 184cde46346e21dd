package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

// What gives a server its credentials is hidden by the names that JSON reads, at any depth; the
// rest of a body stays as it was sent.
func TestWithoutCredentials_hidesByName(t *testing.T) {
	for body, want := range map[string]string{
		`{"a": {"authorization":"s"}, "b":[1, {"headers":{"x":{"y":"s"}},"c" : "headers"}]}`: `{"a": {"authorization":"(hidden)"}, "b":[1, {"headers":null,"c" : "headers"}]}`,
		`{"authorizatio\u006e" : "s","authorization":"t"}`:                                   `{"authorizatio\u006e":"(hidden)","authorization":"(hidden)"}`,
		`{"Authorization":"s","HEADERS":{"a":"b"},"headerſ":1}`:                              `{"Authorization":"(hidden)","HEADERS":null,"headerſ":null}`,
		`{"text":"\"authorization\": \"s\""}`:                                                `{"text":"\"authorization\": \"s\""}`,
		`{"x":{},"authorization_token":null} `:                                               `{"x":{},"authorization_token":"(hidden)"} `,
		`{"authorization":"s`:                                                                `{"authorization":"(hidden)"`,
		`{"a":1 oops "s"}`:                                                                   `{"a":1 `,
		`{"server_url":"https://u:p@h/p?key=s#s","url":"https://h/?q=1"}`:                    `{"server_url":"https://h/hidden","url":"https://h/?q=1"}`,
		`{"mcp_servers":[{"name":"a","url":"https://h/p?s"},{"url":"https://h/p?"}],"m":[{"content":[{"url":"h?q"}]}]}`: `{"mcp_servers":[{"name":"a","url":"https://h/hidden"},{"url":"https://h/hidden"}],"m":[{"content":[{"url":"h?q"}]}]}`,
		`{"server_url":"https://h/%zz?s","Server_URL":["s"]}`:                                                           `{"server_url":"(hidden)","Server_URL":null}`,
		``: ``,
	} {
		if got := string(WithoutCredentials([]byte(body))); got != want {
			t.Errorf("%s became %s", body, got)
		}
	}
}

// Whatever name the decoder of a tool takes for a credential's, the answer and the record do not
// repeat its value.
func FuzzWithoutCredentials(f *testing.F) {
	for _, name := range []string{"authorization", "Authorization", "HEADERS", "headerſ", "server_url", "SERVER_URL"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, value := range []string{`"https://h/?s3cret"`, `{"k":"s3cret"}`} {
			key, _ := json.Marshal(name) // a text always marshals
			body := []byte(`{` + string(key) + `:` + value + `}`)
			var m MCPTool
			_ = json.Unmarshal(body, &m) // what does not fit is not read
			read := m.Authorization + m.URL + m.Headers["k"]
			if out := WithoutCredentials(body); strings.Contains(read, "s3cret") && strings.Contains(string(out), "s3cret") {
				t.Errorf("%s became %s", body, out)
			}
		}
	})
}
