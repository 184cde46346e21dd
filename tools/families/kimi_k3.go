package families

import (
	"tenon/tools/format"
)

var familyKimiK3 = format.Family{
	Key:     "kimi-k3",
	About:   "Kimi K3",
	Section: format.Pair("<|open|>tools<|sep|>", "<|close|>tools<|sep|>"),
	Codecs: []format.Syntax{format.Tagged{
		Call: format.Pair(`<|open|>call tool="`, `"<|sep|>`), CallEnd: "<|close|>call<|sep|>",
		Arg: format.Pair(`<|open|>argument key="`, `"<|sep|>`), ArgEnd: "<|close|>argument<|sep|>",
		TextAttribute: `type="string"`, JsonAttribute: `type="`, Attribute: `type="`, Index: ` index="`,
	}},
	Think:     format.Pair("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
	Text:      []string{"<|open|>response<|sep|>", "<|close|>response<|sep|>"},
	Noise:     []string{"<|open|>", "<|close|>", "<|sep|>"},
	Ends:      []string{"<|end_of_msg|>", "<|close|>message<|sep|>"},
	Match:     format.ByOrder,
	Signature: []string{`<|open|>`, `<|sep|>`, `<|close|>`},
}
