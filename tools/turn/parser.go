package turn

// Parser turns a turn's output into events. It is total: every sequence of bytes gives a valid turn, and how the output is
// cut into pieces changes nothing but how the same texts are cut into events.
type Parser interface {
	// Token takes the next token: its bytes, and whether it is a control or marker token rather than text. The events are
	// valid until the next call.
	Token(text []byte, isSymbol bool) []Event
	// Close ends the turn and returns the last events. truncated says that the model was cut off.
	Close(truncated bool) []Event
	// Room tells how many bytes the output may have behind the next token, one token a byte. Where it is told before each
	// token, no call is begun whose shortest end does not fit.
	Room(bytes int)
	// InCall says whether a call may have begun that has not ended.
	InCall() bool
	// Broken says that the output left its grammar inside a call of which a part had been sent: an engine that promised to follow the
	// grammar did not. The call can be neither taken back nor ended, and nothing follows it. Parsers of text never say so.
	Broken() bool
	// Repairs lists what was mended in the calls that were emitted.
	Repairs() []Repair
	// Notes lists what was left out or was no call, and why.
	Notes() []Note
}
