package scan

import (
	"slices"

	"tenon/tools/format"
)

// RegionCodecs are the codecs that may read what follows an opener.
func RegionCodecs(d *format.Dialect, opener string) []Codec {
	all := slices.Clone(d.Codecs)
	for i, c := range all {
		if t, ok := c.(format.Tagged); ok {
			all[i] = t.Spelt(opener)
		}
	}
	opener, spelt := d.Written(opener), opener
	for _, c := range all {
		if slices.Contains(c.Openers(), spelt) && opener != d.Section.Open && opener != d.Call.Open {
			return []Codec{CodecOf(c)}
		}
	}
	if !slices.ContainsFunc(all, func(c format.Syntax) bool { _, ok := c.(format.JSON); return ok }) {
		all = append(all, format.JSON{})
	}
	var codecs []Codec
	for _, c := range all {
		codecs = append(codecs, CodecOf(c))
	}
	if opener != d.Call.Open && opener != d.Section.Open && !slices.Contains(d.Opens, opener) {
		return codecs
	}
	codecs = append([]Codec{Foreign{PythonicCodec{}}}, codecs...)
	for _, s := range []format.Syntax{format.FunctionTags, format.InvokeTags, format.PairTags, format.Labelled, format.Named{}} {
		codecs = append(codecs, Foreign{CodecOf(s)})
	}
	return codecs
}
