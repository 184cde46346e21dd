package bench

import (
	"context"
	"strconv"
	"strings"
)

// measureRestart measures the first turn after a restart, of a conversation that was there before
// it. Nobody else keeps one: they read it anew.
func (b *bench) measureRestart(ctx context.Context) error {
	r := row{what: "first turn of 6,000 tokens after a restart", unit: "s", lower: true, least: 10}
	if b.model == "" || !b.only.MatchString(r.what) {
		return nil
	}
	flags := []string{"--ctx-size", "8192", "--parallel", "1"}
	all, stop, err := b.contenders(ctx, b.model, false, flags...)
	if err != nil {
		return err
	}
	defer stop()
	figures := make([][]float64, 1+len(all))
	for range b.runs {
		text := nonce() + strings.Repeat("The quick brown fox jumps over the lazy dog. ", 600)
		took, err := b.afterRestart(ctx, text, flags)
		figures[0] = append(figures[0], took)
		for i, c := range all {
			var a answer
			if err == nil {
				a, err = c.complete(ctx, text, 1)
			}
			figures[i+1] = append(figures[i+1], a.took.Seconds())
		}
		if err != nil {
			return err
		}
	}
	r.ours, r.theirs, r.setting = median(figures[0]), median(figures[1]), "tenon that keeps nothing"
	for i, c := range all[1:] {
		if v := median(figures[i+2]); i == 0 || v < r.theirs {
			r.theirs, r.setting = v, c.name
		}
	}
	b.add(r)
	return nil
}

// afterRestart is how long tenon takes for a text that it has read before it was restarted.
func (b *bench) afterRestart(ctx context.Context, text string, flags []string) (float64, error) {
	var took float64
	for range 2 {
		args := append([]string{"serve", b.model, "--threads", strconv.Itoa(b.threads), "--drafts", "off", "--cache-disk", "4096"}, flags...)
		c, err := b.start(ctx, "tenon that keeps", b.tenon, args...)
		if err != nil {
			return 0, err
		}
		a, err := c.complete(ctx, text, 1)
		c.stop()
		if err != nil {
			return 0, err
		}
		took = a.took.Seconds()
	}
	return took, nil
}
