package bench

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// row is one line of the table.
type row struct {
	what, unit   string
	ours, theirs float64 // theirs is 0 where there is nothing to compare with
	setting      string  // whose figure theirs is
	note         string
	lower        bool    // less is better
	least        float64 // ratio that must be reached; 0: none
	most         float64 // figure that must not be passed; 0: none
}

func (b *bench) add(r row) {
	b.rows = append(b.rows, r)
	fmt.Fprintf(os.Stderr, "%s: %.4g %s, %s %.4g\n", r.what, r.ours, r.unit, r.setting, r.theirs)
}

// ratio is how many times better we are.
func (r row) ratio() float64 {
	if r.lower {
		return r.theirs / r.ours
	}
	return r.ours / r.theirs
}

func (r row) verdict() string {
	switch {
	case r.ours == 0:
		return "-"
	case r.most > 0 && r.ours >= r.most, r.least > 0 && r.theirs > 0 && r.ratio() < r.least:
		return "MISSED"
	case r.least > 0 && r.theirs == 0:
		return "not compared"
	}
	return "ok"
}

func (r row) target() string {
	switch {
	case r.most > 0:
		return fmt.Sprintf("< %g %s", r.most, r.unit)
	case r.least > 0:
		return fmt.Sprintf("≥ %.2f×", r.least)
	}
	return ""
}

func (b *bench) print(to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\ttenon\tagainst\tratio\ttarget\t\t")
	for _, r := range b.rows {
		against, ratio := "", ""
		if r.theirs > 0 {
			against, ratio = fmt.Sprintf("%.4g (%s)", r.theirs, r.setting), fmt.Sprintf("%.2f×", r.ratio())
		}
		fmt.Fprintf(w, "%s\t%.4g %s\t%s\t%s\t%s\t%s\t%s\n", r.what, r.ours, r.unit, against, ratio, r.target(), r.verdict(), r.note)
	}
	_ = w.Flush()
	if b.rival == "" {
		fmt.Fprintln(to, "llama-server was not there to compare with: make llama-server builds it, or LLAMA_SERVER= names it.")
	}
	if b.model == "" {
		fmt.Fprintln(to, "The real model was not there: make model brings it.")
	}
	fmt.Fprintf(to, "now: %s\n", load())
}
