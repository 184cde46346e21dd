package grammar_test

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// compactJSON writes a JSON text without white space and with no escapes but the necessary.
// Numbers and the order of keys stay as they are.
func compactJSON(text []byte) []byte {
	var out bytes.Buffer
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case ' ', '\n', '\r', '\t':
			i++
		case '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
			writeString(&out, text[i:end])
			i = end
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.Bytes()
}

func writeString(out *bytes.Buffer, quoted []byte) {
	var s string
	if bytes.IndexByte(quoted, '\\') < 0 || json.Unmarshal(quoted, &s) != nil {
		out.Write(quoted)
		return
	}
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	out.WriteByte('"')
	for _, r := range s {
		switch e, ok := short[r]; {
		case ok:
			out.WriteString(e)
		case r < 0x20:
			fmt.Fprintf(out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
}
