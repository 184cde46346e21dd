package conform

// Loose tells that the validator cannot compile the schema, and any object is taken.
func (s *Schema) Loose() bool { return s.loose }
