package scan

import (
	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/peek"
)

// Foreign reads what another family would write between the markers of this one. It starts only at the name of a tool, in full:
// prose about markers must not be kept back.
type Foreign struct{ Codec }

func (c Foreign) Starts(o Opening, body []byte, final bool) peek.Answer {
	i := peek.SkipSpace(body, 0)
	if _, ok := c.Codec.(taggedCodec); ok && !c.Pairs() {
		return c.Codec.Starts(o, body, final)
	}
	if n, ok := c.Codec.(namedCodec); ok && n.Labelled {
		_, a := peek.AnyPrefix(body[i:], format.CallLabels, final)
		return peek.Boolean(i < len(body) || !final, a)
	}
	if _, ok := c.Codec.(PythonicCodec); ok && i < len(body) && body[i] == '[' {
		i = peek.SkipSpace(body, i+1)
	}
	switch peek.Prefix(body[i:], declared.ToolsPrefix, final) {
	case peek.Yes:
		i += len(declared.ToolsPrefix)
	case peek.Unknown:
		return peek.Unknown
	}
	named := peek.No
	for _, t := range o.Plan.Tools {
		n := i + len(t.Prompt)
		switch a := peek.Prefix(body[i:], t.Prompt, final); {
		case a == peek.Unknown || a == peek.Yes && n == len(body) && !final:
			named = peek.Unknown
		case a == peek.Yes && (n == len(body) || !peek.NameByte(body[n])):
			return c.behind(o, body, n, final)
		}
	}
	return named
}

// Pairs tells whether pairs of key and value are read.
func (c Foreign) Pairs() bool {
	t, ok := c.Codec.(taggedCodec)
	return ok && t.NameFirst
}

// behind tells whether the codec reads a body in which the name of a tool ends at offset i.
func (c Foreign) behind(o Opening, body []byte, i int, final bool) peek.Answer {
	t, ok := c.Codec.(taggedCodec)
	if !ok {
		return c.Codec.Starts(o, body, final)
	}
	j := peek.SkipSpace(body, i)
	if j == len(body) {
		return peek.Boolean(!final && j-i <= peek.MaxGap, peek.Unknown)
	}
	return peek.Prefix(body[j:], t.Arg.Open, final)
}
