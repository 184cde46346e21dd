package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// measureRemote measures what tenon adds to the answers of a llama-server that it stands in front
// of: the same request goes to both in turn, and the differences are sorted. The prompt is cached
// there, so that little else takes time.
func (b *bench) measureRemote(ctx context.Context) error {
	lengths := slices.DeleteFunc([]int{1, 32}, func(n int) bool { return !b.only.MatchString(inFrontRow(n)) })
	if b.model == "" || b.rival == "" || len(lengths) == 0 {
		return nil
	}
	far, near, stop, err := b.inFront(ctx)
	if err != nil {
		return err
	}
	defer stop()
	for _, n := range lengths {
		if err := b.compareInFront(ctx, far, near, n); err != nil {
			return err
		}
	}
	return nil
}

func inFrontRow(tokens int) string {
	return fmt.Sprintf("added in front of llama-server: an answer of %d tokens", tokens)
}

// compareInFront asks both for answers of so many tokens.
func (b *bench) compareInFront(ctx context.Context, far, near *contender, tokens int) error {
	const warm, pairs = 5, 100 // the first read the prompt and open the connections
	var added, alone []time.Duration
	for i := range warm + pairs {
		direct, err := far.complete(ctx, "Once upon a time there was", tokens)
		if err != nil {
			return err
		}
		through, err := near.complete(ctx, "Once upon a time there was", tokens)
		if err != nil {
			return err
		}
		if i >= warm {
			added, alone = append(added, through.took-direct.took), append(alone, direct.took)
		}
	}
	slices.Sort(added)
	slices.Sort(alone)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.add(row{what: inFrontRow(tokens), unit: "ms", ours: ms(added[pairs/2]), note: fmt.Sprintf("p99 %.1f ms; without tenon p50 %.1f, p99 %.1f ms",
		ms(added[pairs*99/100]), ms(alone[pairs/2]), ms(alone[pairs*99/100]))})
	return nil
}

// inFront starts a llama-server, and a tenon that serves its model.
func (b *bench) inFront(ctx context.Context) (far, near *contender, stop func(), err error) {
	far, err = b.start(ctx, "llama-server behind", b.rival, "-m", b.model, "-t", strconv.Itoa(b.threads), "--no-webui", "-c", "4096")
	if err != nil {
		return nil, nil, nil, err
	}
	settings := filepath.Join(b.work, "remote.yaml")
	text := fmt.Sprintf("lmstudio-discovery: false\nmodels:\n  far:\n    source: %q\n    remote: [%q]\n", b.model, far.base)
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		far.stop()
		return nil, nil, nil, err
	}
	near, err = b.start(ctx, "tenon in front", b.tenon, "serve", "far", "--config", settings)
	if err != nil {
		far.stop()
		return nil, nil, nil, err
	}
	return far, near, func() { near.stop(); far.stop() }, nil
}
