package parse

// Agents such as Cline and Roo have models write a call as an XML element with the tool's name,
// and each argument as an element inside of it:
//
//	<read_file>
//	<path>src/main.go</path>
//	</read_file>
//
// In every family this is a call if the element is complete, has the name of a declared tool, and
// holds arguments of that tool.

// toolNameTag is how such a call begins.
var toolNameTag = unopenedCall{Prefixes: []string{"<"}, Marks: []string{">"}, bare: true, tag: true}

// brokenElement tells whether the region is an element that is not complete.
func (r *region) brokenElement() bool {
	s, ok := r.scan.(interface{ BrokenElement() bool })
	return ok && s.BrokenElement()
}
