package runner

import (
	"io"
	"log/slog"
	"strings"
	"time"

	"tenon/engine/worker/disk"
	"tenon/engine/worker/schedule"
)

// This file keeps on disk what was copied to host memory, for turns that come after a restart.
//
// A copy is written before it is given up: when host memory is nearly full, what goes next, in a
// goroutine of its own while the loop goes on; and all that there is when the runner is closed. It
// is read, in a goroutine too, when a turn gets its slot whose prompt goes on farther there.

// mostAtStop is how long Close may write.
const mostAtStop = 10 * time.Second

// worthFetching is how many tokens are cheaper to read from disk than to evaluate again.
const worthFetching = 64

// openDisk finds what earlier runners have left.
func (l *loop) openDisk() {
	o := l.options.Disk
	if o.Path == "" || !l.copies() {
		return
	}
	var known []*schedule.Copy
	l.folder, known = disk.Open(o.Path, o.Fingerprint)
	l.disk = schedule.NewStore(o.Bytes)
	for _, c := range known {
		l.disk.Add(c)
	}
	for _, c := range known { // what nothing leads to any more
		if l.disk.Holds(c) && l.disk.Covered(c.Key, c.Tokens, 0) < len(c.Tokens) {
			l.disk.Drop(c)
		}
	}
}

// leavesNothing: of turns under such a key nothing is kept once they have ended.
func leavesNothing(key string) bool { return strings.Contains(key, "\x00") }

// writeAhead has the copy written that is given up next, if that is soon.
func (l *loop) writeAhead() {
	if l.disk == nil || l.writing || l.store.Bytes() <= l.options.HostMemory/4*3 {
		return
	}
	if c := l.store.Next(); c != nil {
		l.writing = true
		l.store.Pin(c)
		write := l.writer(c, time.Now())
		go func() {
			f, err := write()
			l.post(func(l *loop) {
				l.writing = false
				l.written(c, f, err)
				l.writeAhead()
			})
		}()
	}
}

// writer is how a pinned copy is written, by any goroutine.
func (l *loop) writer(c *schedule.Copy, used time.Time) func() (*disk.File, error) {
	as, data := *c, c.Data.(Data) // Save has made it, or Load: then it is written
	return func() (*disk.File, error) {
		return l.folder.Write(as, used, func(w io.Writer) error {
			_, err := data.WriteTo(w)
			return err
		})
	}
}

// written takes note that a copy is on disk, or could not be put there.
func (l *loop) written(c *schedule.Copy, f *disk.File, err error) {
	held := l.store.Unpin(c)
	c.Written = true // one that could not be is not tried again
	switch {
	case err != nil:
		slog.Warn("a conversation is not kept on disk", "error", err)
	case !held:
		f.Free() // its owner wanted it forgotten meanwhile
	default:
		l.counts.Written += int64(f.Size())
		l.disk.Add(&schedule.Copy{Key: c.Key, Tokens: c.Tokens, Start: c.Start, Whole: c.Whole, Data: f})
	}
}

// keepOnDisk writes what is not written yet, that first which was used last, as far as time and
// the disk's budget allow.
func (l *loop) keepOnDisk() {
	if l.disk == nil {
		return
	}
	now := time.Now()
	for l.writing || l.reading > 0 {
		<-l.wake
		for _, call := range l.take() {
			call(l)
		}
	}
	l.writing = true // from now on nothing is written ahead
	for id, ok := l.cache.Oldest(schedule.Cells); ok; id, ok = l.cache.Oldest(schedule.Cells) {
		l.putAway(id)
	}
	taken := 0
	for i, c := range l.store.Unwritten() {
		if taken += c.Data.Size() + disk.Overhead(len(c.Tokens)); time.Since(now) > mostAtStop || !l.disk.MakeRoom(taken) {
			slog.Warn("not all conversations are kept on disk", "left out", len(l.store.Unwritten())-i)
			return
		}
		f, err := l.writer(c, now.Add(-time.Duration(i)*time.Millisecond))()
		if err != nil {
			slog.Warn("a conversation is not kept on disk", "error", err)
			continue
		}
		l.counts.Written += int64(f.Size())
	}
}

// fetch reads the copies that a turn's prompt goes on with from disk to host memory; then comes
// next, unless the turn has ended. It is false if there are none worth it.
func (l *loop) fetch(t *turn, next func()) bool {
	if l.disk == nil {
		return false
	}
	key, tokens := t.request.CacheKey, t.tokens[:len(t.tokens)-1]
	_, have := l.match(t)
	have = l.store.Covered(key, tokens, have)
	chain, n := l.disk.Chain(key, tokens, have)
	l.disk.Use(key, tokens, have)
	room := 0
	for i, c := range chain {
		if room += c.Data.(*disk.File).Holds(); room > l.options.HostMemory {
			chain, n = chain[:i], c.Start // host memory holds no more
			break
		}
	}
	if len(chain) == 0 || n-have < worthFetching || !l.store.MakeRoom(room) {
		return false
	}
	t.state = fetching
	l.reading++
	read := make([]*schedule.Copy, len(chain))
	for i, c := range chain {
		read[i] = &schedule.Copy{Key: c.Key, Tokens: c.Tokens, Start: c.Start, Whole: c.Whole, Written: true}
	}
	go func() {
		var err error
		for i, c := range chain {
			if read[i].Data, err = c.Data.(*disk.File).Read(l.backend.Load); err != nil {
				read = read[:i]
				break
			}
		}
		l.post(func(l *loop) {
			l.reading--
			l.fetched(chain, read, err)
			if t.state == fetching {
				next()
			}
		})
	}()
	return true
}

// fetched puts what was read into host memory. What could not be read is forgotten, and with it
// what goes on from there: it would be found again, and be of no use.
func (l *loop) fetched(chain, read []*schedule.Copy, err error) {
	now := time.Now()
	for i, c := range read {
		if l.store.Twin(c) != nil || l.closed {
			c.Data.Free() // another turn has read it meanwhile, or nobody will
			continue
		}
		// all at one time: of a chain nothing is older than its end
		chain[i].Data.(*disk.File).Touch(now)
		l.counts.Fetched += int64(len(c.Tokens) - c.Start)
		l.store.Add(c)
	}
	for _, c := range chain[len(read):] {
		slog.Warn("a conversation on disk is of no use and deleted", "error", err, "tokens", len(c.Tokens))
		l.disk.Drop(c)
	}
}

// forgetCopy gives up a copy that cannot be restored, on disk too.
func (l *loop) forgetCopy(c *schedule.Copy) {
	if l.disk != nil {
		if twin := l.disk.Twin(c); twin != nil {
			l.disk.Drop(twin)
		}
	}
	l.store.Drop(c)
}
