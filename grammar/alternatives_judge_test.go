package grammar

import (
	"math/bits"
	"regexp"
	"slices"
)

// A judge of the schemas that choiceWriter makes up, and of the objects that are tried alone: each
// part of a schema is asked once, for all of them. It follows the words of the standard.

// ruling is what a schema says of an object: which of its keys it has evaluated counts only where
// it is valid.
type ruling struct {
	valid     bool
	evaluated uint // bit i is the i-th of choiceKeys
}

// keysIn are the keys of an object, as the bits of a ruling.
func keysIn(set uint32) (keys uint) {
	for i := range choiceKeys {
		if set>>(2*i)&3 != 0 {
			keys |= 1 << i
		}
	}
	return keys
}

// keysThat are those of choiceKeys that something holds of.
func keysThat(holds func(key string) bool) (keys uint) {
	for i, key := range choiceKeys {
		if holds(key) {
			keys |= 1 << i
		}
	}
	return keys
}

func keysNamed(names any) uint {
	return keysThat(func(key string) bool { return slices.Contains(names.([]any), any(key)) })
}

func keysMatching(pattern string) uint { return keysThat(regexp.MustCompile(pattern).MatchString) }

// judged is what a schema says of each of triedChoices.
func judged(schema any) []ruling {
	s := schema.(map[string]any)
	all := make([]ruling, len(triedChoices()))
	for i := range all {
		all[i].valid = true
	}
	each := func(f func(r *ruling, set uint32)) {
		for i, set := range triedChoices() {
			f(&all[i], set)
		}
	}
	demand := func(holds func(keys uint) bool) {
		each(func(r *ruling, set uint32) { r.valid = r.valid && holds(keysIn(set)) })
	}
	values := func(keys uint, of any) {
		ones, twos := takes(of, 1), takes(of, 2)
		each(func(r *ruling, set uint32) {
			r.valid = r.valid && keys&keysIn(set)&^keysWith(set, ones, twos) == 0
			r.evaluated |= keys & keysIn(set)
		})
	}
	others := ^uint(0)
	for name, of := range members(s["properties"]) {
		named := keysThat(func(key string) bool { return key == name })
		values(named, of)
		others &^= named
	}
	for pattern, of := range members(s["patternProperties"]) {
		values(keysMatching(pattern), of)
		others &^= keysMatching(pattern)
	}
	for word, of := range s {
		switch word {
		case "additionalProperties":
			values(others, of)
		case "required":
			needs := keysNamed(of)
			demand(func(keys uint) bool { return needs&^keys == 0 })
		case "dependentRequired":
			for name, list := range members(of) {
				key, needs := keysNamed([]any{name}), keysNamed(list)
				demand(func(keys uint) bool { return key&keys == 0 || needs&^keys == 0 })
			}
		case "minProperties":
			demand(func(keys uint) bool { return bits.OnesCount(keys) >= int(of.(float64)) })
		case "maxProperties":
			demand(func(keys uint) bool { return bits.OnesCount(keys) <= int(of.(float64)) })
		case "propertyNames":
			matching := keysMatching(of.(map[string]any)["pattern"].(string))
			demand(func(keys uint) bool { return keys&^matching == 0 })
		case "allOf", "anyOf", "oneOf":
			choose(all, word, of.([]any))
		case "not":
			for i, r := range judged(of) {
				all[i].valid = all[i].valid && !r.valid
			}
		}
	}
	if of, ok := s["unevaluatedProperties"]; ok {
		ones, twos := takes(of, 1), takes(of, 2)
		each(func(r *ruling, set uint32) {
			r.valid = r.valid && keysIn(set)&^r.evaluated&^keysWith(set, ones, twos) == 0
			r.evaluated = keysIn(set)
		})
	}
	return all
}

// choose applies allOf, anyOf or oneOf.
func choose(all []ruling, word string, list []any) {
	hold := make([]int, len(all))
	for _, part := range list {
		for i, r := range judged(part) {
			if r.valid {
				hold[i]++
				all[i].evaluated |= r.evaluated
			}
		}
	}
	for i, n := range hold {
		all[i].valid = all[i].valid && (word == "anyOf" && n > 0 || word == "oneOf" && n == 1 || word == "allOf" && n == len(list))
	}
}

func members(object any) map[string]any {
	m, _ := object.(map[string]any)
	return m
}

// keysWith are the keys of an object with the value 1, if ones are asked for, and with 2, if twos
// are.
func keysWith(set uint32, ones, twos bool) (keys uint) {
	for i := range choiceKeys {
		if v := set >> (2 * i) & 3; v == 1 && ones || v == 2 && twos {
			keys |= 1 << i
		}
	}
	return keys
}

func takes(schema any, value float64) bool {
	s, isObject := schema.(map[string]any)
	if !isObject {
		return schema.(bool)
	}
	if c, ok := s["const"]; ok {
		return c == any(value)
	}
	if most, ok := s["maximum"]; ok {
		return value <= most.(float64)
	}
	return slices.Contains(s["enum"].([]any), any(value))
}
