package templates

// Kind says who wrote a segment and what it can mean.
type Kind uint8

const (
	Text Kind = iota // written by the template
	// one control or added token that the template writes, named by its spelling
	Marker
	Content // written by the conversation: plain text, whatever it spells
)

// Field says which part of a conversation content came from.
type Field uint8

const (
	FieldText      Field = iota // a message's content
	FieldReasoning              // an assistant's thinking
	FieldCall                   // an assistant's calls: names, ids, arguments
	// what else a message holds: its author's name, a result's call id
	FieldOther
	FieldTool // a declared tool
	FieldArg  // the client's template arguments
)

// Segment is a piece of a rendered prompt.
type Segment struct {
	Text string
	Kind Kind
	// Of content: which message wrote it and with what. For FieldTool Message is the tool's
	// index, for FieldArg it is 0.
	Message int
	Field   Field
}

// Rendering is a prompt before it is tokenized.
type Rendering struct {
	Segments []Segment
	Heals    []Heal
	// Protocol is how the prompt tells the model to write calls; never Auto.
	Protocol Protocol
	// Thinking says that the prompt ends inside the model's thinking: the template wrote the
	// opening marker.
	Thinking bool
	// Stops end the model's turn where no marker does: "\nUser:" in a prompt without a
	// template.
	Stops []string
}

// String is the prompt as text.
func (r Rendering) String() string {
	var n int
	for _, s := range r.Segments {
		n += len(s.Text)
	}
	b := make([]byte, 0, n)
	for _, s := range r.Segments {
		b = append(b, s.Text...)
	}
	return string(b)
}

// Slice returns the prompt's segments from byte from to byte to, the first and the last cut where
// need be.
func (r Rendering) Slice(from, to int) []Segment {
	var out []Segment
	at := 0
	for _, s := range r.Segments {
		i, j := max(from-at, 0), min(to-at, len(s.Text))
		at += len(s.Text)
		if i < j {
			if i > 0 || j < len(s.Text) {
				s.Text = s.Text[i:j]
				if s.Kind == Marker { // half a marker is none
					s.Kind = Text
				}
			}
			out = append(out, s)
		}
	}
	return out
}

// Heal is a change that made a conversation fit its template.
type Heal struct {
	// the rule's name, such as "merge-system"
	Rule string `json:"rule"`
	// index in the client's messages; -1: the conversation
	Message int `json:"message"`
	// what stood there before, as far as a reader needs it
	Detail string `json:"detail,omitempty"`
}

// Renderer writes a conversation as a prompt. Its methods may be called from any goroutine.
type Renderer interface {
	// Render refuses no conversation of well-typed messages; an error is a fault of the
	// renderer itself, or the conversation's Stop's.
	Render(Conversation) (Rendering, error)
}

func (k Kind) String() string { return [...]string{"text", "marker", "content"}[k] }

func (f Field) String() string {
	return [...]string{"text", "reasoning", "call", "other", "tool", "argument"}[f]
}
