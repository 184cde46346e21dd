package remote

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenon/engine"
)

// S1-18, S1-26: a stream of llama-server's, what is read of it, and how it ends. Another pattern
// is a row here and a transcript.
var llamaPatterns = map[string]struct {
	text string
	ends engine.Reason // "": as lost
}{
	"whole":          {"Grüß Gott", engine.Stop},
	"limit":          {"Grüß Gott", engine.Length},
	"lines":          {"Grüß Gott", engine.Stop}, // comments, other fields, CRLF, data in two lines
	"beyond-the-end": {"Grüß Gott", engine.Stop}, // and then everything again
	"half-utf8":      {"Gr�", engine.Stop},
	"empty":          {"", ""},
	"html":           {"", ""},
	"wrong-json":     {"", ""},
	"unfinished":     {"Grüß", ""},
	"broken-json":    {"Grüß", ""},
	"missing-fields": {"Grüß", ""},
	"error-inside":   {"Grüß", ""},
	"error-line":     {"Grüß", ""},
}

func TestFaults_S1_18_eachPatternOfLlamaServer(t *testing.T) {
	for name, want := range llamaPatterns {
		t.Run(name, func(t *testing.T) {
			f := newFar("a")
			f.hosts["a"].body = says(transcript(t, "llama/"+name+".txt"))
			got := ask(t, connectTo(t, f, "http://a"), plain())
			if got.text != want.text {
				t.Errorf("text %q, want %q", got.text, want.text)
			}
			switch {
			case want.ends == "" && !errors.Is(got.err, engine.ErrWorkerLost):
				t.Errorf("error %v, want a lost engine", got.err)
			case want.ends != "" && (got.err != nil || got.finish.Reason != want.ends || got.finish.Usage.Prompt != 9 && name != "limit"):
				t.Errorf("%v %+v, want %q", got.err, got.finish, want.ends)
			}
		})
	}
}

// Wherever the connection breaks, what had come is handed over, and the turn ends as lost; where
// nothing had come, another upstream serves it whole.
func TestFaults_S1_18_cutAtEveryByte(t *testing.T) {
	whole := transcript(t, "llama/whole.txt")
	end := strings.Index(whole, `"stop":true`)
	end += strings.Index(whole[end:], "\n\n") + 2
	first := strings.Index(whole, "Grüß")
	first += strings.Index(whole[first:], "\n\n") + 2
	for cut := range len(whole) + 1 {
		broken := func(*http.Request) io.Reader {
			return io.MultiReader(strings.NewReader(whole[:cut]), readerOf(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }))
		}
		f := newFar("a", "b")
		f.hosts["a"].body, f.hosts["b"].body = broken, says(whole)
		got := ask(t, connectTo(t, f, "http://a", "http://b"), plain())
		switch {
		case cut >= end || cut < first:
			if got.err != nil || got.text != "Grüß Gott" || len(f.turns()) != 1+b2i(cut < first) {
				t.Fatalf("cut at %d: %q, %v, turns at %v", cut, got.text, got.err, f.turns())
			}
		case !errors.Is(got.err, engine.ErrWorkerLost) || !strings.HasPrefix("Grüß Gott", got.text) || len(f.turns()) != 1:
			t.Fatalf("cut at %d: %q, %v, turns at %v", cut, got.text, got.err, f.turns())
		}
	}
}

func b2i(b bool) int { return map[bool]int{true: 1}[b] }

type readerOf func([]byte) (int, error)

func (r readerOf) Read(p []byte) (int, error) { return r(p) }

// A far side that says nothing more is given up after a while.
func TestFaults_S1_18_silence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar("a")
		begin := transcript(t, "llama/unfinished.txt")
		f.hosts["a"].body = func(r *http.Request) io.Reader {
			return io.MultiReader(strings.NewReader(begin), readerOf(func([]byte) (int, error) {
				<-r.Context().Done()
				return 0, r.Context().Err()
			}))
		}
		e := connectTo(t, f, "http://a")
		begun := time.Now()
		got := ask(t, e, plain())
		if !errors.Is(got.err, errSilent) || got.text != "Grüß" || time.Since(begun) != 5*time.Minute {
			t.Errorf("%q, %v after %s", got.text, got.err, time.Since(begun))
		}
		_ = e.Close()
	})
}

