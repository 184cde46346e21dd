package engine

// Model describes a loaded model.
type Model struct {
	Architecture string
	Description  string // as the engine names it, such as "gemma3 270M Q4_K - Medium"
	Parameters   int64
	Size         int64 // of the weights, in bytes
	// bytes of a GPU's own memory that loading it took; 0: none, or not known
	VRAM           int64
	ContextTrained int    // tokens
	Context        int    // tokens one turn may use, prompt and answer
	Slots          int    // turns that run at once
	Template       string // the file's chat template, "" if it has none
	Vocab          Vocab
	Rewind         Rewind
	Can            Can
	Defaults       Sampling          // from the file's general.sampling.*
	Metadata       map[string]string // the file's scalar keys as text
}

// Vocab is what is known of a model's vocabulary outside the engine.
type Vocab struct {
	Size    int
	BOS     string // "" if there is none
	EOS     string
	AddBOS  bool // the model was trained with BOS before every prompt
	Markers []Marker
}

// Marker is a token that text can only mean, not spell: a control token, or an added token that
// templates write.
type Marker struct {
	ID      int32
	Text    string
	Control bool // false: a user-defined token, which plain text spells the same way
	End     bool // ends a generation (the EOG set)
}

// Rewind says how far back a sequence can be cut without evaluating it again.
type Rewind uint8

const (
	RewindAny         Rewind = iota // full attention: to any token
	RewindWindow                    // sliding-window attention: within the window
	RewindCheckpoints               // recurrent and hybrid models: to a saved state only
)
