package ecma

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// property reads {…} after \p or \P: a general category, a script or a binary property (ECMA-262
// §22.2.2.9), as far as package unicode has them.
func (p *parser) property(start int, negate bool) Set {
	end := strings.IndexByte(p.src[p.pos:], '}')
	if !p.peek("{") || end < 0 {
		p.fail(start, Invalid, `\p without {property}`)
		return nil
	}
	name := p.src[p.pos+1 : p.pos+end]
	p.pos += end + 1
	set, ok := unicodeProperty(name)
	if !ok {
		p.fail(start, Unsupported, "Unicode property "+name)
		return nil
	}
	if negate {
		return set.Complement()
	}
	return set
}

func unicodeProperty(name string) (Set, bool) {
	if key, value, ok := strings.Cut(name, "="); ok {
		switch key {
		case "General_Category", "gc":
			return generalCategory(value)
		case "Script", "sc":
			t, ok := unicode.Scripts[value]
			if !ok {
				return nil, false
			}
			return fromTable(t), true
		}
		return nil, false
	}
	if set, ok := generalCategory(name); ok {
		return set, true
	}
	return binaryProperty(name)
}

// categoryNames maps the long names of the general categories, where package unicode lacks them.
var categoryNames = map[string]string{
	"Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me",
	"Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
	"Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps",
	"Close_Punctuation": "Pe", "Initial_Punctuation": "Pi", "Final_Punctuation": "Pf", "Other_Punctuation": "Po",
	"Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk", "Other_Symbol": "So",
	"Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl", "Paragraph_Separator": "Zp",
	"Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Surrogate": "Cs", "Private_Use": "Co", "Cased_Letter": "LC", "Other": "C", "Unassigned": "Cn",
}

func generalCategory(name string) (Set, bool) {
	if short, ok := categoryNames[name]; ok {
		name = short
	}
	switch name {
	case "LC":
		return fromTable(unicode.Lu).Union(fromTable(unicode.Ll)).Union(fromTable(unicode.Lt)), true
	case "Cn":
		return assignedRunes().Complement(), true
	case "C":
		return assignedRunes().Complement().Union(fromTable(unicode.Cc)).Union(fromTable(unicode.Cf)).Union(fromTable(unicode.Co)).Union(fromTable(unicode.Cs)), true
	}
	t, ok := unicode.Categories[name]
	if !ok || len(name) > 2 {
		return nil, false
	}
	return fromTable(t), true
}

func assignedRunes() Set {
	set := Set{{0xD800, 0xDFFF}}
	for _, name := range []string{"L", "M", "N", "P", "S", "Z", "Cc", "Cf", "Co"} {
		set = set.Union(fromTable(unicode.Categories[name]))
	}
	return set
}

// derivedProperties are unions of categories and contributory properties (UAX #44 §5.3).
var derivedProperties = map[string][]*unicode.RangeTable{
	"Alphabetic": {unicode.L, unicode.Nl, unicode.Other_Alphabetic},
	"Uppercase":  {unicode.Lu, unicode.Other_Uppercase},
	"Lowercase":  {unicode.Ll, unicode.Other_Lowercase},
	"Math":       {unicode.Sm, unicode.Other_Math},
}

var propertyAliases = map[string]string{
	"Alpha": "Alphabetic", "Upper": "Uppercase", "Lower": "Lowercase", "space": "White_Space", "AHex": "ASCII_Hex_Digit", "Hex": "Hex_Digit",
}

func binaryProperty(name string) (Set, bool) {
	if long, ok := propertyAliases[name]; ok {
		name = long
	}
	switch name {
	case "Any":
		return All, true
	case "ASCII":
		return Set{{0, 0x7F}}, true
	case "Assigned":
		return assignedRunes(), true
	}
	if parts, ok := derivedProperties[name]; ok {
		var set Set
		for _, t := range parts {
			set = set.Union(fromTable(t))
		}
		return set, true
	}
	// Contributory properties (Other_…) are no properties of ECMA-262.
	if t, ok := unicode.Properties[name]; ok && !strings.HasPrefix(name, "Other_") {
		return fromTable(t), true
	}
	return nil, false
}

// PropertyNames returns what may stand in \p{…}, sorted.
func PropertyNames() []string {
	names := []string{"Any", "ASCII", "Assigned", "LC", "Cn"}
	for _, table := range []map[string]string{categoryNames, propertyAliases} {
		names = slices.AppendSeq(names, maps.Keys(table))
	}
	names = slices.AppendSeq(names, maps.Keys(derivedProperties))
	for name := range unicode.Categories {
		names = append(names, name)
	}
	for name := range unicode.Properties {
		names = append(names, name)
	}
	for name := range unicode.Scripts {
		names = append(names, "Script="+name, "sc="+name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(name string) bool { return !isProperty(name) })
}

// isProperty asks without building the set for the names of package unicode.
func isProperty(name string) bool {
	if unicode.Scripts[strings.TrimPrefix(strings.TrimPrefix(name, "Script="), "sc=")] != nil && strings.Contains(name, "=") {
		return true
	}
	_, ok := unicodeProperty(name)
	return ok
}

// isIdentifierRune follows ID_Start and ID_Continue closely enough for group names.
func isIdentifierRune(r rune, first bool) bool {
	if r == '$' || r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) {
		return true
	}
	return !first && (unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r) || unicode.Is(unicode.Pc, r))
}
