package wire

import (
	"errors"

	"tenon/grammar"
	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/server/chat"
	"tenon/tools"
)

// CheckFreeform refuses a custom tool whose regular expression or Lark grammar, at field, is none. One that is valid and cannot be enforced
// is no mistake of the client's: package tools reports it, and the input may be any text.
func CheckFreeform(field string, f *tools.Freeform) error {
	switch f.Syntax {
	case "regex":
		_, err := grammar.FromRegex(f.Definition)
		var wrong *lex.RegexError
		if errors.As(err, &wrong) && wrong.Kind == lex.Invalid {
			return chat.Invalidf(field, "is no pattern: %s", wrong.Why)
		}
	case "lark":
		_, err := gbnf.ReadLark(f.Definition)
		var wrong *gbnf.SyntaxError
		if errors.As(err, &wrong) {
			return chat.Invalidf(field, "is no Lark grammar: %v", wrong)
		}
	}
	return nil
}
