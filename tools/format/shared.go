package format

const (
	CdataOpen  = "<![CDATA["
	CdataClose = "]]>"
)

// FunctionTags is how many families write calls, and models of others slip into.
var FunctionTags = Tagged{
	Call: Span{"<function=", ">"}, CallEnd: "</function>",
	Arg: Span{"<parameter=", ">"}, ArgEnd: "</parameter>", Lines: true,
}

// CommonThinking is what most thinking models write around their thoughts.
var CommonThinking = Span{"<think>", "</think>"}

// InvokeTags is another, of what those learnt from that were taught with Anthropic's models' calls.
var InvokeTags = Tagged{
	Call: Span{`<invoke name="`, `">`}, CallEnd: "</invoke>",
	Arg: Span{`<parameter name="`, `">`}, ArgEnd: "</parameter>",
}

// ParamTags is the same with other words.
var ParamTags = Tagged{
	Call: Span{`<function name="`, `">`}, CallEnd: "</function>",
	Arg: Span{`<param name="`, `">`}, ArgEnd: "</param>", Cdata: true,
}

// PairTags is another, with a name before pairs of key and value (GLM and its relatives).
var PairTags = Tagged{
	NameFirst: true,
	Arg:       Span{"<arg_key>", "</arg_key>"}, Value: "<arg_value>", ArgEnd: "</arg_value>",
}

// Labelled is how models of any family write the two parts of a call with their names: as elements, or each on a line of its own.
var Labelled = Named{
	Splits: []string{
		"<name>", "</name>", "<tool_name>", "</tool_name>", "<function>", "</function>", "<arguments>", "<parameters>", "<args>",
		"name:", "tool:", "tool_name:", "function:", "arguments:", "parameters:", "args:", "Name:", "Arguments:", "\n",
	},
	Labelled: true,
}

// CallLabels are those that begin such a call, labelsBehind what closes its arguments.
var CallLabels = []string{"<name>", "<tool_name>", "<function>", "name:", "tool:", "tool_name:", "function:", "Name:"}

var LabelsBehind = []string{"</arguments>", "</parameters>", "</args>"}

// What stands around the JSON of a family that writes it in a code fence.
const (
	FenceOpen = "```json"
	FenceMark = "```"
)
