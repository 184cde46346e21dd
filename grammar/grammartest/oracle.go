package grammartest

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ecma is a pattern of the oracle.
type ecma struct{ re *regexp2.Regexp }

func (e ecma) MatchString(s string) bool { ok, err := e.re.MatchString(s); return ok && err == nil }
func (e ecma) String() string            { return e.re.String() }

// Oracle compiles a schema with an independent validator that asserts formats. It is nil for a
// schema that the validator refuses, as some real ones that break their own metaschema.
func Oracle(t testing.TB, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
		re, err := regexp2.Compile(pattern, regexp2.ECMAScript)
		if err != nil {
			return nil, err
		}
		re.MatchTimeout = time.Second
		return ecma{re}, nil
	})
	c.AssertFormat()
	for _, f := range strictFormats() {
		c.RegisterFormat(f)
	}
	// no format of the specification
	c.RegisterFormat(&jsonschema.Format{Name: "semver", Validate: func(any) error { return nil }})
	if err := c.AddResource("urn:test", doc); err != nil {
		return nil
	}
	s, err := c.Compile("urn:test")
	if err != nil {
		return nil
	}
	return s
}

// strictFormats are those in which the validator is too generous, with what their texts look like:
// it takes characters that RFC 3986 has not, and braces that RFC 6570 has not; no one at a host,
// and a dot behind the name of one, which RFC 5321 has not; and seconds with a sign, or behind
// hours without minutes, which RFC 3339 has not.
var strictFormats = sync.OnceValue(func() (list []*jsonschema.Format) {
	const (
		uri      = `^([!$&-;=?-Z_a-z~]|%[0-9A-Fa-f]{2}|//([^/?#@]*@)?\[[0-9A-Fa-f:.]+\])*(#([!$&-;=?-Z_a-z~]|%[0-9A-Fa-f]{2})*)?$`
		date     = `\d{4}-\d\d-\d\d`
		time     = `\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)`
		duration = `^P(\d+W|(\d+Y(\d+M(\d+D)?)?|\d+M(\d+D)?|\d+D)?(T(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S))?)$`
	)
	for name, look := range map[string]string{
		"uri": uri, "uri-reference": uri, "uri-template": `^([^{}]|{[^{}]+})*$`, "email": `^.+@.*[^.]$`, "hostname": `[^.]$`,
		"date": `^` + date + `$`, "time": `^` + time + `$`, "date-time": `^` + date + `[Tt]` + time + `$`, "duration": duration,
	} {
		list = append(list, strictFormat(name, regexp.MustCompile(look)))
	}
	return list
})

// strictFormat is a format of the validator, of texts that match.
func strictFormat(name string, look *regexp.Regexp) *jsonschema.Format {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("urn:format", map[string]any{"format": name}); err != nil {
		panic(err) // it is no text of a caller
	}
	generous := c.MustCompile("urn:format")
	return &jsonschema.Format{Name: name, Validate: func(value any) error {
		if text, ok := value.(string); ok && !look.MatchString(text) {
			return fmt.Errorf("%q is no %s", text, name)
		}
		return generous.Validate(value)
	}}
}
