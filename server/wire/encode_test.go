package wire

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

// Readers of answers refuse long headers: Python's a line of 64 kB, Node's 16 kB of all together.
func TestSetIgnored_isShortAndSafeWhateverTheFieldsAreCalled(t *testing.T) {
	var many []string
	for i := range 3000 {
		many = append(many, fmt.Sprintf("messages[%04d].content[0] (thinking signed elsewhere)", i))
	}
	for _, fields := range [][]string{many, {strings.Repeat("x", 1<<20)}, {"a\r\nX-Evil: 1", "ключ", "\x00"}} {
		w := httptest.NewRecorder()
		SetIgnored(w, fields)
		got := w.Header().Get(Ignored)
		if len(got) > 2100 || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%d bytes: %.100q", len(got), got)
		}
	}
	w := httptest.NewRecorder()
	SetIgnored(w, many)
	if got := w.Header().Get(Ignored); !strings.HasSuffix(got, "... (2963 more)") {
		t.Errorf("%s", got[len(got)-80:])
	}
}
