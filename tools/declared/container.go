package declared

// Container is what an object or a list holds that a family writes in its own way (Gemma's dictionaries, MiniMax's elements), where
// the mask follows the schema into it.
type Container struct {
	Members     []Property // of an object
	Rest        *Property  // of an object: what members hold whose names the schema does not say
	Item        *Property  // of a list
	Least, Most int        // items of a list; most < 0: any number
	Either      []Property // it is one of these, no two of which begin alike
	Shared      bool       // references lead to it, from inside of itself perhaps
}

// Followed tells whether the mask follows the whole schema into a property that is written as a dictionary.
func (p Property) Followed() bool {
	return p.Kind == KindText || p.Kind == KindScalar || p.Inside != nil && !p.loose
}

// FollowedElements tells the same of one that is written as elements, where text may look like any other value.
func (p Property) FollowedElements() bool {
	return p.Followed() && !p.mixed
}

// Alike tells whether the elements of several kinds that this may be can begin alike.
func (c *Container) Alike() bool {
	containers := 0
	for _, q := range c.Either {
		if q.Kind == KindText || q.Inside != nil && q.Inside.Rest != nil {
			return true
		}
		if q.Inside != nil {
			containers++
		}
	}
	return containers > 1
}
