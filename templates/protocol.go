package templates

// Protocol is how a prompt tells the model to write calls.
type Protocol string

const (
	// Auto is Native where the template shows declared tools, else JSON.
	Auto Protocol = ""
	// Native is the way the template was written for.
	Native Protocol = "native"
	// JSON is ours: a turn ends with one object {"tool": NAME, "arguments": {…}} per call.
	JSON Protocol = "json"
	// ReAct is ours: lines labelled Thought, Action, Action Input; the result comes back as
	// Observation.
	ReAct Protocol = "react"
	// XML is the form that came before JSON: objects between <tool_call> tags. It goes on
	// working for those who ask for it.
	XML Protocol = "xml"
)
