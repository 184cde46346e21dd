package emit

import (
	"strconv"
	"strings"

	"tenon/grammar"
	"tenon/tools/declared"
)

// repeat is an item so many times, sep between.
func repeat(item, sep string, c *declared.Container) string {
	switch {
	case c.Most == 0:
		return `""`
	case c.Most == 1:
		return optional(item, c.Least == 0)
	}
	bounds := "{" + strconv.Itoa(max(c.Least-1, 0)) + ","
	if c.Most > 0 {
		bounds += strconv.Itoa(c.Most - 1)
	}
	return optional(seq(item, "( "+seq(sep, item)+" )"+bounds+"}"), c.Least == 0)
}

func optional(expr string, may bool) string {
	if may {
		return "( " + expr + " )?"
	}
	return expr
}

// dictionaryValue is a value in a dictionary with bare keys.
func (w *output) dictionaryValue(c namedWriter, p declared.Property) string {
	quote := w.lit(c.Quotes[0])
	switch {
	case p.Kind == declared.KindText:
		return seq(quote, w.plain(p, c.Quotes[0]), quote)
	case p.Kind == declared.KindScalar:
		return capture(CaptureJSON, p.Json(grammar.CommonEscapes))
	case p.Inside == nil:
		return "dict-value"
	}
	return w.shared(p.Inside, func() string { return w.dictionaryContainer(c, p.Inside) })
}

// shared writes a container that references lead to as a rule, others where they stand.
func (w *output) shared(c *declared.Container, write func() string) string {
	if !c.Shared {
		return write()
	}
	name, known := w.containers[c]
	if !known {
		name = "inside-" + strconv.Itoa(len(w.containers))
		w.containers[c] = name
	}
	return w.rule(name, write)
}

func (w *output) dictionaryContainer(c namedWriter, in *declared.Container) string {
	switch {
	case len(in.Either) > 0:
		var all []string
		for _, q := range in.Either {
			all = append(all, w.dictionaryValue(c, q))
		}
		return alt(all)
	case in.Item != nil:
		item := capture(CaptureItem, w.dictionaryValue(c, *in.Item))
		return capture(CaptureList, seq(`"["`, repeat(item, `","`, in), `"]"`))
	case in.Rest != nil:
		pair := seq(capture(CaptureKey, dictionaryKey), `":"`, w.dictionaryValue(c, *in.Rest))
		return capture(CaptureObject, seq(`"{"`, "( "+pair+` ( "," `+pair+" )* )?", `"}"`))
	}
	body := w.inside(in, `","`, func(q declared.Property) string {
		return seq(capture(CaptureKey, grammar.Quote(q.Key)), `":"`, w.dictionaryValue(c, q))
	})
	return capture(CaptureObject, seq(`"{"`, body, `"}"`))
}

// dictionaryKey is a key that the schema does not say.
const dictionaryKey = `[a-zA-Z0-9_.$\-\U00000080-\U0010FFFF]{1,120}`

// elementValue is a value between the tags of an element, of which end is the closing one.
func (w *output) elementValue(c nestedWriter, p declared.Property, end string) string {
	switch {
	case p.Kind == declared.KindText:
		return w.plain(p, end)
	case p.Kind == declared.KindScalar:
		return capture(CaptureJSON, p.Json(grammar.CommonEscapes))
	case p.Inside == nil || p.Inside.Rest != nil || p.Inside.Alike():
		return capture(CaptureTree, w.until(end))
	}
	return w.shared(p.Inside, func() string { return w.elementContainer(c, p.Inside, end) })
}

func (w *output) elementContainer(c nestedWriter, in *declared.Container, end string) string {
	tag := func(text string) string { return w.lit(c.Noise + text) }
	switch {
	case len(in.Either) > 0:
		var all []string
		for _, q := range in.Either {
			all = append(all, w.elementValue(c, q, end))
		}
		return alt(all)
	case in.Item != nil:
		value := w.elementValue(c, *in.Item, c.Noise+"</item>")
		return capture(CaptureList, repeat(seq(tag("<item>"), capture(CaptureItem, value), tag("</item>")), "", in))
	}
	return capture(CaptureObject, w.inside(in, `""`, func(q declared.Property) string {
		end := c.Noise + "</" + q.Key + ">"
		return seq(w.lit(c.Noise+"<"), capture(CaptureKey, grammar.Quote(q.Key)), w.lit(">"), w.elementValue(c, q, end), w.lit(end))
	}))
}

// inside is the members of an object in any order.
func (w *output) inside(c *declared.Container, sep string, write func(declared.Property) string) string {
	if len(c.Members) == 0 {
		return `""`
	}
	parts := []string{sep}
	for _, q := range c.Members {
		part := "( " + write(q) + " )"
		if !q.Required {
			part += "?"
		}
		parts = append(parts, part)
	}
	return "%each(" + strings.Join(parts, " | ") + ")"
}
