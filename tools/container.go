package tools

import (
	"strconv"
	"strings"

	"tenon/grammar"
)

// container is what an object or a list holds that a family writes in its own way (Gemma's dictionaries, MiniMax's elements), where
// the mask follows the schema into it.
type container struct {
	members     []property // of an object
	rest        *property  // of an object: what members hold whose names the schema does not say
	item        *property  // of a list
	least, most int        // items of a list; most < 0: any number
	either      []property // it is one of these, no two of which begin alike
	shared      bool       // references lead to it, from inside of itself perhaps
}

// followed tells whether the mask follows the whole schema into a property that is written as a dictionary.
func (p property) followed() bool {
	return p.kind == kindText || p.kind == kindScalar || p.inside != nil && !p.loose
}

// followedElements tells the same of one that is written as elements, where text may look like any other value.
func (p property) followedElements() bool {
	return p.followed() && !p.mixed
}

// repeat is an item so many times, sep between.
func repeat(item, sep string, c *container) string {
	switch {
	case c.most == 0:
		return `""`
	case c.most == 1:
		return optional(item, c.least == 0)
	}
	bounds := "{" + strconv.Itoa(max(c.least-1, 0)) + ","
	if c.most > 0 {
		bounds += strconv.Itoa(c.most - 1)
	}
	return optional(seq(item, "( "+seq(sep, item)+" )"+bounds+"}"), c.least == 0)
}

func optional(expr string, may bool) string {
	if may {
		return "( " + expr + " )?"
	}
	return expr
}

// dictionaryValue is a value in a dictionary with bare keys.
func (w *output) dictionaryValue(c namedCodec, p property) string {
	quote := w.lit(c.quotes[0])
	switch {
	case p.kind == kindText:
		return seq(quote, w.plain(p, c.quotes[0]), quote)
	case p.kind == kindScalar:
		return capture(captureJSON, p.json(grammar.CommonEscapes))
	case p.inside == nil:
		return "dict-value"
	}
	return w.shared(p.inside, func() string { return w.dictionaryContainer(c, p.inside) })
}

// shared writes a container that references lead to as a rule, others where they stand.
func (w *output) shared(c *container, write func() string) string {
	if !c.shared {
		return write()
	}
	name, known := w.containers[c]
	if !known {
		name = "inside-" + strconv.Itoa(len(w.containers))
		w.containers[c] = name
	}
	return w.rule(name, write)
}

func (w *output) dictionaryContainer(c namedCodec, in *container) string {
	switch {
	case len(in.either) > 0:
		var all []string
		for _, q := range in.either {
			all = append(all, w.dictionaryValue(c, q))
		}
		return alt(all)
	case in.item != nil:
		item := capture(captureItem, w.dictionaryValue(c, *in.item))
		return capture(captureList, seq(`"["`, repeat(item, `","`, in), `"]"`))
	case in.rest != nil:
		pair := seq(capture(captureKey, dictionaryKey), `":"`, w.dictionaryValue(c, *in.rest))
		return capture(captureObject, seq(`"{"`, "( "+pair+` ( "," `+pair+" )* )?", `"}"`))
	}
	body := w.inside(in, `","`, func(q property) string {
		return seq(capture(captureKey, grammar.Quote(q.key)), `":"`, w.dictionaryValue(c, q))
	})
	return capture(captureObject, seq(`"{"`, body, `"}"`))
}

// dictionaryKey is a key that the schema does not say.
const dictionaryKey = `[a-zA-Z0-9_.$\-\U00000080-\U0010FFFF]{1,120}`

// elementValue is a value between the tags of an element, of which end is the closing one.
func (w *output) elementValue(c nestedCodec, p property, end string) string {
	switch {
	case p.kind == kindText:
		return w.plain(p, end)
	case p.kind == kindScalar:
		return capture(captureJSON, p.json(grammar.CommonEscapes))
	case p.inside == nil || p.inside.rest != nil || p.inside.alike():
		return capture(captureTree, w.until(end))
	}
	return w.shared(p.inside, func() string { return w.elementContainer(c, p.inside, end) })
}

// alike tells whether the elements of several kinds that this may be can begin alike.
func (c *container) alike() bool {
	containers := 0
	for _, q := range c.either {
		if q.kind == kindText || q.inside != nil && q.inside.rest != nil {
			return true
		}
		if q.inside != nil {
			containers++
		}
	}
	return containers > 1
}

func (w *output) elementContainer(c nestedCodec, in *container, end string) string {
	tag := func(text string) string { return w.lit(c.noise + text) }
	switch {
	case len(in.either) > 0:
		var all []string
		for _, q := range in.either {
			all = append(all, w.elementValue(c, q, end))
		}
		return alt(all)
	case in.item != nil:
		value := w.elementValue(c, *in.item, c.noise+"</item>")
		return capture(captureList, repeat(seq(tag("<item>"), capture(captureItem, value), tag("</item>")), "", in))
	}
	return capture(captureObject, w.inside(in, `""`, func(q property) string {
		end := c.noise + "</" + q.key + ">"
		return seq(w.lit(c.noise+"<"), capture(captureKey, grammar.Quote(q.key)), w.lit(">"), w.elementValue(c, q, end), w.lit(end))
	}))
}

// inside is the members of an object in any order.
func (w *output) inside(c *container, sep string, write func(property) string) string {
	if len(c.members) == 0 {
		return `""`
	}
	parts := []string{sep}
	for _, q := range c.members {
		part := "( " + write(q) + " )"
		if !q.required {
			part += "?"
		}
		parts = append(parts, part)
	}
	return "%each(" + strings.Join(parts, " | ") + ")"
}
