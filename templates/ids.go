package templates

import (
	"crypto/sha256"
	"strings"
)

// IDFormat is what a template demands of the ids of calls.
type IDFormat string

const (
	// the prompt shows no ids
	IDUnused IDFormat = "unused"
	// ids are shown as they are
	IDAny IDFormat = "any"
	// nine letters and digits, else the template raises
	IDAlnum9 IDFormat = "alnum9"
	// the id carries the call's name and its number in the conversation
	IDNamed IDFormat = "functions.name:n"
	// the template makes such ids itself, and results must name them
	IDNamedTurn IDFormat = "functions.name:n of the turn"
)

// alphabet of the ids that alnum9 makes.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// alnum9 is an id of nine letters and digits: id itself if it is one, else a hash of it, so that a
// call keeps its id while the conversation grows.
func alnum9(id string) string {
	if len(id) == 9 && strings.Trim(id, alphabet) == "" {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	out := make([]byte, 9)
	for i := range out {
		out[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return string(out)
}
