package format

// Headers describes a family whose messages say in a header what they are: OpenAI's harmony and those like it.
type Headers struct {
	Open   []string // markers that open a header
	Close  string   // ends the header; the message's text follows
	Inside []string // further markers that stand in headers
	Starts []string // that a header may begin with, should its opening marker be missing
	// Thinking names the channels or recipients of thinking; a call is a message to anyone but these and the user.
	Thinking []string
	Texts    []string
	Several  []string // recipients of messages that hold several calls
	Anyone   bool     // messages to anyone but the user are calls, in the family's own syntax
	// thought, text and call are how the family writes the headers; call has %s for the name.
	Thought, Text, Call string
	Preamble            string // the header of text before a call
	Between             string // ends a message and begins the next one's header
}
