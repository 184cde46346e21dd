package machine

import (
	"fmt"
	"strings"
	"testing"
)

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
			if n := len(k.strings.young) + len(k.names.young) + len(k.textSlices.young); n > 0 {
				t.Errorf("%d slices are kept that nobody has asked for", n)
			}
		})
	}
}

// TestMasks_forgetOnlyWhatOneMaskHasMadeLarge: a mask whose walks hold far more threads than
// others do leaves none of them behind. The states of walks before it stay, and all else that is
// known.
func TestMasks_forgetOnlyWhatOneMaskHasMadeLarge(t *testing.T) {
	defer func(n int) { maxWalkThreads = n }(maxWalkThreads)
	var many []string
	for i := range 60 {
		many = append(many, fmt.Sprintf(`{"type":"array","uniqueItems":true,"items":{"type":"integer"},"maxItems":%d}`, i+10))
	}
	k := NewMasks(compiled(t, `root ::= "!" %json{"type":"string","pattern":"^[a-z]*$"} | "?" "x"+ | %json{"anyOf":[`+strings.Join(many, ",")+`]}`+tight, false), wordVocab(t))
	texts := []string{`!"x`, `!"xy`, "?", "?x"}
	for _, text := range texts {
		k.Mask(after(t, k.m, text), nil)
	}
	states, rest := len(k.idle.walk.spans), k.Size()-k.size-k.kept
	maxWalkThreads = k.idle.walk.threads.items - 1 // their half is full
	k.Mask(after(t, k.m, "["), nil)
	if n := k.Size() - k.size - k.kept; n > 2*rest {
		t.Errorf("%d bytes are left of a mask, %d of those before it", n, rest)
	}
	if n := max(len(k.idle.walk.spans), len(k.idle.walk.others.spans)); n != states {
		t.Errorf("%d states of walks are left of %d", n, states)
	}
	misses := k.Stats.Misses
	for _, text := range texts {
		k.Mask(after(t, k.m, text), nil)
	}
	if k.Stats.Misses > misses || len(k.strings.young) == 0 {
		t.Error("masks are forgotten, or what is known of strings")
	}
}

// TestMasks_forgetWithinAMask: while one mask is computed, what is kept of states stays within its
// bound.
func TestMasks_forgetWithinAMask(t *testing.T) {
	src, v := `root ::= "x"`, wordVocab(t)
	for i := range 60 {
		src += fmt.Sprintf(` | %%json{"type":"string","pattern":"^%c[a-%c]*$"}`, 'a'+i%20, 'b'+i/20)
	}
	large, small := NewMasks(compiled(t, src, false), v), NewMasks(compiled(t, src, false), v)
	large.Mask(after(t, large.m, `"`), nil)
	small.keep = large.kept / 8
	small.Mask(after(t, small.m, `"`), nil)
	if small.kept > 2*small.keep {
		t.Errorf("%d bytes are kept, which may be %d", small.kept, small.keep)
	}
}
