package wire

import (
	"errors"

	"tenon/grammar"
	"tenon/grammar/gbnf"
	"tenon/grammar/lex/ecma"
	"tenon/server/chat"
)

// checkFreeform refuses a custom tool whose definition, at field, is none of its syntax. One that
// is valid and cannot be enforced is no mistake of the client's: package tools reports it, and the
// input may be any text.
func checkFreeform(field string, g Grammar) error {
	switch g.Syntax {
	case "regex":
		_, err := grammar.FromRegex(g.Definition)
		var wrong *ecma.Error
		if errors.As(err, &wrong) && wrong.Kind == ecma.Invalid {
			return chat.Invalidf(field, "is no pattern: %s", wrong.Why)
		}
	case "lark":
		_, err := gbnf.ReadLark(g.Definition)
		var wrong *gbnf.SyntaxError
		if errors.As(err, &wrong) {
			return chat.Invalidf(field, "is no Lark grammar: %v", wrong)
		}
	}
	return nil
}