func TestFaults_statuses(t *testing.T) {
	for status, c := range map[int]struct {
		grammar string
		want    error
	}{
		429: {"", engine.ErrBusy},
		500: {"", engine.ErrWorkerLost},
		503: {"", engine.ErrWorkerLost},
		401: {"", engine.ErrWorkerLost},
		307: {"", engine.ErrWorkerLost},
		400: {`root ::= "a"`, engine.ErrInexact},
	} {
		f := newFar("a", "elsewhere")
		f.hosts["elsewhere"].body = says(transcript(t, "llama/whole.txt"))
		f.change("a", func(h *farHost) { h.status, h.retry = status, "7" })
		turn := plain()
		turn.Grammar = c.grammar
		got := ask(t, connectTo(t, f, "http://a"), turn)
		if !errors.Is(got.err, c.want) || len(f.turns()) != 1 {
			t.Errorf("%d: %v, turns at %v; want %v", status, got.err, f.turns(), c.want)
		}
		var busy *engine.BusyError
		if status == 429 && (!errors.As(got.err, &busy) || busy.RetryAfter != 7*time.Second) {
			t.Errorf("%v does not say when to come back", got.err)
		}
	}
}

// An upstream that was started again with another model gets no turn of this one, until it has the
// right one again.
func TestFaults_anotherModelAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar("a")
		f.hosts["a"].body = says(transcript(t, "llama/whole.txt"))
		e := connectTo(t, f, "http://a")
		for i, step := range []struct {
			width int
			fails bool
		}{{64, false}, {128, true}, {128, true}, {64, false}} {
			f.change("a", func(h *farHost) { h.width = step.width })
			time.Sleep(2 * stale)
			before := len(f.turns())
			got := ask(t, e, plain())
			if sent := len(f.turns()) > before; (got.err != nil) != step.fails || sent == step.fails {
				t.Errorf("step %d: %q, %v, sent %t", i, got.text, got.err, sent)
			}
		}
		_ = e.Close()
	})
}

// What an upstream does with grammars is found out by trying, and again when it comes back.
func TestProbe_whetherGrammarsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFar("a")
		f.hosts["a"].body = says(transcript(t, "llama/whole.txt"))
		e := connectTo(t, f, "http://a")
		if e.Model().Can.Mask != engine.PrintedMask {
			t.Errorf("%+v", e.Model().Can)
		}
		f.change("a", func(h *farHost) { h.down, h.ignores = true, true })
		time.Sleep(15 * time.Second)
		if got := ask(t, e, plain()); !errors.Is(got.err, engine.ErrWorkerLost) {
			t.Errorf("%+v", got)
		}
		f.change("a", func(h *farHost) { h.down = false })
		time.Sleep(15 * time.Second)
		turn := plain()
		turn.Grammar = `root ::= "a"`
		got := ask(t, e, turn)
		if e.Model().Can.Mask != engine.NoMask || got.err != nil || f.requests[len(f.requests)-1]["grammar"] != nil {
			t.Errorf("%+v, %v", e.Model().Can, got.err)
		}
		turn.Exact = true
		if got := ask(t, e, turn); !errors.Is(got.err, engine.ErrInexact) {
			t.Errorf("exact: %v", got.err)
		}
		_ = e.Close()
	})
}

func TestConnect_addresses(t *testing.T) {
	for text, weight := range map[string]float64{
		"http://a:1": 1, "https://a/b": 1, "http://a#weight=2.5": 2.5,
		"a:1": 0, "ftp://a": 0, "http://": 0, "http://u:p@a": 0, "http://a?b": 0, "http://a#weight=0": 0, "http://a#weight=-1": 0,
		"http://a#weight=NaN": 0, "http://a#w=1": 0, "http://a#weight=1&x=2": 0, "http://a#weight=1e9": 0, "http://a b": 0,
	} {
		base, got, err := ParseURL(text)
		if (err == nil) != (weight > 0) || err == nil && (got != weight || base.Fragment != "") {
			t.Errorf("%s: %v, %v, %v", text, base, got, err)
		}
	}
}

// FuzzEvents: any stream is read to its end, and the events are the same however it is cut.
func FuzzEvents(f *testing.F) {
	for name := range llamaPatterns {
		f.Add([]byte(transcript(f, "llama/"+name+".txt")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read := func(r io.Reader) (all []string) {
			in, decode := newEvents(r), (&llamaServer{}).reader(turn{Turn: engine.Turn{Logprobs: 2}})
			for {
				event, err := in.next()
				if err != nil {
					return append(all, err.Error())
				}
				d, err := decode(event)
				if all = append(all, string(event)); err == nil && len(d.tokens) > 1 {
					t.Errorf("%q is %d tokens", event, len(d.tokens))
				}
			}
		}
		whole, bits := read(bytes.NewReader(data)), read(oneByOne{bytes.NewReader(data)})
		if strings.Join(whole, "\x00") != strings.Join(bits, "\x00") {
			t.Errorf("at once %q, byte by byte %q", whole, bits)
		}
	})
}

type oneByOne struct{ r io.Reader }

func (o oneByOne) Read(p []byte) (int, error) { return o.r.Read(p[:min(len(p), 1)]) }
