package bind

// Evidence is what is known of a model's way of calling.
type Evidence struct {
	Template string // the chat template's source, "" if the model has none
	// Markers are the tokens of the vocabulary that text can only mean, not spell.
	Markers []string
	EOS     string // the vocabulary's end token, "" if it is not known
	Shown   Shown  // how the template renders canonical turns
	// Format overrides the template: a family's name, "json" or "react". "" and "auto" do not.
	Format string
}

// Shown is how a template renders canonical turns (package templates). Each text is what one turn adds to the prompt, "" where
// the template shows none.
type Shown struct {
	Generation string // the generation prompt
	TurnEnd    string // behind an assistant's text
	Answer     string // text alone
	Call       string // one call
	TwoCalls   string // two calls in one turn
	TextCall   string // text, then a call
	Thought    string // thinking, then a call
	NoArgument string // a call without arguments
	Typed      string // a call with a number, a bool, null, a list and an object
	Result     string // what a tool answered
}

// The words of the probe's canonical turns (package templates).
const (
	ProbeTool    = "zqtool"
	ProbeOther   = "zqother"
	ProbeText    = "zqtext"
	probeKey     = "zqkey"
	probeValue   = "zqvalue"
	probeThought = "zqthought"
	probeResult  = "zqresult"
)
