package tools

// functionTags is how many families write calls, and models of others slip into.
var functionTags = taggedCodec{
	call: span{"<function=", ">"}, callEnd: "</function>",
	arg: span{"<parameter=", ">"}, argEnd: "</parameter>", lines: true,
}

// invokeTags is another, of what those learnt from that were taught with Anthropic's models' calls.
var invokeTags = taggedCodec{
	call: span{`<invoke name="`, `">`}, callEnd: "</invoke>",
	arg: span{`<parameter name="`, `">`}, argEnd: "</parameter>",
}

// paramTags is the same with other words.
var paramTags = taggedCodec{
	call: span{`<function name="`, `">`}, callEnd: "</function>",
	arg: span{`<param name="`, `">`}, argEnd: "</param>", cdata: true,
}

// pairTags is another, with a name before pairs of key and value (GLM and its relatives).
var pairTags = taggedCodec{
	nameFirst: true,
	arg:       span{"<arg_key>", "</arg_key>"}, value: "<arg_value>", argEnd: "</arg_value>",
}

// labelled is how models of any family write the two parts of a call with their names: as elements, or each on a line of its own.
var labelled = namedCodec{
	splits: []string{
		"<name>", "</name>", "<tool_name>", "</tool_name>", "<function>", "</function>", "<arguments>", "<parameters>", "<args>",
		"name:", "tool:", "tool_name:", "function:", "arguments:", "parameters:", "args:", "Name:", "Arguments:", "\n",
	},
	labelled: true,
}

// callLabels are those that begin such a call, labelsBehind what closes its arguments.
var callLabels = []string{"<name>", "<tool_name>", "<function>", "name:", "tool:", "tool_name:", "function:", "Name:"}

var labelsBehind = []string{"</arguments>", "</parameters>", "</args>"}

// foreign reads what another family would write between the markers of this one. It starts only at the name of a tool, in full:
// prose about markers must not be kept back.
type foreign struct{ codec }

func (c foreign) starts(o opening, body []byte, final bool) answer {
	i := skipSpace(body, 0)
	if _, ok := c.codec.(taggedCodec); ok && !c.pairs() {
		return c.codec.starts(o, body, final)
	}
	if n, ok := c.codec.(namedCodec); ok && n.labelled {
		_, a := anyPrefix(body[i:], callLabels, final)
		return boolean(i < len(body) || !final, a)
	}
	if _, ok := c.codec.(pythonicCodec); ok && i < len(body) && body[i] == '[' {
		i = skipSpace(body, i+1)
	}
	switch hasPrefix(body[i:], toolsPrefix, final) {
	case yes:
		i += len(toolsPrefix)
	case unknown:
		return unknown
	}
	named := no
	for _, t := range o.plan.tools {
		n := i + len(t.prompt)
		switch a := hasPrefix(body[i:], t.prompt, final); {
		case a == unknown || a == yes && n == len(body) && !final:
			named = unknown
		case a == yes && (n == len(body) || !nameByte(body[n])):
			return c.behind(o, body, n, final)
		}
	}
	return named
}

// pairs tells whether pairs of key and value are read.
func (c foreign) pairs() bool {
	t, ok := c.codec.(taggedCodec)
	return ok && t.nameFirst
}

// behind tells whether the codec reads a body in which the name of a tool ends at offset i.
func (c foreign) behind(o opening, body []byte, i int, final bool) answer {
	t, ok := c.codec.(taggedCodec)
	if !ok {
		return c.codec.starts(o, body, final)
	}
	j := skipSpace(body, i)
	if j == len(body) {
		return boolean(!final && j-i <= maxGap, unknown)
	}
	return hasPrefix(body[j:], t.arg.open, final)
}
