// Package canonical holds the turns that a chat template is tried out with: package templates
// renders them, package tools reads the model's way of calling off the renderings.
package canonical

// What the turns say. No template has these words itself.
const (
	Tool    = "zqtool" // the tool that is called
	Other   = "zqother"
	Key     = "zqkey" // its argument
	Value   = "zqvalue"
	Text    = "zqtext"
	Thought = "zqthought"
	Result  = "zqresult"
)

// Turns are the canonical turns as a template renders them. Each text is what one turn adds to the
// prompt, "" where the template shows none.
type Turns struct {
	Generation string // the generation prompt
	TurnEnd    string // closes an assistant's turn
	Answer     string // [Text] alone
	Call       string // one call: [Key] with the string [Value]
	TwoCalls   string // calls of both tools in one turn
	TextCall   string // [Text], then one call
	Thought    string // thinking [Thought], then one call
	NoArgument string // a call without arguments
	// a call with a number, a bool, null, a list and an object: n, b, z, l, o
	Typed  string
	Result string // the result [Result] of one call, up to the next turn
}
