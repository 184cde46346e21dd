package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"
)

// container is an object or array that has been opened.
type container struct {
	object, atName bool
	// of the member that holds it; in an object, once it is read, of its own
	name string
}

// WithoutCredentials is a request's body, or a part of it, as it may be kept and repeated: without
// what gives a server that the request names its credentials. Names of members count as JSON has
// them, however they are spelled. What is no JSON is left out.
func WithoutCredentials(body []byte) []byte {
	var (
		out  []byte
		open []container
		kept int
		d    = json.NewDecoder(bytes.NewReader(body))
	)
	for {
		t, err := d.Token()
		if err != nil {
			end := len(body)
			if !errors.Is(err, io.EOF) {
				end = max(kept, int(d.InputOffset()))
			}
			return append(out, body[kept:end]...)
		}
		if t == json.Delim('}') || t == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		in := &container{}
		if len(open) > 0 {
			in = &open[len(open)-1]
		}
		if name, ok := t.(string); ok && in.atName {
			if hide := hiding(name, open); hide != nil {
				out = append(append(out, body[kept:d.InputOffset()]...), ':')
				var value json.RawMessage
				_ = d.Decode(&value) // the next token meets the same error
				out = append(out, hide(value)...)
				kept = int(d.InputOffset())
				continue
			}
			in.name = name
		}
		if in.object {
			in.atName = !in.atName
		}
		if t == json.Delim('{') || t == json.Delim('[') {
			open = append(open, container{t == json.Delim('{'), t == json.Delim('{'), in.name})
		}
	}
}

// hiding is what a member is replaced by, nil if it holds no credentials.
func hiding(name string, open []container) func(json.RawMessage) string {
	// as encoding/json reads names
	is := func(other string) bool { return strings.EqualFold(name, other) }
	switch {
	case is("authorization"), is("authorization_token"):
		return func(json.RawMessage) string { return `"(hidden)"` }
	case is("headers"):
		return func(json.RawMessage) string { return "null" }
	case is("server_url"), is("url") && len(open) > 1 && strings.EqualFold(open[len(open)-2].name, "mcp_servers"):
		return bareAddress
	}
	return nil
}

// bareAddress is the server of an address, in JSON, without the parts that keys are given in: some
// servers have theirs in the path.
func bareAddress(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return "null"
	}
	at, err := url.Parse(text)
	if err != nil {
		return `"(hidden)"`
	}
	bare := url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/hidden"}
	if at.Opaque == "" && (at.Path == "" || at.Path == "/") {
		bare.Path = at.Path
	}
	out, _ := json.Marshal(bare.String()) // a text always marshals
	return string(out)
}
