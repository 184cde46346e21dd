package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"tenon/cmd/client"
	"tenon/cmd/terminal"
)

// measured is a row of 'tenon bench'.
type measured struct {
	Depth        int     `json:"depth"` // tokens of the prompt, about
	Streams      int     `json:"streams"`
	PromptTokens int     `json:"prompt_tokens"` // of one stream, as counted
	Prompt       float64 `json:"prompt_tokens_per_second"`
	Decode       float64 `json:"decode_tokens_per_second"` // of all streams
	Share        float64 `json:"bandwidth_share,omitempty"`
}

func newBenchCommand() *cobra.Command {
	var depths []int
	var streams, tokens int
	cmd := withServer(&cobra.Command{
		Use: "bench MODEL", Args: cobra.ExactArgs(1),
		Short: "Measure a model's speed: prompt and decode at depths, alone and with four streams",
		Long: `Measure how fast a model reads prompts and writes answers, at several lengths of the prompt, alone and with several streams at once.
One stream reads the weights once for each token: the last column is how much of the memory's measured bandwidth that takes. A
machine that does other work gives figures of no use.`,
	}, func(cmd *cobra.Command, r *remote, args []string) error {
		if err := r.orStart(cmd.Context(), args[0]); err != nil {
			return err
		}
		size, err := r.sizeOf(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		speed := bandwidth()
		var rows []measured
		for _, depth := range depths {
			for _, n := range []int{1, streams} {
				row, err := r.measure(cmd.Context(), args[0], depth, n, tokens)
				if err != nil {
					return err
				}
				if n == 1 && size > 0 {
					row.Share = row.Decode * float64(size) / speed
				}
				rows = append(rows, row)
			}
		}
		out := map[string]any{"model": args[0], "size_bytes": size, "bandwidth_bytes_per_second": speed, "rows": rows}
		return r.answer(out, func() error {
			r.screen.Note("%s of weights; this machine reads %s of memory a second", terminal.Size(size), terminal.Size(int64(speed)))
			return r.screen.Table([]string{"prompt", "streams", "prompt tok/s", "decode tok/s", "of the bandwidth"}, benchCells(rows))
		})
	})
	cmd.Flags().IntSliceVar(&depths, "depths", []int{128, 1024, 4096}, "lengths of the prompt, in tokens, about")
	cmd.Flags().IntVar(&streams, "streams", 4, "so many streams at once")
	cmd.Flags().IntVar(&tokens, "tokens", 64, "length of each answer")
	return cmd
}

func benchCells(rows []measured) [][]string {
	cells := make([][]string, len(rows))
	for i, m := range rows {
		share := ""
		if m.Share > 0 {
			share = fmt.Sprintf("%.0f %%", 100*m.Share)
		}
		cells[i] = []string{strconv.Itoa(m.PromptTokens), strconv.Itoa(m.Streams), fmt.Sprintf("%.0f", m.Prompt), fmt.Sprintf("%.1f", m.Decode), share}
	}
	return cells
}

// sizeOf is the size of a model's files, 0 where the server does not say.
func (r *remote) sizeOf(ctx context.Context, name string) (int64, error) {
	var meant client.Model
	if err := r.Get(ctx, "/v1/models/"+url.PathEscape(name), &meant); err != nil {
		return 0, err
	}
	list, err := r.Fleet(ctx)
	for _, m := range list {
		if slices.Contains(append(m.Aliases, m.ID), meant.ID) {
			return m.Size, err
		}
	}
	return 0, err
}

// measure runs some streams at once. Each prompt is new to the server, from its first token on.
func (r *remote) measure(ctx context.Context, model string, depth, streams, tokens int) (measured, error) {
	turns, errs := make([]client.Turn, streams), make([]error, streams)
	began := time.Now()
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			prompt := fmt.Sprintf("%d %d ", began.UnixNano(), i) + strings.Repeat("a word and ", depth/3) + "count to a thousand in words"
			turns[i], errs[i] = r.Chat(ctx, client.ChatRequest{
				Model: model, MaxTokens: tokens, Messages: []client.Message{{Role: "user", Content: prompt}},
			}, client.Shower{})
		})
	}
	wg.Wait()
	m := measured{Depth: depth, Streams: streams, PromptTokens: turns[0].Timings.PromptN + turns[0].Timings.CacheN}
	for i, t := range turns {
		if errs[i] != nil {
			return m, errs[i]
		}
		m.Prompt += t.Timings.PromptPerSecond / float64(streams)
		m.Decode += t.Timings.PredictedPerSecond
	}
	return m, nil
}
