package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// measureStart is the time until a server answers that it is healthy, and the most memory that its
// processes had after a prompt, an answer and four streams.
func (b *bench) measureStart(ctx context.Context) error {
	start := row{what: "start, until it is healthy", unit: "s", lower: true, least: 1 / 1.1}
	peak := row{what: "start, most memory of a server and its workers", unit: "MiB", lower: true, least: 1 / 1.1}
	if b.model == "" || !b.only.MatchString(start.what) {
		return nil
	}
	flags := []string{"--ctx-size", "8192", "--parallel", "4"}
	starts := []server{b.ours(b.model, "off", flags...)}
	if b.rival != "" {
		starts = append(starts, b.theirs(b.model, flags...)...)
	}
	seconds, mib := make([][]float64, len(starts)), make([][]float64, len(starts))
	for range b.runs {
		for i, s := range starts {
			begin := time.Now()
			c, err := b.start(ctx, s.name, s.program, s.args...)
			if err != nil {
				return err
			}
			seconds[i] = append(seconds[i], time.Since(begin).Seconds())
			m, err := peakInUse(ctx, c)
			c.stop()
			if err != nil {
				return err
			}
			mib[i] = append(mib[i], m)
		}
	}
	start.ours, peak.ours = median(seconds[0]), median(mib[0])
	for i, s := range starts[1:] {
		if v := median(seconds[i+1]); i == 0 || v < start.theirs {
			start.theirs, start.setting = v, s.name
		}
		if v := median(mib[i+1]); i == 0 || v < peak.theirs {
			peak.theirs, peak.setting = v, s.name
		}
	}
	b.add(start)
	b.add(peak)
	return nil
}

func peakInUse(ctx context.Context, c *contender) (float64, error) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 90)
	if _, err := c.complete(ctx, nonce()+text, decodeTokens); err != nil {
		return 0, err
	}
	if _, err := concurrent(4)(ctx, c); err != nil {
		return 0, err
	}
	return peakOfTree(c.cmd.Process.Pid)
}

// peakOfTree is the most memory that a process and its children have had, in MiB. What they share
// is counted for each.
func peakOfTree(root int) (float64, error) {
	files, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return 0, err
	}
	type process struct{ parent, kib int }
	all := map[int]process{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		// the pattern has digits alone
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		all[pid] = process{statusField(data, "PPid:"), statusField(data, "VmHWM:")}
	}
	sum := 0
	for pid, p := range all {
		up := pid
		for up > 1 && up != root {
			up = all[up].parent
		}
		if up == root {
			sum += p.kib
		}
	}
	if sum == 0 {
		return 0, fmt.Errorf("the system does not tell the memory of process %d", root)
	}
	return float64(sum) / 1024, nil
}

// statusField is a number of /proc/PID/status, 0 where it is missing.
func statusField(status []byte, name string) int {
	_, rest, _ := strings.Cut(string(status), "\n"+name)
	first, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(first), " kB"))
	return n
}

func TestPeakOfTree_holdsThisProcess(t *testing.T) {
	mib, err := peakOfTree(os.Getpid())
	if _, missing := os.Stat("/proc/self/status"); missing != nil {
		t.Skip("no /proc here")
	}
	if err != nil || mib < 1 {
		t.Errorf("%v MiB, %v", mib, err)
	}
}
