package emit

// The captures of a turn's grammar: what output writes, parse.Constrained reads.
const (
	CaptureThinking = "thinking"
	CaptureContent  = "content"
	CaptureMark     = "mark" // of visible text: white space beside it is layout
	CaptureStop     = "stop" // a stop string that ends visible text
	CaptureCall     = "call" // all of a call
	CaptureName     = "name" // of a tool; the call begins behind it
	CaptureArgs     = "args" // arguments that are one JSON object
	// arguments that have places of their own; text that is in none of the next is layout
	CaptureMembers = "members"
	// one argument; member-K is that of the tool's K-th property, without a number its key is
	// in it
	CaptureMember = "member"
	CaptureKey    = "key"  // a key as plain text
	CaptureText   = "text" // a string as plain text
	CaptureJSON   = "json" // a value, or a part of one, as JSON
	CaptureTrue   = "true" // a word for the value
	CaptureFalse  = "false"
	CaptureNull   = "null"
	CaptureField  = "field"  // a value as text that the schema has to read
	CaptureTree   = "tree"   // a value as elements
	CaptureInput  = "input"  // the text of a free-form tool
	CaptureQuoted = "quoted" // the same, as it stands inside a JSON string
)
