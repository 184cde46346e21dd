package declared

import (
	"slices"
)

// RawCall is a call as a model wrote it.
type RawCall struct {
	Name    string
	Id      string
	Args    []byte  // JSON or what was meant as such; nil where fields holds them
	Fields  []Field // arguments in tags, in the order written
	Repairs []string
	Source  []byte   // its text, should it prove to be none
	Untyped bool     // args holds strings where the format has only text
	Beside  []string // keys of the call's object that no call has; what they hold is left out
	Err     error    // why it cannot be one
}

// Field is an argument whose value stands between tags.
type Field struct {
	Key   string
	Value string
	Kind  fieldKind
}

// fieldKind says how the value of a field is to be read.
type fieldKind uint8

const (
	BySchema fieldKind = iota // text where the schema allows a string, else JSON
	AsText
	AsJSON
)

// Without leaves out the repairs that are how a family writes.
func Without(repairs []string, native ...string) []string {
	return slices.DeleteFunc(repairs, func(r string) bool { return slices.Contains(native, r) })
}
