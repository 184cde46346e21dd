package chat

// joined has the pieces of an answer that is streamed leave when they have [Service.MinDelta]
// bytes: fewer events for clients that draw each, or pay for each on the way.
func (s *Service) joined(r Request, out Sink) Sink {
	if s.MinDelta <= 0 || r.Whole {
		return out
	}
	var kept Event // a piece that has not left; none while its text is empty
	leave := func() error {
		e := kept
		kept = Event{}
		if e.Text == "" {
			return nil
		}
		return out(e)
	}
	return func(e Event) error {
		if e.Text == "" || kept.Text != "" && !sameStream(kept, e) {
			if err := leave(); err != nil {
				return err
			}
		}
		if e.Text == "" {
			return out(e)
		}
		e.Text, e.Count = kept.Text+e.Text, kept.Count+e.Count
		e.Tokens = append(kept.Tokens[:len(kept.Tokens):len(kept.Tokens)], e.Tokens...)
		if kept = e; len(e.Text) < s.MinDelta {
			return nil
		}
		return leave()
	}
}

// sameStream tells whether two pieces follow each other in one text.
func sameStream(a, b Event) bool {
	return a.Kind == b.Kind && a.Choice == b.Choice && a.Call.Index == b.Call.Index
}
