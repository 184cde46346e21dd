package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// Screen is the input and output of a command.
type Screen struct {
	In       io.Reader
	Out, Err io.Writer
	people   bool // somebody reads Out
	watched  bool // somebody reads Err
	typing   bool // somebody types into In
	coloured bool
}

// New finds out who is at the other end.
func New(in io.Reader, out, err io.Writer) *Screen {
	s := &Screen{In: in, Out: out, Err: err, people: isTerminal(out), watched: isTerminal(err), typing: isTerminal(in)}
	s.coloured = s.people && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return s
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// People tells whether a person reads the output.
func (s *Screen) People() bool { return s.people }

// Watched tells whether a person sees moving progress.
func (s *Screen) Watched() bool { return s.watched }

// Typing tells whether a person types the input.
func (s *Screen) Typing() bool { return s.typing }

// Asking tells whether whoever types also sees what is asked.
func (s *Screen) Asking() bool { return s.typing && s.people }

// Dim is a text in faint letters, for people.
func (s *Screen) Dim(t string) string { return s.colour(t, text.Faint) }

// Bold is a text in bold letters, for people.
func (s *Screen) Bold(t string) string { return s.colour(t, text.Bold) }

// Good is a text in green, for people.
func (s *Screen) Good(t string) string { return s.colour(t, text.FgGreen) }

// Warn is a text in yellow, for people.
func (s *Screen) Warn(t string) string { return s.colour(t, text.FgYellow) }

// Bad is a text in red, for people.
func (s *Screen) Bad(t string) string { return s.colour(t, text.FgRed) }

func (s *Screen) colour(t string, c text.Color) string {
	if !s.coloured || t == "" {
		return t
	}
	return c.EscapeSeq() + t + text.EscapeReset
}

// Printf writes to the output.
func (s *Screen) Printf(format string, args ...any) { fmt.Fprintf(s.Out, format, args...) }

// Note tells something beside the output.
func (s *Screen) Note(format string, args ...any) { fmt.Fprintf(s.Err, format+"\n", args...) }

// JSON writes a value for programs.
func (s *Screen) JSON(v any) error {
	e := json.NewEncoder(s.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Table writes rows under headings. Without a terminal, cells are separated by tabs.
func (s *Screen) Table(headings []string, rows [][]string) error {
	if !s.people {
		for _, row := range append([][]string{headings}, rows...) {
			if _, err := fmt.Fprintln(s.Out, strings.Join(row, "\t")); err != nil {
				return err
			}
		}
		return nil
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(cells(headings, s.Bold))
	for _, row := range rows {
		t.AppendRow(cells(row, func(c string) string { return c }))
	}
	_, err := fmt.Fprintln(s.Out, t.Render())
	return err
}

func cells(row []string, style func(string) string) table.Row {
	out := make(table.Row, len(row))
	for i, c := range row {
		out[i] = style(c)
	}
	return out
}

// Size is bytes as people write them.
func Size(bytes int64) string {
	const unit = 1024
	if bytes < unit {
		return fmt.Sprintf("%d B", bytes)
	}
	value, i := float64(bytes)/unit, 0
	for ; value >= unit && i < 3; i++ {
		value /= unit
	}
	return fmt.Sprintf("%.1f %s", value, []string{"KiB", "MiB", "GiB", "TiB"}[i])
}

// Span is a duration as people write it, to two units.
func Span(d time.Duration) string {
	if d < time.Hour {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
