package machine

import "tenon/grammar/schema"

// rare is a set of rules that few schemas need, each of which has code of its own. Only tests
// leave one out (ablation_test.go), to show what it defends.
type rare uint16

const (
	rareUsedUp      rare = 1 << iota // values that are used up where elements must differ
	rareNumbers                      // numbers among those
	rareObjects                      // objects among those
	rareCanonical                    // elements differ as values, not as texts
	rareKeysApart                    // an unnamed key does not come twice
	rareEscapeFits                   // which escapes still fit under a bound on the length
	rareNameEscapes                  // names with escapes
	rareUnnamedEnds                  // the shortest keys that are not named
)

// ablation is what a test leaves out: nothing in a program.
var ablation struct {
	rules rare
	alts  func([]*schema.Alt) []*schema.Alt // what remains of the alternatives of a value
}

func (r rare) off() bool { return ablation.rules&r != 0 }
