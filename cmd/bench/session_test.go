package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// An agent's session: each turn sends the whole conversation and a tool's result more.
const (
	sessionTurns  = 10
	sessionTools  = 1000 // words that declare them
	sessionAnswer = 52   // tokens: a session has 520
	sessionResult = 1100 // words of a tool's result
)

// measureSession is an agent's session of ten turns whose prompt grows to some 30,000 tokens. What
// each server wrote goes into its own conversation, as an agent sends it. It is plain text, so
// that no server writes less: llama-server lets a model say what it likes before a call that must
// come, and a base model says nothing else.
func (b *bench) measureSession(ctx context.Context) error {
	wall := row{what: "a session of 10 turns to 30,000 tokens", unit: "s", lower: true, least: 2}
	read := row{what: "the same: tokens read, for each new one", unit: "", lower: true, most: 1.05}
	if b.model == "" || !b.only.MatchString(wall.what) {
		return nil
	}
	all, stop, err := b.contenders(ctx, b.model, false, "--ctx-size", "32768", "--parallel", "1")
	if err != nil {
		return err
	}
	defer stop()
	took, share := make([][]float64, len(all)), make([][]float64, len(all))
	for run := range b.runs {
		words := uint64(rand.Uint32()) // the same for all in a run
		for k := range all {
			i := (run + k) % len(all)
			s, fresh, err := session(ctx, all[i], words)
			if err != nil {
				return err
			}
			took[i], share[i] = append(took[i], s.took.Seconds()), append(share[i], float64(s.prompt-s.cached)/float64(fresh))
		}
	}
	wall.ours, read.ours = median(took[0]), median(share[0])
	for i, c := range all[1:] {
		if v := median(took[i+1]); i == 0 || v < wall.theirs {
			wall.theirs, wall.setting, read.theirs, read.setting = v, c.name, median(share[i+1]), c.name
		}
	}
	b.add(wall)
	b.add(read)
	return nil
}

// session plays one. It adds up its answers, and counts the tokens that were new: the last prompt
// holds each of them once.
func session(ctx context.Context, c *contender, seed uint64) (sum answer, fresh int, err error) {
	r := rand.New(rand.NewPCG(seed, 0))
	text := fmt.Sprintf("You repair programs. Session %x. You have these tools: %s", seed, someText(r, sessionTools))
	for range sessionTurns {
		a, err := c.complete(ctx, text, sessionAnswer)
		if err != nil {
			return answer{}, 0, err
		}
		sum.prompt, sum.cached, fresh = sum.prompt+a.prompt, sum.cached+a.cached, a.prompt
		sum.generated, sum.took = sum.generated+a.generated, sum.took+a.took
		text += a.text + "\nThe result: " + someText(r, sessionResult)
	}
	if sum.generated < sessionTurns*sessionAnswer*9/10 {
		return answer{}, 0, fmt.Errorf("%s: %d tokens were written, fewer than were asked for", c.name, sum.generated)
	}
	return sum, fresh, nil
}

// someText is a text of so many words, as a file has them.
func someText(r *rand.Rand, words int) string {
	known := strings.Fields("the file reads a line and counts what it holds of orders prices taxes weights names dates in each row then writes them back")
	var b strings.Builder
	for i := range words {
		b.WriteString(known[r.IntN(len(known))])
		switch {
		case i%12 == 11:
			b.WriteString(" " + strconv.Itoa(r.IntN(1000)) + ".\n")
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

const (
	sharers      = 6
	sharedTurns  = 10
	sharedPrefix = 1500 // words
	sharedResult = 90
)

// measureSharers is the share of the input that is read, not found, when six agents with one long
// beginning take turns on four slots. Whatever else a server keeps in memory is as it is by
// default.
func (b *bench) measureSharers(ctx context.Context) error {
	r := row{what: "six agents on four slots: input read anew", unit: "%", lower: true, most: 10}
	if b.model == "" || !b.only.MatchString(r.what) {
		return nil
	}
	shape := []string{"--parallel", "4", "--chat-template-file", b.template}
	starts := []server{b.ours(b.model, "off", append(shape, "--ctx-size", "4096")...)}
	if b.rival != "" {
		starts = append(starts, b.theirs(b.model, append(shape, "--ctx-size", strconv.Itoa(4*4096))...)...)
	}
	all, stop, err := b.startAll(ctx, starts)
	if err != nil {
		return err
	}
	defer stop()
	return b.compare(ctx, all, r, inputReadAnew, 1) // it is counted, not timed
}

// inputReadAnew lets the agents take turns, and tells the share of their input that was read.
func inputReadAnew(ctx context.Context, c *contender) (float64, error) {
	r := rand.New(rand.NewPCG(uint64(rand.Uint32()), 0))
	prefix := someText(r, sharedPrefix)
	talks := make([][]any, sharers)
	for i := range talks {
		talks[i] = []any{object{"role": "system", "content": prefix}, object{"role": "user", "content": fmt.Sprintf("You are agent %d. Begin.", i)}}
	}
	var prompt, cached int
	for range sharedTurns {
		for i := range talks {
			a, err := c.ask(ctx, "/v1/chat/completions", object{"messages": talks[i], "max_tokens": 4})
			if err != nil {
				return 0, err
			}
			prompt, cached = prompt+a.prompt, cached+a.cached
			talks[i] = append(talks[i], a.message, object{"role": "user", "content": someText(r, sharedResult)})
		}
	}
	return 100 * float64(prompt-cached) / float64(prompt), nil
}

func TestSession_countsEachNewTokenOnce(t *testing.T) {
	c, asked := scripted(t, 200, `{"choices":[{"text":" and so on"}],
		"usage":{"prompt_tokens":300,"completion_tokens":52,"prompt_tokens_details":{"cached_tokens":270}}}`)
	s, fresh, err := session(t.Context(), c, 1)
	if err != nil || s.prompt != 3000 || s.cached != 2700 || fresh != 300 {
		t.Errorf("%+v, %d new, %v", s, fresh, err)
	}
	if last := (*asked)[sessionTurns-1]["prompt"].(string); strings.Count(last, " and so on\nThe result: ") != sessionTurns-1 {
		t.Errorf("the last turn says %.300s", last)
	}
}
