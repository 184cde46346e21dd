package server_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/servertest"
)

// Issue 20: a load whose client has left ends, if it was asked for as such. One that a turn needs
// goes on, and is put away in time.
func TestFleet_aLoadWhoseClientLeft(t *testing.T) {
	const turn = `{"model":"m","input":"hi","messages":[{"role":"user","content":"hi"}]}`
	for _, c := range []struct {
		path, body string
		ttl        time.Duration // of what is loaded then; 0: nothing is
	}{
		{"/tenon/v1/load", `{"model":"m"}`, 0},
		{"/tenon/v1/load", `{"model":"m","stream":true}`, 0},
		{"/api/v1/models/load", `{"model":"m"}`, 0},
		{"/v1/chat/completions", turn, 5 * time.Minute},
		{"/v1/responses", `{"model":"m","input":"hi"}`, 5 * time.Minute},
		{"/api/v0/chat/completions", turn, 5 * time.Minute},
		{"/api/v1/chat", `{"model":"m","input":"hi"}`, time.Hour},
		{"/api/v1/chat", `{"model":"m","input":"hi","stream":true}`, time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			f, o := servertest.Fleet(map[string]engine.Engine{"m": enginetest.Script()}, func(o *fleet.Options) {
				start := o.Start
				o.TTL = 5 * time.Minute
				o.Start = func(ctx context.Context, e catalog.Entry, g fleet.Grant, progress func(float64)) (engine.Engine, error) {
					select {
					case <-time.After(time.Minute):
						// the bubble's clock, not the machine's
						return start(ctx, e, g, progress)
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}
			})
			o.Fleet.Fleet = f
			ctx, leave := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, "POST", c.path, strings.NewReader(c.body))
			r.RemoteAddr = "127.0.0.1:5555"
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				server.New(o).ServeHTTP(httptest.NewRecorder(), r)
			}()
			synctest.Wait()
			if i := f.Instances(); len(i) != 1 || i[0].State != fleet.Loading {
				t.Errorf("%s %s: it does not load: %+v", c.path, c.body, i)
			}
			leave()
			<-ended
			<-time.After(2 * time.Minute)
			left := f.Instances()
			if c.ttl == 0 && len(left) > 0 || c.ttl > 0 && (len(left) != 1 || left[0].State != fleet.Loaded || left[0].TTL != c.ttl) {
				t.Errorf("%s %s leaves %+v", c.path, c.body, left)
			}
			<-time.After(c.ttl)
			synctest.Wait()
			if left := f.Instances(); len(left) > 0 {
				t.Errorf("%s %s: it stays: %+v", c.path, c.body, left)
			}
			_ = f.Close() // scripted engines close well
		})
	}
}
