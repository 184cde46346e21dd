package chat

import (
	"bytes"
	"crypto/sha256"
	"errors"

	"tenon/grammar"
	"tenon/grammar/schema"
	"tenon/tools"
	"tenon/tools/conform"
	"tenon/tools/memo"
)

// AnswerPlace is where a turn's [tools.Answer] stands in the client's request, and how exactly it
// is meant.
type AnswerPlace struct {
	Field string `json:"field"` // such as "response_format.json_schema.schema"
	// a keyword that the mask does not enforce is an error, as with tools
	Strict bool `json:"strict,omitempty"`
}

// answerVerdict is what package grammar says of an answer's schema.
type answerVerdict struct {
	issues []grammar.Issue
	wrong  string // why it cannot be served
}

// answerVerdicts are those that were pronounced before: a client sends the same few schemas again
// and again.
var answerVerdicts = memo.New[[sha256.Size]byte, answerVerdict](512, 8<<20)

// judgeAnswer refuses a constraint on the answer that cannot be read or met, and tells which of
// its keywords the mask does not enforce. Nobody validates an answer afterwards: what is enforced
// for a call by checking it has no effect here.
func judgeAnswer(a *tools.Answer, at AnswerPlace) ([]grammar.Issue, error) {
	switch {
	case a == nil:
	case a.Syntax == "gbnf":
		if _, err := grammar.Parse(a.Definition, grammar.Options{}); err != nil {
			return nil, &Error{Kind: Invalid, Field: at.Field, Message: err.Error(), Err: err}
		}
	case a.Syntax == "json_schema":
		return judgeSchema(a.Definition, at)
	}
	return nil, nil
}

func judgeSchema(definition string, at AnswerPlace) ([]grammar.Issue, error) {
	if why := conform.Unwieldy([]byte(definition)); why != "" {
		return nil, Invalidf(at.Field, "%s", why)
	}
	v, _ := answerVerdicts.Get(sha256.Sum256([]byte(definition)), len(definition), func() (answerVerdict, error) { return pronounceSchema(definition), nil })
	if v.wrong != "" {
		return nil, Invalidf(at.Field, "%s", v.wrong)
	}
	issues := make([]grammar.Issue, len(v.issues))
	for i, issue := range v.issues {
		if at.Strict && issue.Action != grammar.Enforced {
			return nil, Invalidf(at.Field, "strict: the keyword %s at %q cannot be enforced: %s", issue.Keyword, issue.Pointer, issue.Why)
		}
		if issue.Tool = at.Field; issue.Action == grammar.Checked {
			issue.Action = grammar.Dropped
		}
		issues[i] = issue
	}
	return issues, nil
}

func pronounceSchema(definition string) answerVerdict {
	if !bytes.HasPrefix(bytes.TrimSpace([]byte(definition)), []byte("{")) {
		return answerVerdict{wrong: "a JSON Schema is an object"}
	}
	g, err := grammar.FromSchema([]byte(definition), grammar.SchemaOptions{Lenient: true})
	var unsat *schema.UnsatError
	switch {
	case errors.As(err, &unsat):
		return answerVerdict{wrong: unsat.Error()}
	case err != nil:
		return answerVerdict{wrong: err.Error()}
	}
	return answerVerdict{issues: g.Issues()}
}
