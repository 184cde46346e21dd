package clients

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestGuard_endsARowInWhichNothingMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, stop := guard{patience: time.Minute, most: 9, asked: func() int { return 3 }}.watch(t.Context())
		defer stop()
		<-ctx.Done()
		var hung *hangError
		if err := context.Cause(ctx); !errors.As(err, &hung) || !strings.Contains(err.Error(), "nothing has moved for 1m0s") {
			t.Errorf("%v", err)
		}
		if took := time.Since(began); took < time.Minute || took > 70*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

// A real model on a busy machine may read one prompt for an hour.
func TestGuard_aSlowModelIsNoHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		worked := func(context.Context) int64 { return int64(time.Since(began) / (50 * time.Second)) }
		ctx, stop := guard{patience: time.Minute, most: 9, asked: func() int { return 1 }, worked: worked}.watch(t.Context())
		time.Sleep(time.Hour) // the bubble's clock, not the machine's
		if ctx.Err() != nil {
			t.Errorf("it was ended: %v", context.Cause(ctx))
		}
		stop()
		if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("stop gives the cause %v", err)
		}
	})
}

func TestGuard_endsAClientThatAsksWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		ctx, stop := guard{patience: time.Minute, most: 9, asked: func() int { asked++; return asked }}.watch(t.Context())
		defer stop()
		<-ctx.Done()
		if err := context.Cause(ctx); !strings.Contains(err.Error(), "10 times") {
			t.Errorf("%v", err)
		}
	})
}
