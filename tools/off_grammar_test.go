package tools

import (
	"strings"
	"testing"
)

// An engine that breaks its mask behind a call loses none of the text there, in any family, though
// the call would be none without the mask: it has been sent.
func TestOffGrammar_textBehindACallIsTold(t *testing.T) {
	for _, tr := range transcripts(t) {
		if !strings.HasSuffix(tr.path, "/text-then-call.txtar") && !strings.HasSuffix(tr.path, "/one-call.txtar") {
			continue
		}
		p := tr.plan(t)
		raw := asWritten(tr, p)
		m := compiled(t, p).Matcher(nil)
		if m.AcceptBytes([]byte(raw)) != nil || !m.Done() {
			continue
		}
		before := deref(play(p.Parser(), raw, 0, false).Content)
		for _, behind := range []string{"\nDone, with more text.", " Done.\nMore.", "Done."} {
			for _, size := range []int{0, 1, 5} {
				q := p.Parser()
				got := play(q, raw+behind, size, false)
				if want := before + behind; squeezed(strings.Join(strings.Fields(deref(got.Content)), "")) != strings.Join(strings.Fields(want), "") || len(got.Calls) != 1 {
					t.Errorf("%s: %q in pieces of %d gives %d calls and %q", p.core.Dialect.Key, raw+behind, size, len(got.Calls), deref(got.Content))
				}
			}
		}
	}
}
