package lmstudio

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/models/store"
	"tenon/server/chat"
	"tenon/server/chat/loader"
)

// Service runs turns. *chat.Service implements it.
type Service interface {
	Run(ctx context.Context, r chat.Request, sink chat.Sink) error
	Render(ctx context.Context, r chat.Request) (string, error)
	Tokenize(ctx context.Context, model, text string, special, bos bool) ([]int32, error)
	Embed(ctx context.Context, model string, prompts []engine.Prompt) ([]engine.Embedding, error)
}

// Fleet loads models. *fleet.Fleet implements it.
type Fleet interface {
	Status() []fleet.Status
	Instances() []fleet.Instance
	Resolve(name string) (catalog.Entry, error)
	Load(ctx context.Context, r fleet.Request) (fleet.Instance, error)
	Unload(ctx context.Context, name string, force bool) error
	Forecast(name string, s fleet.Settings) (fleet.Forecast, error)

	// Search, Files and Pull ask the hub, and fetch from it.
	Search(ctx context.Context, words string, most int) ([]string, error)
	Files(ctx context.Context, repo string) ([]store.HubFile, error)
	Pull(ctx context.Context, source string, progress func(store.Progress)) (catalog.Entry, error)
}

// Models are a fleet's models as LM Studio's clients see them.
type Models struct {
	Fleet
	Traits func(catalog.Entry) loader.Traits // what a model's file says it can
	// the model of requests that name one there is not; "": none
	Default string
	// Choose refuses callers who may not have a model loaded otherwise than its settings say.
	// nil: all may.
	Choose func(ctx context.Context) error
}

// MayChoose refuses a load setting, which stands in a field, of who may not choose it.
func (m Models) MayChoose(ctx context.Context, field string) error {
	if field == "" || m.Choose == nil {
		return nil
	}
	err := m.Choose(ctx)
	if err != nil {
		err = &chat.Error{Kind: chat.AsError(err).Kind, Field: field, Message: chat.AsError(err).Message}
	}
	return err
}

// Model is a model at hand.
type Model struct {
	catalog.Entry
	loader.Traits
}

// repo is the repository that a model is from, as publisher/name. Where its place does not tell,
// "local" stands for the publisher.
func (m Model) repo() string { return cmp.Or(m.Repo, "local/"+m.ID) }

// Publisher is who published the model, as far as its place tells.
func (m Model) Publisher() string {
	publisher, _, _ := strings.Cut(m.repo(), "/")
	return publisher
}

// File is where LM Studio would keep the model's file, below its models folder.
func (m Model) File() string { return path.Join(m.repo(), filepath.Base(m.Path)) }

// Kind is "llm" or "embedding".
func (m Model) Kind() string {
	if m.Embeds {
		return "embedding"
	}
	return "llm"
}

// Bits is about how many bits a weight takes, as the quantization's name says: of Q4_K_M it is 4.
func (m Model) Bits() (n int, ok bool) {
	n, err := strconv.Atoi(digits.FindString(m.Quantization))
	return n, err == nil
}

var digits = regexp.MustCompile(`\d+`)

// Offload reads LM Studio's setting of the GPU: "max", "off" or a share of the layers. It returns
// the value of gpu-layers that means the same. field is where the setting stands.
func (m Model) Offload(field string, raw json.RawMessage) (string, error) {
	share, named := map[string]float64{`"off"`: 0, `"max"`: 1}[string(raw)]
	if !named && (json.Unmarshal(raw, &share) != nil || share < 0 || share > 1) {
		return "", chat.Invalidf(field, `expected "max", "off" or 0 to 1`)
	}
	if share == 1 || share > 0 && m.Layers == 0 {
		return "auto", nil
	}
	return strconv.Itoa(int(math.Round(share * float64(m.Layers)))), nil
}

// OnDemandTTL is how long LM Studio keeps a model that a request loaded, once it is idle.
const OnDemandTTL = time.Hour

// Instance is a loaded model.
type Instance struct {
	fleet.Instance
	Model Model
}

// Context is how many tokens a request may use.
func (i Instance) Context() int { return i.Instance.Model.Context }

// All lists every model at hand.
func (m Models) All() (all []Model) {
	for _, s := range m.Status() {
		all = append(all, m.Model(s.Entry))
	}
	return all
}

// Model adds to an entry what its file says.
func (m Models) Model(e catalog.Entry) Model { return Model{e, m.Traits(e)} }

// Loaded lists the instances that answer.
func (m Models) Loaded() (all []Instance) {
	for _, i := range m.Instances() {
		if i.State == fleet.Loaded {
			all = append(all, m.Instance(i))
		}
	}
	return all
}

// Instance adds to an instance what is known of its model.
func (m Models) Instance(i fleet.Instance) Instance { return Instance{i, m.Model(i.Entry)} }

// Find returns the model that a name means: a file as File has it, or a name as the fleet takes
// them.
func (m Models) Find(name string) (Model, error) {
	for _, one := range m.All() {
		if one.is(name) {
			return one, nil
		}
	}
	e, err := m.Resolve(name)
	if err != nil {
		return Model{}, LoadError(err)
	}
	return m.Model(e), nil
}

// Asked is a name under which there is a model: that of a request, or the default's.
func (m Models) Asked(name string) (string, error) {
	if _, loaded := m.FindLoaded(name); loaded {
		return name, nil
	}
	_, err := m.Find(name)
	if err != nil && m.Default != "" {
		return m.Default, nil
	}
	return name, err
}

func (m Model) is(name string) bool {
	return strings.EqualFold(m.File(), name) || m.Repo == "" && strings.EqualFold(m.repo(), name)
}

// FindLoaded returns the instance that a name means: an instance's own, or that of its model.
func (m Models) FindLoaded(name string) (Instance, bool) {
	all := m.Loaded()
	i := slices.IndexFunc(all, func(i Instance) bool { return strings.EqualFold(i.ID, name) })
	if wanted, err := m.Find(name); i < 0 && err == nil {
		i = slices.IndexFunc(all, func(i Instance) bool { return i.Model.ID == wanted.ID })
	}
	if i < 0 {
		return Instance{}, false
	}
	return all[i], true
}

// LoadError gives an error of the fleet its kind.
func LoadError(err error) error { return chat.AsErrorOrNil(loader.OfFleet(err)) }
