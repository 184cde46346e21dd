package families

import (
	"tenon/tools/format"
)

var familyRwkv = format.Family{
	Key:       "rwkv",
	About:     "RWKV World: taught no format, so tenon's JSON",
	Ours:      true,
	Layout:    format.Layout{Between: "\n", Before: "\n\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "tool", ArgsKey: "arguments"}},
	Match:     format.ByOrder,
	Signature: []string{`User: `, `Assistant:`},
	Absent:    []string{`tool`},
}
