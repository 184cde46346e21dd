package parse

import (
	"tenon/tools/scan"
)

// Cline, Roo and their kind have models write a call as an element with the tool's name, and each argument as one inside of it:
//
//	<read_file>
//	<path>src/main.go</path>
//	</read_file>
//
// In every family this is a call where the element is whole and has the name of a declared tool, and what it holds are arguments of that.

// elementHead is how such a call begins.
var elementHead = callHead{Prefixes: []string{"<"}, Marks: []string{">"}, bare: true, element: true}

// torn tells whether the region is an element that is not whole.
func (r *region) torn() bool {
	s, ok := r.scan.(*scan.TaggedScanner)
	return ok && s.Named != "" && !r.stands()
}
