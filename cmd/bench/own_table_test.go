package bench

import (
	"strings"
	"testing"
)

func TestRow_ratioAndVerdict(t *testing.T) {
	for _, c := range []struct {
		name    string
		row     row
		ratio   float64
		verdict string
	}{
		{"faster", row{ours: 110, theirs: 100, least: 1}, 1.1, "ok"},
		{"exactly as fast as it must be", row{ours: 95, theirs: 100, least: 0.95}, 0.95, "ok"},
		{"too slow", row{ours: 94, theirs: 100, least: 0.95}, 0.94, "MISSED"},
		{"seconds, fewer", row{ours: 2, theirs: 3, least: 1, lower: true}, 1.5, "ok"},
		{"seconds, more", row{ours: 4, theirs: 3, least: 1, lower: true}, 0.75, "MISSED"},
		{"only reported", row{ours: 4, theirs: 3, lower: true}, 0.75, "ok"},
		{"below a limit", row{ours: 79, most: 80}, 0, "ok"},
		{"at a limit", row{ours: 80, most: 80}, 0, "MISSED"},
		{"no llama-server", row{ours: 100, least: 1}, 0, "not compared"},
		{"left out", row{least: 1}, 0, "-"},
	} {
		if got := c.row.verdict(); got != c.verdict {
			t.Errorf("%s: %s, want %s", c.name, got, c.verdict)
		}
		if c.row.theirs == 0 {
			continue
		}
		if got := c.row.ratio(); got < c.ratio-1e-9 || got > c.ratio+1e-9 {
			t.Errorf("%s: ratio %g, want %g", c.name, got, c.ratio)
		}
	}
}

func TestPrint_saysWhatWasMissedAndWhatWasNotThere(t *testing.T) {
	b := &bench{options: options{model: "m.gguf"}, rows: []row{
		{what: "decode", unit: "tok/s", ours: 53.4, theirs: 55.2, setting: "llama-server fa on", least: 1},
		{what: "memory", unit: "MiB", ours: 42, most: 80},
	}}
	var out strings.Builder
	b.print(&out)
	for _, want := range []string{"53.4 tok/s", "55.2 (llama-server fa on)", "0.97×", "≥ 1.00×", "MISSED", "< 80 MiB", "llama-server was not there"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "real model was not there") {
		t.Errorf("a model was named:\n%s", out.String())
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		of   []float64
		want float64
	}{
		{[]float64{7}, 7},
		{[]float64{3, 1, 2}, 2},
		{[]float64{5, 100, 4, 6, 1}, 5},
	} {
		if got := median(c.of); got != c.want {
			t.Errorf("median of %v: %g, want %g", c.of, got, c.want)
		}
	}
}
