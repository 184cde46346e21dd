package sseread

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// However a stream is cut into reads, its events are the same, and what its end cuts off is none.
func TestReader_events(t *testing.T) {
	const whole = ": a comment\nevent: a\r\ndata: 1\ndata:2\r\n\r\nid: 3\nevent: lost\n\ndata\n\nevent:b\ndata:  x\n\n"
	for name, c := range map[string]struct {
		stream string
		want   string
		end    error
	}{
		"whole":   {whole, "a=1\n2|=|b= x|", io.EOF},
		"empty":   {"", "", io.EOF},
		"cut off": {whole + "data: y\n", "a=1\n2|=|b= x|", io.ErrUnexpectedEOF},
		"halved":  {whole + "da", "a=1\n2|=|b= x|", io.ErrUnexpectedEOF},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.stream), iotest.OneByteReader(strings.NewReader(c.stream))} {
			in, got := NewReader(r), ""
			event, data, err := in.Next()
			for ; err == nil; event, data, err = in.Next() {
				got += event + "=" + string(data) + "|"
			}
			if got != c.want || !errors.Is(err, c.end) {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	}
}

// An event without an end is given up.
func TestReader_isBounded(t *testing.T) {
	for _, stream := range []string{"data: " + strings.Repeat("x", mostEvent) + "\n\n", strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", mostEvent>>20+1) + "\n"} {
		if _, data, err := NewReader(strings.NewReader(stream)).Next(); (err == nil) != (len(data) == mostEvent) || err != nil && !errors.Is(err, errLongEvent) {
			t.Errorf("%d bytes, %v", len(data), err)
		}
	}
	if _, _, err := NewReader(strings.NewReader(strings.Repeat("x", 2*mostEvent) + "\n")).Next(); !errors.Is(err, errLongEvent) {
		t.Errorf("%v", err)
	}
}
