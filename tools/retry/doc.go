// Package retry finds what is wrong with a call whose arguments do not validate, and writes the
// grammar under which it is written anew.
package retry
