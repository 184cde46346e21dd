package tools

// examined is told how many bytes are looked at, where a test counts them: what a parser costs must grow with the text and no faster, and
// a clock cannot tell that on a machine that does other work. It is nil but in such a test, during which nothing else parses.
var examined func(bytes int)

// examine tells of bytes that are looked at.
func examine(bytes int) {
	if examined != nil {
		examined(bytes)
	}
}
