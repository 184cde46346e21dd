package conform_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/tools/conform"
)

// Each row is a schema, arguments, and the places that fail: path, value, schema.
func TestFaults_nameThePlace(t *testing.T) {
	for _, c := range []struct{ name, schema, args, want string }{
		{"valid", `{"properties":{"n":{"type":"integer"}}}`, `{"n":1}`, ""},
		{"mended by a repair", `{"properties":{"n":{"type":"integer"}}}`, `{"n":"1"}`, ""},
		{"one of two", `{"properties":{"n":{"type":"integer"},"s":{"pattern":"^a"}}}`, `{"n":"1","s":"b"}`, `s "b" /properties/s`},
		{"deep", `{"properties":{"l":{"items":{"properties":{"x":{"maximum":3}}}}}}`, `{"l":[{"x":1},{"x":9}]}`,
			`l.1.x 9 /properties/l/items/properties/x`},
		{"missing", `{"required":["a"]}`, `{}`, ` {} `},
		{"behind a condition", `{"if":{"properties":{"c":{"const":"US"}}},"then":{"properties":{"zip":{"pattern":"^[0-9]+$"}}}}`,
			`{"c":"US","zip":"x"}`, `zip "x" /then/properties/zip`},
		{"the nearest branch", `{"properties":{"v":{"anyOf":[{"type":"object","required":["p","q"]},{"type":"object","properties":{"r":{"maximum":1}}}]}}}`,
			`{"v":{"r":2}}`, `v {"r":2} /properties/v/anyOf/1; v.r 2 /properties/v/anyOf/1/properties/r`},
		{"under a reference", `{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"minLength":3}}}`, `{"a":"x"}`, `a "x" /$defs/d`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range conform.Compile([]byte(c.schema)).Faults([]byte(c.args)) {
				got = append(got, strings.Join(f.Path, ".")+" "+string(f.Value)+" "+f.Schema)
				if !strings.HasPrefix(f.Message, "at '") {
					t.Errorf("message %q", f.Message)
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
