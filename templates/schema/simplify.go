package schema

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Simplification tells a model less than the client declared, for models that get lost in more.
// The zero value changes nothing. Only the prompt is simplified: what is hidden may still be
// written, and the original decides what is valid.
type Simplification struct {
	RequiredOnly   bool     // optional parameters are left out
	Keep           []string // names of optional parameters that are shown all the same
	EnumText       bool     // an enum is a string whose description lists the choices
	MaxDescription int      // characters of a description; 0: all of them
	HideOthers     bool     // additionalProperties is not shown
	// an object's properties are shown as name.property; see Flatten for the way back
	Flatten bool
}

// IsZero says whether nothing is to be simplified.
func (s Simplification) IsZero() bool {
	return !s.RequiredOnly && !s.EnumText && s.MaxDescription == 0 && !s.HideOthers && !s.Flatten
}

// Simplify rewrites a schema, and Describe a tool's own description.
func (s Simplification) Simplify(declared json.RawMessage) (json.RawMessage, error) {
	v, err := parse(declared)
	if err != nil {
		return nil, err
	}
	o, ok := v.(object)
	if !ok {
		return declared, nil
	}
	if s.Flatten {
		o, _ = flatten(o)
	}
	return print(s.schema(o)), nil
}

// Describe shortens a description: to whole sentences if the first one fits, else at a word.
func (s Simplification) Describe(text string) string {
	if s.MaxDescription <= 0 || utf8.RuneCountInString(text) <= s.MaxDescription {
		return text
	}
	runes := []rune(text)
	cut, word := 0, 0
	for i, r := range runes[:s.MaxDescription] {
		next := runes[i+1] // there is one: the text is longer
		switch {
		case strings.ContainsRune(".!?。", r) && (unicode.IsSpace(next) || r == '。'):
			cut = i + 1
		case !unicode.IsSpace(r) && unicode.IsSpace(next) && i+1 < s.MaxDescription:
			word = i + 1
		}
	}
	switch {
	case cut > 0:
		return string(runes[:cut])
	case word > 0:
		return string(runes[:word]) + "…"
	}
	return string(runes[:s.MaxDescription-1]) + "…"
}

func (s Simplification) schema(v any) any {
	o, ok := v.(object)
	if !ok {
		return v
	}
	out := object{}
	required, _ := o.get("required").([]any)
	for _, m := range o {
		switch m.key {
		case "properties":
			m.value = s.shown(m.value, required)
		case "description":
			if text, ok := m.value.(string); ok {
				m.value = s.Describe(text)
			}
		case "additionalProperties":
			if s.HideOthers {
				continue
			}
		}
		out = append(out, within(m, func(v any, _ string) any { return s.schema(v) }))
	}
	return s.enum(out)
}

// shown are the properties that are not left out.
func (s Simplification) shown(v any, required []any) any {
	props, ok := v.(object)
	if !ok || !s.RequiredOnly {
		return v
	}
	return slices.DeleteFunc(slices.Clone(props), func(p member) bool {
		return !slices.Contains(required, any(p.key)) && !slices.Contains(s.Keep, p.key)
	})
}

// enum moves the choices into the description. They are listed whole: they are what the model must
// know.
func (s Simplification) enum(o object) object {
	list, ok := o.get("enum").([]any)
	if !s.EnumText || !ok {
		return o
	}
	choices := make([]string, len(list))
	for i, c := range list {
		if text, ok := c.(string); ok {
			choices[i] = text
		} else {
			choices[i] = string(print(c))
		}
	}
	text, _ := o.get("description").(string)
	if text = strings.TrimSpace(text); text != "" {
		text += " "
	}
	o = o.without("enum")
	if !o.has("type") {
		o = o.set("type", "string")
	}
	return o.set("description", text+"One of: "+strings.Join(choices, ", "))
}
