package plan

import (
	"tenon/tools/declared"
	"tenon/tools/format"
)

// exact tells whether the grammar of a tool's calls enforces the tool's whole schema.
func exact(s format.Syntax, t *declared.Tool) bool {
	switch s := s.(type) {
	case format.Named:
		if s.BareKeys {
			return t.EnforcedMembers(declared.Property.Followed)
		}
	case format.Tagged, format.Python:
		return t.EnforcedMembers(func(declared.Property) bool { return true })
	case format.Nested:
		return t.EnforcedMembers(declared.Property.FollowedElements)
	}
	return t.Enforced()
}
