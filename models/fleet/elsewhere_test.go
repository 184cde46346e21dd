package fleet

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
)

// elsewhere is an engine that other machines serve.
type elsewhere struct {
	*enginetest.Scripted
	answers bool
	urls    []string
}

func (e *elsewhere) Answers(context.Context) bool { return e.answers }

func (e *elsewhere) Retarget(urls []string) error {
	if urls[0] == "wrong" {
		return errors.New("no address")
	}
	e.urls = urls
	return nil
}

func servedElsewhere(r catalog.Remote) *catalog.Catalog {
	return &catalog.Catalog{Entries: []catalog.Entry{{ID: "coder", Path: "coder.gguf", Remote: &r}}}
}

// Where nobody answers, the model here serves under the same name, until they do again.
func TestElsewhere_theModelHereServesWhileNobodyAnswers(t *testing.T) {
	far := &elsewhere{Scripted: enginetest.Script()}
	far.Info.Can = enginetest.Textual
	there, tries, here := false, 0, 0
	o := Options{
		Catalog: servedElsewhere(catalog.Remote{URLs: []string{"http://a"}, Fallback: true}),
		Start: func(_ context.Context, e catalog.Entry, _ Grant, _ func(float64)) (engine.Engine, error) {
			if e.Remote == nil {
				here++
				return enginetest.Script(), nil
			}
			if tries++; !there {
				return nil, engine.ErrWorkerLost
			}
			return far, nil
		},
	}
	run(t, o, func(t *testing.T, f *Fleet) {
		ask := func(wantHere bool) {
			t.Helper()
			l := acquire(t, f, "coder")
			defer l.Release()
			can := l.Engine.Model().Can
			if told := f.Status()[0]; (l.Entry.Remote == nil) != wantHere || l.Entry.ID != "coder" || told.State != Loaded || told.Model.Can != can || (can == engine.Everything) != wantHere {
				t.Errorf("entry %+v, told %+v", l.Entry, told)
			}
		}
		ask(true)
		ask(true)
		if tries != 1 || here != 1 {
			t.Errorf("%d tries elsewhere, %d loads here", tries, here)
		}
		there, far.answers = true, true
		ask(true) // they were asked a moment ago
		time.Sleep(failedLately)
		ask(false)
		far.answers = false
		ask(true)
		far.answers = true
		time.Sleep(failedLately)
		ask(false)
		if tries != 2 || here != 1 {
			t.Errorf("%d tries elsewhere, %d loads here", tries, here)
		}
	})
}

// Without a fallback an upstream that does not answer is an error, as before.
func TestElsewhere_withoutAFallbackItFails(t *testing.T) {
	o := Options{Catalog: servedElsewhere(catalog.Remote{URLs: []string{"http://a"}}), Start: func(context.Context, catalog.Entry, Grant, func(float64)) (engine.Engine, error) {
		return nil, engine.ErrWorkerLost
	}}
	run(t, o, func(t *testing.T, f *Fleet) {
		_, err := f.Acquire(t.Context(), Request{Name: "coder"})
		var failed *LoadError
		if !errors.As(err, &failed) {
			t.Errorf("%v", err)
		}
	})
}

// What is told to be loaded before it is asked for, too, is loaded here where nobody answers.
func TestElsewhere_loadedBeforeItIsAskedFor(t *testing.T) {
	o := Options{Catalog: servedElsewhere(catalog.Remote{URLs: []string{"http://a"}, Fallback: true}), Start: func(_ context.Context, e catalog.Entry, _ Grant, _ func(float64)) (engine.Engine, error) {
		if e.Remote != nil {
			return nil, engine.ErrWorkerLost
		}
		return enginetest.Script(), nil
	}}
	run(t, o, func(t *testing.T, f *Fleet) {
		if i, err := f.Load(t.Context(), Request{Name: "coder"}); err != nil || i.Entry.Remote != nil {
			t.Errorf("%+v, %v", i, err)
		}
	})
}

// Other upstreams are gone on with, and nothing is unloaded; a model that is to be loaded here
// from now on is another instance.
func TestElsewhere_reloadTakesOtherUpstreams(t *testing.T) {
	far := &elsewhere{Scripted: enginetest.Script(), answers: true}
	c := servedElsewhere(catalog.Remote{URLs: []string{"http://a"}})
	o := Options{Catalog: c, Start: func(_ context.Context, e catalog.Entry, _ Grant, _ func(float64)) (engine.Engine, error) {
		if e.Remote == nil {
			return enginetest.Script(), nil
		}
		return far, nil
	}}
	run(t, o, func(t *testing.T, f *Fleet) {
		l := acquire(t, f, "coder")
		defer l.Release()
		for _, urls := range []string{"http://b", "wrong", "http://a http://c"} {
			c.Entries[0].Remote = &catalog.Remote{URLs: strings.Fields(urls)}
			f.Reload(o)
			if instances := f.Instances(); len(instances) != 1 || instances[0].State != Loaded || slices.Equal(far.urls, strings.Fields(urls)) == (urls == "wrong") {
				t.Errorf("%s: %+v, at %v", urls, instances, far.urls)
			}
		}
		c.Entries[0].Remote = nil
		f.Reload(o)
		local := acquire(t, f, "coder")
		local.Release()
		l.Release()
		time.Sleep(time.Minute)
		if instances := f.Instances(); local.Engine == l.Engine || len(instances) != 1 || instances[0].Entry.Remote != nil {
			t.Errorf("%+v", instances)
		}
	})
}
