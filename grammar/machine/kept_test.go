package machine

import "testing"

// TestMasks_countWhatIsKeptAcrossForgetting: slices that are asked for again and again count,
// however often others are forgotten; those that nobody asks for do not.
func TestMasks_countWhatIsKeptAcrossForgetting(t *testing.T) {
	for name, src := range map[string]string{
		"strings": `root ::= %json{"type":"string","pattern":"^([a-f]{2}-){4}[g-z]*$"}`,
		"names":   `root ::= %json{"properties":{"alpha":{},"beta":{},"gamma":{}},"additionalProperties":false}`,
		"texts":   `root ::= %until("end") "!"`,
	} {
		t.Run(name, func(t *testing.T) {
			k := &collector{Masks: NewMasks(compiled(t, src, false), wordVocab(t))}
			texts := []string{`"`, `"a`, `"ab`, `"ab-c`, `{"`, `{"al`, `{"b`, "e", "en"}
			ask := func() (asked int) {
				for _, text := range texts {
					if id, n := k.m.Walk(k.m.Start(), []byte(text)); n == len(text) {
						k.compute(id)
						asked++
					}
				}
				return asked
			}
			if ask() == 0 {
				t.Fatal("no text is read")
			}
			whole := k.kept
			for range 4 {
				k.forget()
				ask()
				if k.kept < whole*9/10 || k.kept > whole*11/10 {
					t.Fatalf("%d bytes are counted, %d before anything was forgotten", k.kept, whole)
				}
			}
			k.forget()
			if k.forget(); k.kept != 0 {
				t.Errorf("%d bytes are counted where nothing is kept", k.kept)
			}
		})
	}
}
