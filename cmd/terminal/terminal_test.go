package terminal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

func TestTable_aPipeGetsLinesAndATerminalATable(t *testing.T) {
	var b bytes.Buffer
	s := New(strings.NewReader(""), &b, &b)
	if err := s.Table([]string{"name", "size"}, [][]string{{"a", "1 B"}, {"long name", ""}}); err != nil || b.String() != "name\tsize\na\t1 B\nlong name\t\n" {
		t.Errorf("%q %v", b.String(), err)
	}
	if s.Bad("x") != "x" || s.People() || s.Typing() {
		t.Error("a buffer was taken for a terminal")
	}
	for _, noColor := range []string{"", "1"} {
		t.Setenv("NO_COLOR", noColor)
		t.Setenv("TERM", "xterm")
		theirs, ours, err := pty.Open()
		if err != nil {
			t.Skip("there are no terminals here: ", err)
		}
		s := New(ours, ours, ours)
		if coloured := s.Bad("x") != "x"; coloured != (noColor == "") || !s.People() || !s.Typing() {
			t.Errorf("NO_COLOR=%s: %q", noColor, s.Bad("x"))
		}
		if err := s.Table([]string{"name", "size"}, [][]string{{"a", "1 B"}}); err != nil {
			t.Error(err)
		}
		if shown := read(t, theirs, "1 B"); strings.Contains(shown, "\t") || strings.Contains(shown, "\x1b") != (noColor == "") {
			t.Errorf("%q", shown)
		}
		_, _ = ours.Close(), theirs.Close()
	}
}

// read is what a terminal shows, up to want.
func read(t *testing.T, f *os.File, want string) string {
	t.Helper()
	var shown strings.Builder
	b := make([]byte, 1)
	for !strings.HasSuffix(shown.String(), want) {
		if _, err := f.Read(b); err != nil {
			t.Fatalf("%q: %v", shown.String(), err)
		}
		shown.Write(b)
	}
	return shown.String()
}

func TestBar_isSilentInAPipe(t *testing.T) {
	var b bytes.Buffer
	bar := New(nil, &b, &b).Bar("file", Bytes)
	bar.Set(1, 2)
	bar.Say("other")
	bar.End(nil)
	bar.End(errors.New("twice"))
	if b.Len() > 0 {
		t.Errorf("%q", b.String())
	}
}

func TestBar_movesOnATerminal(t *testing.T) {
	theirs, ours, err := pty.Open()
	if err != nil {
		t.Skip("there are no terminals here: ", err)
	}
	defer func() { _, _ = theirs.Close(), ours.Close() }()
	bar := New(nil, io.Discard, ours).Bar("gemma.gguf", Bytes)
	bar.Set(1<<20, 2<<20)
	bar.End(nil)
	bar.Set(2, 2) // what comes late does no harm
	read(t, theirs, "gemma.gguf")
}

func TestLines_withoutATerminalAreAsTheyStand(t *testing.T) {
	l := New(strings.NewReader("one\r\ntwo"), io.Discard, io.Discard).Lines()
	for _, want := range []string{"one", "two"} {
		if got, err := l.Read("> "); got != want || err != nil {
			t.Errorf("%q %v", got, err)
		}
	}
	if _, err := l.Read("> "); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func TestSizeAndSpan_areShort(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 5 << 30: "5.0 GiB", 5 << 50: "5120.0 TiB"} {
		if got := Size(bytes); got != want {
			t.Errorf("%d: %s", bytes, got)
		}
	}
	for d, want := range map[time.Duration]string{1400 * time.Millisecond: "1s", 90 * time.Second: "1m30s", 20 * time.Minute: "20m0s", time.Hour: "1h0m", 26*time.Hour + 59*time.Second: "26h1m"} {
		if got := Span(d); got != want {
			t.Errorf("%s: %s", d, got)
		}
	}
}
