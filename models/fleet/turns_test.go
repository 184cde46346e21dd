package fleet

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"tenon/models/placement"
)

// longest keeps the longest of several times.
type longest struct {
	mu sync.Mutex
	d  time.Duration
}

func (l *longest) see(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.d = max(l.d, d)
}

// request takes a lease, holds it for a while, and says how long it waited.
func request(t *testing.T, f *Fleet, model string, holds time.Duration) time.Duration {
	t.Helper()
	begin := time.Now()
	l, err := f.Acquire(t.Context(), Request{Name: model})
	if err != nil {
		t.Error(err)
		return 0
	}
	waited := time.Since(begin)
	time.Sleep(holds)
	l.Release()
	return waited
}

// Two agents on two models with room for one: in turns, the whole takes little more than one agent
// after the other. The time is virtual, so it counts loads, turns and pauses, and nothing of the
// machine.
func TestTurns_twoAgentsOnTwoModels(t *testing.T) {
	const turns, turn = 40, 3 * time.Second
	for _, c := range []struct{ load, pause time.Duration }{
		{2 * time.Second, 200 * time.Millisecond}, {5 * time.Second, 500 * time.Millisecond}, {20 * time.Second, time.Second},
		{5 * time.Second, 20 * time.Second},
	} {
		alone := 2 * (c.load + turns*turn + (turns-1)*c.pause)
		o := Options{Catalog: of("a", "b"), Start: slow(c.load, func(string) {}), Estimate: megabytes(100, nil), Free: machine(150 << 20)}
		run(t, o, func(t *testing.T, f *Fleet) {
			begin := time.Now()
			var waits longest
			var agents sync.WaitGroup
			for _, model := range []string{"a", "b"} {
				agents.Go(func() {
					for n := range turns {
						waits.see(request(t, f, model, turn))
						if n < turns-1 {
							time.Sleep(c.pause)
						}
					}
				})
			}
			agents.Wait()
			took := time.Since(begin)
			ratio := took.Seconds() / alone.Seconds()
			t.Logf("load %s, pause %s: %d loads, longest wait %s, %.0f s against %.0f s one after the other: %.2f",
				c.load, c.pause, f.Loads(), waits.d.Round(time.Second), took.Seconds(), alone.Seconds(), ratio)
			if ratio > 1.3 {
				t.Errorf("%.2f times as long", ratio)
			}
		})
	}
}

func TestTurns_fiftyClientsOverFourModelsWithRoomForTwo(t *testing.T) {
	const clients, requests, load = 50, 20, 4 * time.Second
	o := Options{Catalog: of("a", "b", "c", "d"), Start: slow(load, func(string) {}), Estimate: megabytes(100, nil), Free: machine(250 << 20)}
	run(t, o, func(t *testing.T, f *Fleet) {
		begin := time.Now()
		var waits longest
		var all sync.WaitGroup
		for n := range clients {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			all.Go(func() {
				for range requests {
					model := string(rune('a' + r.IntN(4)))
					waits.see(request(t, f, model, time.Duration(1+r.IntN(5))*time.Second))
					time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
				}
			})
		}
		all.Wait()
		minutes := time.Since(begin).Minutes()
		perMinute := float64(f.Loads()) / minutes
		t.Logf("%d requests in %.1f virtual minutes: %d loads, %.1f a minute, longest wait %s", clients*requests, minutes, f.Loads(), perMinute, waits.d.Round(time.Second))
		// Whoever waits is behind at most the three others: each yields after the longest
		// wait, ends what runs, and one is loaded.
		if most := 3 * (longestWait + 5*time.Second + load); waits.d > most {
			t.Errorf("somebody waited %s, more than %s", waits.d, most)
		}
		if perMinute > 2*60/(shortestStay+load).Seconds() {
			t.Errorf("%.1f loads a minute", perMinute)
		}
	})
}

// An instance that is asked for all the time yields to one that has waited longest, and is not
// starved itself.
func TestTurns_nobodyStarves(t *testing.T) {
	o := Options{Catalog: of("busy", "rare"), Start: slow(3*time.Second, func(string) {}), Most: 1}
	run(t, o, func(t *testing.T, f *Fleet) {
		stop := make(chan struct{})
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						request(t, f, "busy", 2*time.Second)
					}
				}
			})
		}
		time.Sleep(time.Minute)
		for range 3 {
			if waited := request(t, f, "rare", time.Second); waited > longestWait+6*time.Second {
				t.Errorf("the rare one waited %s", waited)
			}
		}
		close(stop)
		all.Wait()
	})
}

func TestHostCache_isSharedAndNeverMore(t *testing.T) {
	o := Options{Catalog: of("a", "b", "c"), HostCache: 1 << 30, Free: endless, Estimate: megabytes(100, nil)}
	run(t, o, func(t *testing.T, f *Fleet) {
		var sum int64
		for i, id := range []string{"a", "b", "c"} {
			acquire(t, f, id).Release()
			host := f.Instances()[i].Need.Host
			if sum += host; host == 0 || sum > 1<<30 {
				t.Errorf("%s has %d, of %d together", id, host, sum)
			}
		}
	})
	run(t, Options{Catalog: of("a"), HostCache: 1 << 30, Free: endless, Estimate: megabytes(100, nil)}, func(t *testing.T, f *Fleet) {
		acquire(t, f, "a").Release()
		if i := f.Instances()[0]; i.Need.Host != 1<<30 {
			t.Errorf("the only model has %d", i.Need.Host)
		}
	})
}

// Whatever instances there are, what is chosen makes room, is never more than needs to go, and
// never what stays.
func TestChoose_makesRoomAndNoMore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		var all []resident
		for i := range r.IntN(6) {
			all = append(all, resident{
				id: fmt.Sprint(i), takes: placement.Memory{RAM: int64(r.IntN(50))}, busy: r.IntN(3) == 0, stays: r.IntN(4) == 0,
				load: time.Duration(r.IntN(20)) * time.Second, age: time.Duration(r.IntN(200)) * time.Second, idle: time.Duration(r.IntN(60)) * time.Second,
			})
		}
		need, free := placement.Memory{RAM: int64(1 + r.IntN(100))}, placement.Memory{RAM: int64(r.IntN(60))}
		d := choose(need, free, -1, all, time.Duration(r.IntN(60))*time.Second)
		could, room := free, free
		for _, x := range all {
			if !x.stays {
				could = could.Plus(x.takes)
			}
			for _, id := range append(d.evict, d.yield...) {
				if id != x.id {
					continue
				}
				if room = room.Plus(x.takes); x.stays || len(d.evict) > 0 && x.busy {
					t.Fatalf("%+v of %+v", d, all)
				}
			}
		}
		if d.load != need.Within(free) || d.never == need.Within(could) {
			t.Fatalf("%+v: need %v, free %v, %+v", d, need, free, all)
		}
		if len(d.evict) > 0 && !need.Within(room) {
			t.Fatalf("%+v makes too little room for %v: %v of %+v", d, need, room, all)
		}
		if !d.load && !d.never && len(d.evict)+len(d.yield) == 0 && d.again <= 0 {
			t.Fatalf("%+v waits for nothing", d)
		}
	}
}
