package families

import (
	"tenon/tools/format"
)

var familyGigachat3 = format.Family{
	Key:       "gigachat3",
	About:     "GigaChat 3",
	Aliases:   []string{"gigachat", "gigachat3.1"},
	Section:   format.Span{Open: "function call<|role_sep|>"},
	Layout:    format.Layout{Open: "\n", Before: "<|message_sep|>\n\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments"}},
	Ends:      []string{"<|message_sep|>", "<|role_sep|>", "</s>"},
	Match:     format.ByOrder,
	OneCall:   true,
	Signature: []string{`<|role_sep|>`, `<|message_sep|>`},
}
