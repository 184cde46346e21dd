package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"tenon/server/chat"
)

// unread walks once over valid JSON and finds the members that a Go type has no field for:
// encoding/json passes over them, so that what a client meant would be lost without a word.
type unread struct {
	raw []byte
	at  int
	// an unknown member; nil values are passed over
	take func(path string, value json.RawMessage) error
}

// value reads the next value, which is decoded into t. A nil t is any value.
func (u *unread) value(t reflect.Type, path string) error {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t != nil && t.Kind() == reflect.Struct && u.next() == '{' && t != unusedType:
		return u.object(t, path)
	case t != nil && t.Kind() == reflect.Slice && t != rawType && u.next() == '[':
		return u.array(t.Elem(), path+"[]")
	}
	u.skip()
	return nil
}

func (u *unread) object(t reflect.Type, path string) error {
	known := fieldsOf(t)
	for u.at++; u.next() != '}'; {
		if u.raw[u.at] == ',' {
			u.at++
			continue
		}
		begin := u.at
		u.skip()
		name := keyText(u.raw[begin:u.at])
		u.next()
		u.at++ // the colon
		if t, ok := known[name]; ok && !nests(t) {
			u.skip()
			continue
		}
		if err := u.member(known, name, strings.TrimPrefix(path+"."+name, ".")); err != nil {
			return err
		}
	}
	u.at++
	return nil
}

// member reads the value of a member.
func (u *unread) member(known map[string]reflect.Type, name, path string) error {
	if t, ok := known[name]; ok {
		return u.value(t, path)
	}
	u.next()
	begin := u.at
	u.skip()
	value := json.RawMessage(u.raw[begin:u.at])
	if IsNull(value) {
		return nil
	}
	for right := range known {
		if strings.EqualFold(right, name) { // encoding/json takes it for the field
			return chat.Invalidf(path, "is not known; expected %s", right)
		}
	}
	return u.take(path, value)
}

func (u *unread) array(t reflect.Type, path string) error {
	for u.at++; u.next() != ']'; {
		if u.raw[u.at] == ',' {
			u.at++
			continue
		}
		if err := u.value(t, path); err != nil {
			return err
		}
	}
	u.at++
	return nil
}

// next passes over white space and returns the byte behind it.
func (u *unread) next() byte {
	for u.raw[u.at] <= ' ' {
		u.at++
	}
	return u.raw[u.at]
}

// skip passes over a value of any kind, however deep it is.
func (u *unread) skip() {
	u.next()
	for depth := 0; u.at < len(u.raw); {
		switch u.raw[u.at] {
		case '"':
			for u.at++; u.raw[u.at] != '"'; u.at++ {
				if u.raw[u.at] == '\\' {
					u.at++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',', ':', ' ', '\t', '\r', '\n':
		default: // a number or a word
			for u.at+1 < len(u.raw) && !strings.ContainsRune(",:]} \t\r\n", rune(u.raw[u.at+1])) {
				u.at++
			}
		}
		u.at++
		if depth == 0 {
			return
		}
	}
}

// nests tells whether a value of the type can have members that the type does not.
func nests(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t != rawType && t != unusedType && (t.Kind() == reflect.Struct || t.Kind() == reflect.Slice)
}

func keyText(quoted []byte) string {
	if inside := quoted[1 : len(quoted)-1]; utf8.Valid(inside) && bytes.IndexByte(inside, '\\') < 0 {
		return string(inside)
	}
	var key string
	_ = json.Unmarshal(quoted, &key) // it was valid
	return key
}

// Unused is a member that is known and says nothing here. It may be of any type.
type Unused struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*Unused) UnmarshalJSON([]byte) error { return nil }

var (
	rawType    = reflect.TypeFor[json.RawMessage]()
	unusedType = reflect.TypeFor[Unused]()

	knownFields sync.Map // of map[string]reflect.Type by reflect.Type
)

// fieldsOf are the types of a struct's fields by their JSON names, those of embedded structs
// included.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if known, ok := knownFields.Load(t); ok {
		return known.(map[string]reflect.Type)
	}
	all := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for name, inner := range fieldsOf(f.Type) {
				all[name] = inner
			}
			continue
		}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			all[name] = f.Type
		}
	}
	knownFields.Store(t, all)
	return all
}
