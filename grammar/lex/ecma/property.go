package ecma

import (
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

func generalCategory(name string) (Set, bool) {
	if short, ok := unicode.CategoryAliases[name]; ok {
		name = short
	}
	t, ok := unicode.Categories[name]
	if !ok {
		return nil, false
	}
	return fromTable(t), true
}

// derivedProperties are unions of categories and contributory properties (UAX #44 §5.3).
var derivedProperties = map[string][]*unicode.RangeTable{
	"Alphabetic": {unicode.L, unicode.Nl, unicode.Other_Alphabetic},
	"Uppercase":  {unicode.Lu, unicode.Other_Uppercase},
	"Lowercase":  {unicode.Ll, unicode.Other_Lowercase},
}

func binaryProperty(name string) (Set, bool) {
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

// isIdentifierRune follows ID_Start and ID_Continue closely enough for group names.
func isIdentifierRune(r rune, first bool) bool {
	if r == '$' || r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) {
		return true
	}
	return !first && (unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r) || unicode.Is(unicode.Pc, r))
}
