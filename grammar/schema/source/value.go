package source

import (
	"slices"
	"strconv"
	"strings"
)

// Kind is one of the six types a JSON value can have.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
	Kinds // how many there are
)

// Value is a JSON value that keeps what encoding/json loses: the order of keys and the spelling of
// numbers.
type Value struct {
	Kind  Kind
	Truth bool     // Bool
	Text  string   // String: decoded; Number: as spelled
	Items []*Value // Array
	// Object, in order; a repeated key keeps its first place and its last value
	Members []Member
	index   map[string]int

	parent *Value // nil at the root
	key    string // the parent's key that leads here, if it is an object
	pos    int    // the parent's index that leads here

	Offset int    // of its first byte in the text
	canon  string // memo of Canonical
}

// Member is a key of an object and its value.
type Member struct {
	Key string
	Val *Value
}

// indexFrom is the number of members from which a map is cheaper than a scan.
const indexFrom = 12

// Get returns the member called key, or nil.
func (v *Value) Get(key string) *Value {
	if v.Kind != Object {
		return nil
	}
	if i := v.find(key); i >= 0 {
		return v.Members[i].Val
	}
	return nil
}

func (v *Value) find(key string) int {
	if v.index != nil {
		if i, ok := v.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range v.Members {
		if v.Members[i].Key == key {
			return i
		}
	}
	return -1
}

func (v *Value) put(key string, e *Value) {
	if i := v.find(key); i >= 0 {
		v.Members[i].Val = e
		return
	}
	v.Members = append(v.Members, Member{key, e})
	if v.index != nil {
		v.index[key] = len(v.Members) - 1
	} else if len(v.Members) == indexFrom {
		v.index = make(map[string]int, 2*indexFrom)
		for i := range v.Members {
			v.index[v.Members[i].Key] = i
		}
	}
}

// Pointer returns the RFC 6901 pointer of v from its document's root.
func (v *Value) Pointer() string {
	var parts []string
	for n := v; n != nil && n.parent != nil; n = n.parent {
		if n.parent.Kind == Array {
			parts = append(parts, strconv.Itoa(n.pos))
		} else {
			parts = append(parts, escapeToken(n.key))
		}
	}
	parts = append(parts, "") // the root
	slices.Reverse(parts)
	return strings.Join(parts, "/")
}

func escapeToken(s string) string {
	if !strings.ContainsAny(s, "~/") {
		return s
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(s)
}
