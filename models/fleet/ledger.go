package fleet

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/placement"
)

// comfort is a context, in tokens, that is worth unloading others for. What a model can do beyond
// it is given where there is room.
const comfort = 32 << 10

// schedule does what has become possible or due. It is called, with the lock held, after
// everything that happens.
func (f *Fleet) schedule() {
	if f.closed {
		return
	}
	f.expire()
	f.admit() // before place: what is just loaded must not make room again
	next := f.place()
	f.admit()
	for _, i := range f.instances {
		if due, ok := f.due(i); ok && (next == 0 || due < next) {
			next = max(due, time.Millisecond)
		}
	}
	if f.timer.Stop(); next > 0 {
		f.timer.Reset(next)
	}
}

// admit lets those in who wait for what is loaded.
func (f *Fleet) admit() {
	for _, i := range f.instances {
		if i.state == Loaded && !i.yields {
			i.admit()
		}
	}
}

// due is in how long an idle instance's time to live is over.
func (f *Fleet) due(i *instance) (time.Duration, bool) {
	ttl := f.ttl(i)
	if i.state != Loaded || i.users > 0 || len(i.waiters) > 0 || !i.gone && (ttl < 0 || f.pinned(i.entry)) {
		return 0, false
	}
	if i.gone {
		return 0, true
	}
	return ttl - time.Since(i.idleSince()), true
}

// expire unloads what was idle for its time to live.
func (f *Fleet) expire() {
	for _, i := range f.instances {
		if due, ok := f.due(i); ok && due <= 0 {
			f.end(i)
		}
	}
}

// place finds room for those that wait, the one first whose request came first, and returns when
// to look again, 0: when something happens. While something ends nothing is decided: what it
// leaves is not known before.
func (f *Fleet) place() (again time.Duration) {
	for _, i := range f.instances {
		i.yields = false
	}
	for _, i := range f.waiting() {
		if len(f.in(Ending)) > 0 {
			return again
		}
		d := f.decide(i)
		switch {
		case d.never:
			continue // it was refused, or it waits for a load to end
		case d.load:
			f.begin(i)
			continue
		}
		for _, id := range d.evict {
			f.end(f.named(id))
		}
		for _, id := range d.yield {
			f.named(id).yields = true
		}
		if again == 0 || d.again > 0 && d.again < again {
			again = d.again
		}
		if len(d.yield) > 0 { // it has waited longest: what becomes free is for it
			return again
		}
	}
	return again
}

// waiting are the instances that wait for room, the longest first.
func (f *Fleet) waiting() []*instance {
	var all []*instance
	for _, i := range f.instances {
		if i.state == Waiting && len(i.waiters) > 0 {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b *instance) int { return cmp.Compare(a.since().UnixNano(), b.since().UnixNano()) })
	return all
}

// in are the instances in a state.
func (f *Fleet) in(s State) []*instance {
	return slices.DeleteFunc(slices.Clone(f.instances), func(i *instance) bool { return i.state != s })
}

// decide says what is to be done for an instance that waits, and refuses it if there is no room
// even without the others.
func (f *Fleet) decide(i *instance) decision {
	if i.entry.Remote != nil { // it takes nothing here
		i.grant = Grant{Settings: i.settings, Name: i.id}
		return decision{load: true}
	}
	context := min(i.demand.Wanted, max(i.demand.Least, comfort))
	need, least := f.ask(i, context), f.ask(i, i.demand.Least)
	all, waited := f.residents(), time.Since(i.since())
	with := func(free placement.Memory) decision {
		d := choose(need.Memory(), free, f.count(), all, waited)
		if d.never {
			d = choose(least.Memory(), free, f.count(), all, waited)
		}
		return d
	}
	free := f.free(false)
	d := with(free)
	if d.load {
		f.allot(i, free)
		return d
	}
	// who must go even if the loads have taken all they will can go now; the rest is decided
	// then
	if len(f.in(Loading)) > 0 {
		if d = with(f.free(true)); d.load {
			return decision{never: true}
		}
		return d
	}
	if d.never && i.demand.Otherwise != nil {
		i.demand = *i.demand.Otherwise
		return f.decide(i)
	}
	if d.never {
		f.refuse(i, &LoadError{ID: i.id, Err: f.noRoom(i, need, context, free)})
	}
	return d
}

// residents are the instances as the schedule sees them.
func (f *Fleet) residents() []resident {
	var all []resident
	for _, i := range f.instances {
		if i.state == Waiting {
			continue
		}
		all = append(all, resident{
			id: i.id, takes: f.takes(i), busy: i.users > 0, stays: i.state != Loaded || f.pinned(i.entry) || i.entry.Remote != nil,
			load: i.loadedAt.Sub(i.begun), age: time.Since(i.loadedAt), idle: time.Since(i.idleSince()),
		})
	}
	return all
}

// count is how many instances may be added; -1: any number.
func (f *Fleet) count() int {
	if f.options.Most == 0 {
		return -1
	}
	n := f.options.Most
	for _, i := range f.instances {
		if i.state != Waiting && i.entry.Remote == nil {
			n--
		}
	}
	return max(n, 0)
}

// demand estimates what a model would take. What cannot be estimated counts for nothing: the
// engine will say more.
func (f *Fleet) demand(e catalog.Entry, s Settings) Demand {
	nothing := Demand{Wanted: s.Context, Least: s.Context, Need: func(int) (placement.Need, error) { return placement.Need{}, nil }}
	if f.options.Estimate == nil {
		return nothing
	}
	d, err := f.options.Estimate(e, s)
	if err == nil {
		_, err = d.Need(d.Least)
	}
	if err != nil {
		slog.Warn("the model's memory cannot be estimated", "model", e.ID, "error", err)
		return nothing
	}
	return d
}

