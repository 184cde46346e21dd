package sandbox

import (
	"strings"
	"testing"
)

func FuzzOutput(f *testing.F) {
	f.Add("abc", "def", 3, 3)
	f.Add("abc", "def", 0, 2)
	f.Fuzz(func(t *testing.T, a, b string, first, last int) {
		o := &Output{First: first & 15, Last: last & 15}
		for _, s := range []string{a, b, a} {
			if n, err := o.Write([]byte(s)); n != len(s) || err != nil {
				t.Fatal(n, err)
			}
		}
		whole := a + b + a
		kept, cut := o.Bytes()
		got := string(kept)
		if cut == 0 && got != whole || cut > 0 && (len(o.first)+len(o.last)+cut != len(whole) || !strings.HasPrefix(whole, string(o.first)) || !strings.HasSuffix(whole, string(o.last))) {
			t.Errorf("%q: %q, %d cut", whole, got, cut)
		}
		if len(o.first) > o.First || len(o.last) > o.Last {
			t.Errorf("%d and %d bytes are kept", len(o.first), len(o.last))
		}
	})
}
