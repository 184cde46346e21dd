package fleet

import (
	"fmt"
	"strings"
	"time"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/placement"
)

// Settings are how a model is to be loaded. The zero value of each leaves it to the model's own
// settings, then the server's. Instances of one model with different settings are loaded side by
// side.
type Settings struct {
	Context        int    // tokens that one request may use
	Slots          int    // turns that run at once
	Batch          int    // tokens of a prompt that are computed together
	CacheTypeK     string // type of the KV cache's keys: f16, q8_0, q4_0
	CacheTypeV     string // of its values
	FlashAttention string // on, off, auto
	GPULayers      string // a number, or auto
	Draft          string // a model at hand that drafts for it
}

// Forever is a time to live that does not end.
const Forever = time.Duration(-1)

// Request asks for an instance.
type Request struct {
	Name     string   // of an instance, a model, or an alias; "" is the only model
	Settings Settings // zero: any instance of the model will do
	// what a new instance is to be called; "": as the model, numbered if that is taken
	ID  string
	New bool // it is an instance of its own; an ID that another has is an error
	// the instance is unloaded when idle so long; 0: as the model or the server says
	TTL time.Duration
	// a turn needs it, and is likely to be tried again: the load goes on when ctx ends
	OnDemand bool
	Progress func(Progress) // called from the goroutine that asks, while it waits; may be nil

	fallback bool // if nobody answers elsewhere, the model here will do
	here     bool // not where other machines serve it
}

// Progress tells how far a load is.
type Progress struct {
	State State   // Waiting or Loading
	Share float64 // of the load, from 0 to 1
}

// State of a model or an instance.
type State string

// The states. A model that is not loaded has no instance.
const (
	NotLoaded State = "not-loaded"
	Waiting   State = "waiting" // for room
	Loading   State = "loading"
	Loaded    State = "loaded"
	Ending    State = "unloading"
)

// Status is a model and what it is doing. Of a model with several instances it tells of the first.
type Status struct {
	catalog.Entry
	State    State
	Progress float64 // of loading, from 0 to 1
	Model    engine.Model
	Pinned   bool
	Err      error // why the last load failed, or the engine ended
	Down     bool  // no request starts it now: it ended too often, and rests
}

// Instance is a model that is loaded, or about to be.
type Instance struct {
	ID        string // what clients call it
	Reference string // another one for each load
	Entry     catalog.Entry
	Settings  Settings // as asked for
	State     State
	Progress  float64
	Model     engine.Model // once it is loaded
	Need      placement.Need
	Resident  int64 // bytes of RAM that its process takes, as measured; 0: not known
	Busy      int   // leases
	Waiting   int   // requests that wait for it
	Idle      time.Duration
	LoadedAt  time.Time
	LoadTime  time.Duration
	LastUsed  time.Time     // zero: not yet
	TTL       time.Duration // Forever: it has none
	Pinned    bool
}

// TakenError: what is to be a new instance cannot be called so.
type TakenError struct{ ID string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("a model with the identifier %q already exists", e.ID)
}

// LoadError: a model could not be loaded. The next request tries again, unless the process that
// loads it has crashed too often of late.
type LoadError struct {
	ID  string
	Err error
}

func (e *LoadError) Error() string { return fmt.Sprintf("load model %s: %v", e.ID, e.Err) }
func (e *LoadError) Unwrap() error { return e.Err }

// NoRoomError: the model does not fit, whatever else were unloaded. It says what would.
type NoRoomError struct {
	ID      string
	Context int // tokens that Need is for
	Need    placement.Need
	Room    placement.Memory // what could be had
	Pinned  []string         // instances that stay and take room
	Fits    int              // the longest context that would fit; 0: none
}

func (e *NoRoomError) Error() string {
	const mib = 1 << 20
	var b strings.Builder
	fmt.Fprintf(&b, "%s needs about %d MiB for a context of %d tokens (weights %d, KV cache %d, work %d), and %d MiB can be had",
		e.ID, e.Need.Total()/mib, e.Context, e.Need.Weights/mib, e.Need.Cache/mib, e.Need.Compute/mib, e.Room.RAM/mib)
	if e.Need.VRAM > e.Room.VRAM {
		fmt.Fprintf(&b, "; of the GPU's memory %d MiB, and %d can be had", e.Need.VRAM/mib, e.Room.VRAM/mib)
	}
	if len(e.Pinned) > 0 {
		fmt.Fprintf(&b, "; pinned: %s", strings.Join(e.Pinned, ", "))
	}
	if e.Fits > 0 {
		fmt.Fprintf(&b, ": a context of %d tokens would fit (--ctx-size)", e.Fits)
		return b.String()
	}
	b.WriteString(": choose a smaller model or quantization, --cache-type-k and --cache-type-v q8_0, a smaller --ctx-size, " +
		"or, where a GPU has the room, --gpu-layers with a number")
	return b.String()
}
