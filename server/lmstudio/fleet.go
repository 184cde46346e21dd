package lmstudio

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"tenon/engine"
	"tenon/server/chat"
)

// Service runs turns. *chat.Service implements it.
type Service interface {
	Run(ctx context.Context, r chat.Request, sink chat.Sink) error
	Count(ctx context.Context, r chat.Request) (chat.Tokens, error)
	Render(ctx context.Context, r chat.Request) (string, error)
	Tokenize(ctx context.Context, model, text string, special, bos bool) ([]int32, error)
	Embed(ctx context.Context, model string, prompts []engine.Prompt) ([]engine.Embedding, error)
}

// Fleet is the models at hand and the instances of them that are loaded. Its methods may be called from any goroutine.
// Errors are *chat.Error: NotFound for a name that means nothing, Invalid for settings that cannot be met.
type Fleet interface {
	// Models lists every model at hand, loaded or not.
	Models() []Model
	// Instances lists what is loaded, the oldest first.
	Instances() []Instance
	// Load loads an instance and returns once it answers. Cancelling ctx ends the wait.
	Load(ctx context.Context, l Load) (Instance, error)
	// Unload ends an instance; its predictions end with engine.ErrClosed. It returns once its memory is free.
	Unload(ctx context.Context, id string) error
}

// Hub finds and fetches models. Errors are *chat.Error.
type Hub interface {
	Search(ctx context.Context, term string, limit int) ([]Found, error)
	// Files lists what can be downloaded of a model that Search found.
	Files(ctx context.Context, model string) ([]File, error)
	// Download fetches a file, tells how far it is, and returns the key of the model.
	Download(ctx context.Context, file string, progress func(Fetched)) (key string, err error)
}

// Model is a model at hand.
type Model struct {
	Key          string // what clients call it
	Name         string // for people; "" is the key
	File         string // such as "publisher/repository/file.gguf"; "" is the key
	Architecture string
	Quantization string // such as "Q4_K_M"; "" if the file does not say
	Parameters   string // such as "270M"; "" if not known
	Size         int64  // bytes
	MaxContext   int    // tokens it was trained for
	Embedding    bool   // it embeds and does not chat
	Tools        bool   // its chat template shows tools and calls
	Thinks       bool   // its chat template knows thinking
}

// Publisher is who published the model, as far as its file's place tells.
func (m Model) Publisher() string {
	if publisher, _, ok := strings.Cut(m.Path(), "/"); ok {
		return publisher
	}
	return "local"
}

// Path is where LM Studio would keep the file, below its models folder.
func (m Model) Path() string {
	if m.File == "" {
		return m.Key
	}
	return m.File
}

// DisplayName is the model's name for people.
func (m Model) DisplayName() string {
	if m.Name == "" {
		return m.Key
	}
	return m.Name
}

// Instance is a loaded model.
type Instance struct {
	Model
	ID        string // what clients call it
	Reference string // another one for each load
	Context   int    // tokens that one request may use
	TTL       time.Duration
	LastUsed  time.Time // zero: not yet
	Settings  Settings  // what it was loaded with
	Defaults  engine.Sampling
	BOS, EOS  string
	Running   int // predictions that run or wait
}

// Settings are how a model is to be loaded; the zero value of each leaves it to the server.
type Settings struct {
	Context        int      // tokens
	Parallel       int      // turns that run at once
	Batch          int      // tokens of a prompt that are evaluated together
	FlashAttention *bool    //
	OffloadCache   *bool    // the KV cache is in the GPU's memory
	GPU            *float64 // share of the layers in the GPU's memory, 0 to 1
	CacheK, CacheV string   // type of the KV cache, such as "q8_0"
}

// Load is a wish for an instance.
type Load struct {
	Key      string // of the model
	ID       string // what the instance is to be called; "": its key, numbered if that is taken
	TTL      time.Duration
	OnDemand bool // a request asked for the model: it may make room for another
	Settings Settings
	Progress func(share float64) // from 0 to 1; nil: nobody asks. Called from one goroutine
}

// Found is a model that a search found.
type Found struct {
	ID, Name string
	Exact    bool
}

// File is one of a model's files that can be downloaded.
type File struct {
	ID, Name, Quantization string
	Size                   int64
	Fits                   bool // into this machine's memory
	Recommended            bool
}

// Fetched is how far a download is.
type Fetched struct {
	Bytes, Total int64
	PerSecond    float64
}

// FindModel returns the model that a name means: a key, a path or a file's name, in any case.
func FindModel(f Fleet, name string) (Model, bool) {
	all := f.Models()
	i := slices.IndexFunc(all, func(m Model) bool { return m.is(name) })
	if i < 0 {
		return Model{}, false
	}
	return all[i], true
}

func (m Model) is(name string) bool {
	name = strings.TrimSuffix(name, "@"+strings.ToLower(m.Quantization))
	return strings.EqualFold(m.Key, name) || strings.EqualFold(m.Path(), name) || strings.EqualFold(path.Dir(m.Path()), name)
}

// FindInstance returns the instance that a name means: an instance's own, or that of its model.
func FindInstance(f Fleet, name string) (Instance, bool) {
	all := f.Instances()
	for _, means := range []func(Instance) bool{
		func(i Instance) bool { return strings.EqualFold(i.ID, name) },
		func(i Instance) bool { return i.is(name) },
	} {
		if i := slices.IndexFunc(all, means); i >= 0 {
			return all[i], true
		}
	}
	return Instance{}, false
}

// UnknownModel is the error for a name that no model at hand has.
func UnknownModel(f Fleet, name string) *chat.Error {
	var known []string
	for _, m := range f.Models() {
		known = append(known, m.Key)
	}
	return chat.UnknownModel(name, known)
}

// UnknownInstance is the error for a name that no loaded instance has.
func UnknownInstance(f Fleet, name string) *chat.Error {
	var known []string
	for _, i := range f.Instances() {
		known = append(known, i.ID)
	}
	return &chat.Error{Kind: chat.NotFound, Field: "instance_id",
		Message: fmt.Sprintf("no loaded model is called %q; loaded: %s", name, strings.Join(known, ", "))}
}
