package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// placeAt is the path of the value that ends at an offset of valid JSON, such as
// tools[3].function.name: encoding/json names fields in its errors, but not which element of an
// array they are in.
func placeAt(raw []byte, offset int64) string {
	w := walk{decoder: json.NewDecoder(bytes.NewReader(raw)), offset: offset}
	w.decoder.UseNumber() // a number that no float64 holds is to be walked over too
	w.value()
	return strings.TrimPrefix(strings.Join(w.path, ""), ".")
}

// walk reads JSON until it has passed the offset. It stops there, with the path that it has come
// to, or at an error.
type walk struct {
	decoder *json.Decoder
	offset  int64
	path    []string
}

// value reads a value and returns whether the offset lies in it.
func (w *walk) value() (found bool) {
	t, err := w.decoder.Token()
	if err != nil || w.decoder.InputOffset() >= w.offset {
		return true
	}
	switch t {
	case json.Delim('['):
		for i := 0; w.decoder.More(); i++ {
			if w.member("[" + strconv.Itoa(i) + "]") {
				return true
			}
		}
	case json.Delim('{'):
		for w.decoder.More() {
			key, err := w.decoder.Token()
			name, _ := key.(string)
			if err != nil || w.member("."+name) {
				return true
			}
		}
	default:
		return false
	}
	_, err = w.decoder.Token() // the closing bracket
	return err != nil || w.decoder.InputOffset() >= w.offset
}

func (w *walk) member(step string) (found bool) {
	w.path = append(w.path, step)
	if w.value() {
		return true
	}
	w.path = w.path[:len(w.path)-1]
	return false
}
