package peek

// Examined is told how many bytes are looked at, where a test counts them: what a parser costs must grow with the text and no faster, and
// a clock cannot tell that on a machine that does other work. It is nil but in such a test, during which nothing else parses.
var Examined func(bytes int)

// Examine tells of bytes that are looked at.
func Examine(bytes int) {
	if Examined != nil {
		Examined(bytes)
	}
}
