package grammar

import "testing"

// FuzzMatcher_tokenStreams picks tokens from masks by the fuzzer's bytes: what a mask allows is
// accepted, a walk never sticks, and rolling back and going forward again leads to the same state.
func FuzzMatcher_tokenStreams(f *testing.F) {
	for i := range walkSchemas {
		f.Add(uint8(i), []byte("\x00\x01\x02a{\xff\x10\x80 some bytes"))
	}
	v := walkVocab(f)
	f.Fuzz(func(t *testing.T, which uint8, picks []byte) {
		g := mustSchema(t, walkSchemas[int(which)%len(walkSchemas)], SchemaOptions{Space: BoundedSpace, Numbers: CanonicalNumbers})
		m := g.Matcher(v)
		for _, p := range picks {
			mask := m.Mask()
			if mask.Len() == 0 {
				t.Fatal("nothing is allowed")
			}
			token := pick(mask, v, int(p)*mask.Len()/256)
			if !m.Allowed(token) {
				t.Fatalf("token %d is in the mask and not allowed", token)
			}
			if v.IsEOG(token) {
				if !m.Done() {
					t.Fatal("the end is allowed before it is reached")
				}
				return
			}
			if err := m.Accept(token); err != nil {
				t.Fatal(err)
			}
			state := m.state
			m.Rollback(1)
			if err := m.Accept(token); err != nil || m.state != state {
				t.Fatalf("going back and forth: %v", err)
			}
		}
	})
}

// pick is the n-th token of a mask.
func pick(mask Mask, v *Vocab, n int) int32 {
	for id := range int32(v.Len()) {
		if mask.Allows(id) {
			if n == 0 {
				return id
			}
			n--
		}
	}
	return -1
}
