package parse

import (
	"sync"

	"tenon/tools/format"
	"tenon/tools/plan"
	"tenon/tools/scan"
)

// Reading is what the parser of text knows of a turn beside its plan: the beginnings of calls, and
// what reads them. It is immutable and may be shared.
type Reading struct {
	*plan.Plan
	readers       map[string][]scan.Reader // by opener: what may read its region
	unmarkedBytes [256]bool                // first bytes of unmarked starts
	labelWords    []string                 // of labels, without their colons
	thoughts      []format.Label           // labels of thoughts, of any family
	// unmarked starts whose first byte is common in text
	unmarkedWords []string

	foreign       bool // the turn of another family is read
	others        *OtherFamilies
	OtherMarkers  *format.MarkerSet // of other families that begin calls; nil: none
	otherReadings *sync.Map         // by dialect: how those are read

	otherLabels []format.Label // those that are labels

	Unopened        []unopenedCall
	unopenedBytes   [256]bool // first bytes of unopened calls
	LongestUnopened int       // bytes
}

// NewReading prepares a turn for the parser of text, which reads the calls of other families too.
func NewReading(p *plan.Plan, others *OtherFamilies) *Reading {
	r := ownReading(p)
	r.others = others
	r.findOtherMarkers()
	return r
}

// ownReading prepares a turn for calls of its own family alone.
func ownReading(p *plan.Plan) *Reading {
	r := &Reading{Plan: p}
	r.readers = map[string][]scan.Reader{"": scan.RegionReaders(p.Dialect, "")}
	for _, m := range p.Dialect.AllMarkers() {
		if m.Role == format.RoleCall {
			r.readers[m.Text] = scan.RegionReaders(p.Dialect, m.Text)
		}
	}
	r.findUnmarked()
	r.findUnopened()
	return r
}
