package conform

import (
	"encoding/json"
	"testing"

	"tenon/grammar/schema/source"
)

// A schema that cannot be used as it is may stand in any keyword that holds schemas.
func TestCompile_mendsTheSchemasOfEveryKeyword(t *testing.T) {
	const unusable = `{"type":"str","pattern":"(","$ref":"#/nowhere"}`
	for keyword := range source.Keywords {
		held := unusable
		switch source.Holding(keyword) {
		case source.NoSchema:
			continue
		case source.NamedSchemas:
			held = `{"a":` + unusable + `}`
		}
		for _, value := range []string{held, `[` + held + `]`} {
			s, err := compile(json.RawMessage(`{"required":["q"],"if":{},"`+keyword+`":`+value+`}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.Loose() || s.Validate([]byte(`{}`)) == nil {
				t.Errorf("%s: %s: the whole schema is given up", keyword, value)
			}
		}
	}
}
