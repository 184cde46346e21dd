// Package fleet decides which models are loaded. It loads what is asked for, makes room where
// memory is short, and unloads what nobody has used for a while.
//
//	f := fleet.New(fleet.Options{Catalog: c, Start: start, Estimate: estimate})
//	lease, err := f.Acquire(ctx, fleet.Request{Name: "qwen3-0.6b"}) // waits until it is loaded
//	defer lease.Release()
//	lease.Engine.Open(ctx, turn)
//
// # Words
//
// A model is a file with a name (package models/catalog). An instance is a model that is loaded
// with certain [Settings]. A lease is the right to use an instance; an instance with leases is
// busy.
//
// # The life of an instance
//
//	waiting  -> loading   there is room for it
//	loading  -> loaded    all who wait get their lease
//	loading  -> ending    those who asked for the load have left, or it is told to go
//	loaded   -> ending    it is idle and another needs the room, its time to live is over, or
//	                      it is told to go
//	ending   -> (gone)    its process has ended; only then is memory measured again
//	ending   -> waiting   somebody asked for it meanwhile
//
// Whoever asks for an instance that waits or loads joins those who wait: there is one load,
// however many ask. A load that was asked for as such ends when all who wait for it have left; one
// that a turn needs goes on, since the turn is likely to be tried again. It stays, then, for the
// turn's time to live: of those who left before the end, nobody's wish to keep it counts.
//
// # Elsewhere
//
// A model that other machines serve takes no room. Where its entry says so (catalog.Remote's
// Fallback) and nobody answers there, a second instance of the same model is loaded here; the one
// elsewhere is asked again after ten seconds. Who asks by the model's name gets the one or the
// other.
//
// # Room
//
// The ledger (ledger.go) knows what each instance takes of RAM and VRAM: as estimated before it
// is loaded, as measured from then on. An instance is loaded once what it takes is free. Where it
// is not, instances are unloaded, the longest idle first. Never unloaded for room are those that
// are busy, loading, pinned, or have just been loaded and not yet used.
//
// # Taking turns
//
// Two agents on two models, with room for one: if each request swapped the models, the machine
// would only load. So an instance stays until it was idle for as long as its load took, or until
// its shortest stay is over. And lest the other agent wait for ever: once somebody has waited
// longer than the longest wait, the instance that stands in the way takes no more requests. Its
// new requests wait behind those that waited longer. schedule.go decides this, and is pure.
//
// # Files
//
//	fleet.go                  Fleet: the models at hand and what is loaded of them
//	options.go, types.go      what a fleet is given; what it is asked, and what it tells
//	acquire.go                waiting for an instance; the [Lease] on it
//	instance.go               an instance: loading, ending, those who wait for it
//	schedule.go               what is loaded or unloaded next (pure)
//	ledger.go, forecast.go    who takes how much memory; what a load would get
//	manage.go                 unload, pin, keep, pull: what admins ask for
package fleet
