package fleet

import (
	"fmt"

	"tenon/engine"
	"tenon/models/placement"
)

// Forecast is what a load would take.
type Forecast struct {
	Context int            // tokens that it would get
	Need    placement.Need // for them, without copies of the KV cache
	Fits    bool           // there is room, or would be if what may go had gone
}

// Forecast tells what loading a model would take, as the ledger knows it, and loads nothing. Where
// nothing is known of the model's memory, it is engine.ErrUnsupported.
func (f *Fleet) Forecast(name string, s Settings) (Forecast, error) {
	e, err := f.Resolve(name)
	if err != nil {
		return Forecast{}, err
	}
	d := f.demand(e, s)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.budget(d.VRAM)
	out := f.forecast(&instance{id: e.ID, entry: e, settings: s, demand: d})
	if !out.Fits && d.Otherwise != nil {
		out = f.forecast(&instance{id: e.ID, entry: e, settings: s, demand: *d.Otherwise})
	}
	if out.Need == (placement.Need{}) {
		return out, fmt.Errorf("the memory that %s takes cannot be estimated: %w", e.ID, engine.ErrUnsupported)
	}
	return out, nil
}

// forecast is what an instance would get that waits for room.
func (f *Fleet) forecast(i *instance) Forecast {
	now, all := f.free(false), f.residents()
	later := now
	for _, r := range all {
		if !r.stays {
			later = later.Plus(r.takes)
		}
	}
	f.allot(i, later)
	i.need.Host = 0
	never := choose(i.need.Memory(), now, f.count(), all, 0).never
	return Forecast{Context: i.grant.Context, Need: i.need, Fits: !never}
}
