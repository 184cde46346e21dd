package templates

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Edit mends a template that is known to be broken as its vendor published it. It is applied to
// exactly that text.
type Edit struct {
	Name, About string
	hash        string // SHA-256 of the template
	patches     []patch
}

// patch replaces a piece of text that occurs once.
type patch struct{ old, new string }

// Edits lists what is mended.
func Edits() []Edit { return append([]Edit(nil), edits...) }

var edits = []Edit{
	{
		Name:  "kimi-k2-queue",
		About: "the queue of call ids was changed in place, which the sandbox that templates run in forbids: any call raised",
		hash:  "1d396d5b128cdb9b2a4ef73434fa08d31c75604a11daa77bcb4b622d32dddd41",
		patches: []patch{
			{"set _ = tool_response_queue.ids.append(formatted_id)", "set tool_response_queue.ids = tool_response_queue.ids + [formatted_id]"},
			{"set tool_call_id = tool_response_queue.ids.pop(0)", "set tool_call_id = tool_response_queue.ids[0] -%}{%- set tool_response_queue.ids = tool_response_queue.ids[1:]"},
		},
	},
	{
		Name:    "kimi-k2-line-break",
		About:   "a result's heading ended in a backslash and an n instead of a line break",
		hash:    "9fcc72b7c248a72020c81f70bb652f3094d18a750c93ca35dfcb3cf5fe23ff53",
		patches: []patch{{"}}\\n{{", "}}\n{{"}},
	},
}

// mend returns the template with the edit applied that is made for it, and the edit's name; "" if
// none is.
func mend(source string) (string, string) {
	sum := sha256.Sum256([]byte(source))
	hash := hex.EncodeToString(sum[:])
	for _, e := range edits {
		if e.hash != hash {
			continue
		}
		for _, p := range e.patches {
			source = strings.Replace(source, p.old, p.new, 1)
		}
		return source, e.Name
	}
	return source, ""
}