// ask is the estimate for a context, corrected by what was measured of the file before.
func (f *Fleet) ask(i *instance, context int) placement.Need {
	need, err := i.demand.Need(context)
	if err != nil {
		return placement.Need{} // it was no error for the least context
	}
	off := f.off[i.offKey()]
	need.Compute = max(0, need.Compute+off.RAM)
	if need.VRAM > 0 {
		need.VRAM = max(0, need.VRAM+off.VRAM)
	}
	return need
}

// budget takes down what instances may take of the GPU's memory together: what was free, and what
// they hold. What one holds that loads or ends is not known; then what was known before counts.
func (f *Fleet) budget(free int64) {
	if free == 0 || f.vram > 0 && len(f.in(Loading))+len(f.in(Ending)) > 0 {
		return
	}
	f.vram = free
	for _, i := range f.instances {
		if i.state != Waiting {
			f.vram += f.takes(i).VRAM
		}
	}
}

// free is what can be taken now: what the machine has free, less what instances have reserved and
// not yet taken. How much a load has taken is not known: nothing, or everything if loaded is set.
func (f *Fleet) free(loaded bool) placement.Memory {
	free, err := f.options.Free()
	if err != nil {
		slog.Warn("the machine's free memory is not known", "error", err)
		free = placement.Memory{RAM: math.MaxInt64 / 2, VRAM: math.MaxInt64 / 2}
	}
	var held placement.Memory
	for _, i := range f.instances {
		if i.state == Waiting {
			continue
		}
		takes := f.takes(i)
		held = held.Plus(takes)
		has := int64(0)
		switch {
		case i.state != Loading:
			has = f.measure(i).Anonymous
		case loaded:
			has = takes.RAM
		}
		free.RAM -= max(0, takes.RAM-has)
	}
	if f.vram > 0 {
		free.VRAM = f.vram - held.VRAM
	}
	return free
}

// takes is what an instance counts for: what was measured, once it was, with what its cache in
// RAM may still take.
func (f *Fleet) takes(i *instance) placement.Memory {
	m := i.need.Memory()
	if i.peak.Total > 0 {
		m.RAM = max(i.peak.Total, min(i.peak.Total+i.need.Host, m.RAM))
	}
	m.VRAM = cmp.Or(i.vram, m.VRAM)
	return m
}

// correct learns from an instance that ends how far its estimate was off.
func (f *Fleet) correct(i *instance) {
	off := f.off[i.offKey()]
	if i.peak.Total > 0 {
		copies := i.need.Host
		off.RAM += i.peak.Total - (i.need.Total() - copies)
	}
	if i.vram > 0 {
		off.VRAM += i.vram - i.need.VRAM
	}
	f.off[i.offKey()] = off
}

// allot fixes what a load may take of what is free.
func (f *Fleet) allot(i *instance, free placement.Memory) {
	d := i.demand
	room := free
	several := len(f.options.Catalog.All()) > 1
	if several { // what the model does not need for comfort is shared with those to come
		room = placement.Memory{RAM: free.RAM / 2, VRAM: free.VRAM / 2}
	}
	ask := func(context int) (placement.Need, error) { return f.ask(i, context), nil }
	least := min(d.Wanted, max(d.Least, comfort))
	context, need, _ := placement.FitContext(ask, d.Wanted, least, room)
	if !need.Memory().Within(free) {
		context, need, _ = placement.FitContext(ask, least, d.Least, free)
	}
	if context < d.Wanted {
		slog.Info("memory allows a shorter context than the model was trained for", "model", i.id, "context", context, "trained", d.Wanted)
	}
	i.grant = Grant{Settings: i.settings, Name: i.id, Roomy: need.Total()+need.Weights <= free.RAM}
	i.grant.Context = context
	i.grant.GPULayers = cmp.Or(i.grant.GPULayers, d.GPULayers)
	i.grant.Host = f.hostShare(i, free.RAM-need.Total(), several)
	if i.need = need; i.grant.Host != math.MaxInt64 {
		i.need.Host = i.grant.Host
	}
}

// hostShare is what an instance gets of the RAM for copies of KV caches: half of what is left of
// it, if others may come.
func (f *Fleet) hostShare(i *instance, free int64, several bool) int64 {
	if f.options.HostCache < 0 {
		return math.MaxInt64
	}
	left := f.options.HostCache
	for _, other := range f.instances {
		if other != i && other.state != Waiting {
			left -= other.grant.Host
		}
	}
	if several && f.options.Most != 1 {
		left /= 2
	}
	return max(0, min(left, free/2))
}

// noRoom says why an instance cannot be loaded, and what could.
func (f *Fleet) noRoom(i *instance, need placement.Need, context int, free placement.Memory) error {
	var stay []string
	for _, r := range f.residents() {
		if r.stays {
			stay = append(stay, r.id)
		} else {
			free = free.Plus(r.takes)
		}
	}
	if need.Memory().Within(free) {
		return fmt.Errorf("%d models may be loaded at once, and those that are stay (%s): %w", f.options.Most, strings.Join(stay, ", "), engine.ErrBusy)
	}
	e := &NoRoomError{ID: i.id, Context: context, Need: need, Room: free, Pinned: stay}
	ask := func(context int) (placement.Need, error) {
		// of a context that was asked for, no other is estimated
		_, err := i.demand.Need(context)
		return f.ask(i, context), err
	}
	if fits, n, err := placement.FitContext(ask, context, 256, free); err == nil && n.Memory().Within(free) {
		e.Fits = fits
	}
	return e
}
