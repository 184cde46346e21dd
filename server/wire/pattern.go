package wire

import (
	"errors"

	"tenon/grammar"
	"tenon/grammar/lex"
	"tenon/server/chat"
)

// CheckPattern refuses a custom tool's regular expression that is none. One that is valid and cannot be enforced is no mistake of
// the client's: package tools reports it, and the input may be any text.
func CheckPattern(field, pattern string) error {
	_, err := grammar.FromRegex(pattern)
	var wrong *lex.RegexError
	if errors.As(err, &wrong) && wrong.Kind == lex.Invalid {
		return chat.Invalidf(field, "is no pattern: %s", wrong.Why)
	}
	return nil
}
