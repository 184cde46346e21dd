package tools

// functionTags is how many families write calls, and models of others slip into.
var functionTags = taggedCodec{
	call: span{"<function=", ">"}, callEnd: "</function>",
	arg: span{"<parameter=", ">"}, argEnd: "</parameter>", lines: true,
}

// foreign reads what another family would write between the markers of this one. It starts only at the name of a tool, in full:
// prose about markers must not be kept back.
type foreign struct{ codec }

func (c foreign) starts(o opening, body []byte, final bool) answer {
	i := skipSpace(body, 0)
	if _, ok := c.codec.(taggedCodec); ok {
		return c.codec.starts(o, body, final)
	}
	if _, ok := c.codec.(pythonicCodec); ok && i < len(body) && body[i] == '[' {
		i = skipSpace(body, i+1)
	}
	named := no
	for _, t := range o.plan.tools {
		n := i + len(t.prompt)
		switch a := hasPrefix(body[i:], t.prompt, final); {
		case a == unknown || a == yes && n == len(body) && !final:
			named = unknown
		case a == yes && (n == len(body) || !nameByte(body[n])):
			return c.codec.starts(o, body, final)
		}
	}
	return named
}
