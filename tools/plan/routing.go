package plan

// Routed tells whether the turn begins with a routing thought. A family whose prompts end with the mark that a name follows
// (Functionary v3.2) has no place for one: anything else there would be the name of a tool, or text for the user.
func (p *Plan) Routed() bool {
	t := p.Turn
	return t.Thinking.Routing && !t.Thinking.Open && t.Answer == nil && p.Callable && p.Dialect.Lead == ""
}

// RoutedLine tells whether the routing thought is a line of its own at the start of the turn.
func (p *Plan) RoutedLine() bool {
	return p.Routed() && p.Dialect.Headers == nil && len(p.Dialect.Labels) == 0
}
