// Package retry finds what is wrong with a call whose arguments do not validate, and writes the
// grammar under which it is written anew.
//
// Files: validation_fault.go ([CheckCall], [Refused]: what is wrong, and where in the output),
// retry_grammar.go ([Grammar]: the same turn, with a schema that the call does not fit).
package retry
