package conform

import "fmt"

// Limits of a schema. The time to compile one grows with the cube of its nesting; templates, as
// Python, read no longer integers than of 4,300 digits, and no value needs as many.
const (
	maxNesting = 256  // brackets inside of each other
	maxDigits  = 1000 // of a number
)

// Unwieldy says why a JSON text is not to be read as a schema, or nothing.
func Unwieldy(text []byte) string {
	depth, digits, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if quoted || c < '0' || c > '9' {
			digits = 0
		} else if digits++; digits > maxDigits {
			return fmt.Sprintf("holds a number of more than %d digits", maxDigits)
		}
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return fmt.Sprintf("is nested more than %d deep", maxNesting)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return ""
}
