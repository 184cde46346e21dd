package parse

import (
	"sync"

	"tenon/tools/format"
	"tenon/tools/plan"
	"tenon/tools/scan"
)

// Reading is what the parser of text knows of a turn beside its plan: what calls begin with, and what reads them. It is immutable and may
// be shared.
type Reading struct {
	*plan.Plan
	codecs   map[string][]scan.Codec // by opener: what may read its region
	inWraps  map[string]scan.Codec   // by the tag of a call that other tags may stand around: what reads it
	cueBytes [256]bool               // bytes that may start a cue
	cueWords []string                // cues that begin with other bytes than brackets and the like

	guest  bool // another family's turn is read
	others *Others
	Guests *format.MarkerSet // of other families that begin calls; nil: none
	hosts  *sync.Map         // by dialect: how those are read

	Heads       []callHead
	headBytes   [256]bool // bytes that may start a head
	LongestHead int       // bytes
}

// NewReading prepares a turn for the parser of text, which reads calls of others too.
func NewReading(p *plan.Plan, others *Others) *Reading {
	r := hostedReading(p)
	r.others = others
	r.inviteGuests()
	return r
}

// hostedReading knows no other families' calls.
func hostedReading(p *plan.Plan) *Reading {
	r := &Reading{Plan: p}
	r.codecs = map[string][]scan.Codec{"": scan.RegionCodecs(p.Dialect, "")}
	for _, m := range p.Dialect.AllMarkers() {
		if m.Role == format.RoleCall {
			r.codecs[m.Text] = scan.RegionCodecs(p.Dialect, m.Text)
		}
	}
	r.inWraps = map[string]scan.Codec{format.InvokeTags.Call.Open: scan.CodecOf(format.InvokeTags)}
	for _, c := range p.Dialect.Codecs {
		for _, t := range c.Openers() {
			r.inWraps[t] = scan.CodecOf(c)
		}
	}
	r.cueUp()
	r.behead()
	return r
}
