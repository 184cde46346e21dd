package server

import "testing"

// What gives a server its credentials is hidden by the names that JSON reads, at any depth; the rest
// of a body stays as it was sent.
func TestWithoutCredentials_hidesByName(t *testing.T) {
	for body, want := range map[string]string{
		`{"a": {"authorization":"s"}, "b":[1, {"headers":{"x":{"y":"s"}},"c" : "headers"}]}`: `{"a": {"authorization":"(hidden)"}, "b":[1, {"headers":"(hidden)","c" : "headers"}]}`,
		`{"authorizatio\u006e" : "s","authorization":"t"}`:                                   `{"authorizatio\u006e":"(hidden)","authorization":"(hidden)"}`,
		`{"text":"\"authorization\": \"s\""}`:                                                `{"text":"\"authorization\": \"s\""}`,
		`{"x":{},"authorization_token":null} `:                                               `{"x":{},"authorization_token":"(hidden)"} `,
		`{"authorization":"s`:                                                                `{"authorization":"(hidden)"`,
		`{"a":1 oops "s"}`:                                                                   `{"a":1 `,
		``:                                                                                   ``,
	} {
		if got := withoutCredentials(body); got != want {
			t.Errorf("%s became %s", body, got)
		}
	}
}
