package grammartest

import (
	"bytes"
	"testing"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ecma is a pattern of the oracle.
type ecma struct{ re *regexp2.Regexp }

func (e ecma) MatchString(s string) bool { ok, err := e.re.MatchString(s); return ok && err == nil }
func (e ecma) String() string            { return e.re.String() }

// Oracle compiles a schema with an independent validator that asserts formats. It
// is nil for a schema that the validator refuses, as some real ones that break
// their own metaschema.
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
	c.RegisterFormat(&jsonschema.Format{Name: "semver", Validate: func(any) error { return nil }}) // no format of the specification
	if err := c.AddResource("urn:test", doc); err != nil {
		return nil
	}
	s, err := c.Compile("urn:test")
	if err != nil {
		return nil
	}
	return s
}
