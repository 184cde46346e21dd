package families

import (
	"cmp"
	"slices"

	"tenon/tools/conform"
	"tenon/tools/format"
)

// What several families have in common.
var (
	chatml          = []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"}
	responses       = []string{"<tool_response>", "</tool_response>"}
	llama           = []string{"<|eot_id|>", "<|eom_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|end_of_text|>", "<|begin_of_text|>"}
	deepseek        = []string{"<｜end▁of▁sentence｜>", "<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"}
	deepseekOutputs = []string{"<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"}
	cohere          = []string{"<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>", "<EOS_TOKEN>", "<BOS_TOKEN>"}
	mistralResults  = []string{"[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CONTENT]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"}
	mistralEnds     = []string{"</s>", "[INST]", "[/INST]"}
	glmEnds         = []string{"<|user|>", "<|observation|>", "<|assistant|>", "<|system|>", "<|endoftext|>"}
	phiEnds         = []string{"<|end|>", "<|assistant|>", "<|user|>", "<|system|>", "<|endoftext|>"}
	object          = []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments"}}
	array           = []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments", Array: true}}
	ours            = []format.Syntax{format.JSON{NameKey: "tool", ArgsKey: "arguments"}}
	toolCall        = format.Pair("<tool_call>", "</tool_call>")
	toolCalls       = format.Pair("<tool_calls>", "</tool_calls>")
	anyEnds         = []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<|end|>", "<end_of_turn>"}
)

var dialects = makeDialects()

func makeDialects() []*format.Dialect {
	var all []*format.Dialect
	for _, f := range slices.Concat(tenonFormats, inJSON, byName, inTags) {
		all = append(all, &format.Dialect{Family: f})
	}
	slices.SortFunc(all, func(a, b *format.Dialect) int { return cmp.Compare(a.Key, b.Key) })
	return all
}

// All lists every dialect by name, tenon's own formats among them.
func All() []*format.Dialect { return dialects }

// Lookup finds a dialect by its name or by what it is called elsewhere. Case and separators do not
// count.
func Lookup(name string) (*format.Dialect, bool) {
	name = conform.Normal(name)
	for _, d := range dialects {
		if conform.Normal(d.Key) == name {
			return d, true
		}
	}
	for _, d := range dialects {
		if slices.ContainsFunc(d.Aliases, func(a string) bool { return conform.Normal(a) == name }) {
			return d, true
		}
	}
	return nil, false
}

// Fallback is the format of models that were taught none: tenon's own JSON.
func Fallback() *format.Dialect {
	d, _ := Lookup("json")
	return d
}
