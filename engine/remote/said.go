package remote

import (
	"fmt"
	"slices"
	"strings"
)

// said is what has come of an answer. Streams repeat themselves: by design, or where something on
// their way sends the whole once more.
type said struct {
	text   string
	ids    []int32
	pieces int
}

// A last piece that repeats all pieces before it, and is as long as this, is the whole once more.
const (
	repeatedBytes = 8
	repeatedIDs   = 4
)

func (s *said) wholeText(text string) bool {
	return s.pieces > 1 && len(text) >= repeatedBytes && text == s.text
}

func (s *said) wholeIDs(ids []int32) bool {
	return s.pieces > 1 && len(ids) >= repeatedIDs && slices.Equal(ids, s.ids)
}

// newIDs returns the ids of an event that were not seen before. total is the answer's length
// after it, in tokens; whole says that the event repeats the whole answer.
func (s *said) newIDs(ids []int32, total int) (fresh []int32, whole bool, err error) {
	n := len(s.ids)
	switch {
	case total == n && len(ids) < n: // the event has come before
	case len(ids) == total-n && n > 0: // the whole would have more
		fresh = ids
	case len(ids) >= n && slices.Equal(ids[:n], s.ids):
		fresh, whole = ids[n:], true
	default:
		return nil, false, fmt.Errorf("the answer's first %d tokens have changed, or it has lost some", n)
	}
	s.ids = append(s.ids, fresh...)
	return fresh, whole, nil
}

// newText is what has not come before.
func (s *said) newText(text string, whole bool) (string, error) {
	if whole {
		fresh, ok := strings.CutPrefix(text, s.text)
		if !ok {
			return "", fmt.Errorf("the answer %.40q has changed to %.40q", s.text, text)
		}
		text = fresh
	}
	s.text += text
	return text, nil
}
