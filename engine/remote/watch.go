package remote

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tenon/engine"
)

// promptly is how long a turn waits for those that are asked whether they are there, and how long
// one that is up may take to say so. It is then lost, until it answers in the background.
const promptly = 4 * time.Second

// errSlow: an upstream has let what needs no model wait for too long.
var errSlow = fmt.Errorf("%w: it does not answer in time", errLost)

// find waits until pick has an upstream that was seen a moment ago, and gives it to take. Those
// that were not seen are asked meanwhile, all at once, and where none is up, those that are lost
// once; not is passed over. pick and take are called with e.mu held.
func (e *Engine) find(ctx context.Context, not *upstream, pick func() *upstream, take func(*upstream)) error {
	begun := time.Now()
	late := time.NewTimer(promptly)
	defer late.Stop()
	for asked, over := false, false; ; {
		e.mu.Lock()
		u := pick()
		if u != nil && (time.Since(u.verified) < stale || !u.verified.Before(begun)) {
			take(u)
			e.mu.Unlock()
			return nil
		}
		waits := false
		for _, one := range e.upstreams {
			if one != not && (u == nil && !asked || one.up && time.Since(one.verified) >= stale) {
				e.check(one)
			}
			waits = waits || one != not && one.checking
		}
		asked = asked || u == nil
		checked, why := e.checked, e.faults()
		e.mu.Unlock()
		if u == nil && (over || !waits) {
			return fmt.Errorf("%w: none that serves %s is there (%s); try again later", errLost, e.options.Name, cmp.Or(why, "all are asked again"))
		}
		select {
		case <-checked:
		case <-late.C:
			over = true // one that is up has no more than its own time left
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-e.ctx.Done():
			return engine.ErrClosed
		}
	}
}

// faults are what the upstreams that are lost did last, for an error. The caller holds e.mu.
func (e *Engine) faults() string {
	var all []string
	for _, u := range e.upstreams {
		if u.up || u.fault == nil {
			continue
		}
		if text := strings.TrimPrefix(u.fault.Error(), errLost.Error()+": "); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

// watch looks at the upstreams from time to time: those that are lost are asked again, the others
// whether they live.
func (e *Engine) watch() {
	tick := time.NewTicker(e.options.Check)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-e.ctx.Done():
			return
		}
		e.rouse()
	}
}

// rouse has all upstreams asked, in the background.
func (e *Engine) rouse() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range e.upstreams {
		e.check(u)
	}
}

// check has an upstream asked in the background, unless that is under way, or it rests. The caller
// holds e.mu.
func (e *Engine) check(u *upstream) {
	if _, resting := u.failures.Open(time.Now()); u.checking || !u.up && resting || e.ctx.Err() != nil {
		return
	}
	u.checking = true
	e.running.Go(func() {
		e.look(u)
		e.mu.Lock()
		defer e.mu.Unlock()
		u.checking = false
		close(e.checked)
		e.checked = make(chan struct{})
	})
}

// look asks whether an upstream that is up still serves the model, and one that is lost whether it
// is back.
func (e *Engine) look(u *upstream) {
	if e.isUp(u) {
		e.verify(u)
		return
	}
	if err := e.connect(e.ctx, u); err != nil {
		e.options.Log.Debug("an upstream is still lost", "model", e.options.Name, "error", err)
		return
	}
	e.options.Log.Info("an upstream is back", "model", e.options.Name, "upstream", u.client.base.Host)
}

// verify asks an upstream that is up whether it still serves the model. Where it does not, it is
// lost.
func (e *Engine) verify(u *upstream) {
	e.mu.Lock()
	a, was := u.api, u.model
	e.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(e.ctx, promptly, errSlow)
	defer cancel()
	m, err := a.describe(ctx)
	if e.ctx.Err() != nil {
		return
	}
	e.mu.Lock()
	// connect has found out more
	if m.Can, m.Template = was.Can, e.template(m.Template, was.Can.Chat != ""); err == nil {
		err = e.fits(m)
	}
	if err == nil {
		u.verified = time.Now()
	}
	e.mu.Unlock()
	if err != nil {
		e.lost(u, err)
	}
}

// seen notes that an upstream lives. One whose answer goes on is not asked whether it is there:
// under load it may be slow to say so.
func (e *Engine) seen(u *upstream) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if u.up {
		u.verified = time.Now()
	}
}

// lost takes down that an upstream did not answer: it is asked anew what it serves before it gets
// another turn.
func (e *Engine) lost(u *upstream, err error) {
	e.options.Log.Warn("an upstream is lost", "model", e.options.Name, "upstream", u.client.base.Host, "error", err)
	e.mu.Lock()
	defer e.mu.Unlock()
	u.up, u.fault = false, err
	u.failures.Failed(time.Now())
	e.sum()
}
