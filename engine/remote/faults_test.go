package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenon/engine"
	"tenon/engine/breaker"
	"tenon/engine/remote/chat"
	"tenon/engine/sseread"
)

// folders are where the transcripts of an API are.
var folders = map[API]string{LlamaServer: "llama", VLLM: "vllm", SGLang: "sglang", OpenAI: "openai", Chat: "chat", Messages: "messages"}

// hostOf is a host of an API.
func hostOf(a API) *farHost {
	h := &farHost{api: a, width: 64, version: "0.33.0"}
	if a == LlamaServer {
		h.api = ""
	}
	return h
}

// eachAPI runs a test for each API, by texts and, where there are any, by ids of the vocabulary
// here.
func eachAPI(t *testing.T, test func(t *testing.T, a API, v engine.Engine)) {
	for a := range patterns {
		t.Run(string(a), func(t *testing.T) { test(t, a, nil) })
		if a == VLLM || a == SGLang {
			t.Run(string(a)+" by ids", func(t *testing.T) { test(t, a, vocabulary()) })
		}
	}
}

func TestFaults_S1_18_eachPattern(t *testing.T) {
	eachAPI(t, func(t *testing.T, a API, v engine.Engine) {
		for name, want := range patterns[a] {
			t.Run(name, func(t *testing.T) {
				f := newFar("a")
				f.hosts["a"] = hostOf(a)
				f.hosts["a"].body = says(transcript(t, folders[a]+"/"+name+".txt"))
				got := ask(t, connectWith(t, f, v, "http://a"), plain())
				if v != nil {
					// a token of its own
					want.text = strings.Replace(want.text, "�", "\xc3", 1)
				}
				if got.text != want.text {
					t.Errorf("text %q, want %q", got.text, want.text)
				}
				switch {
				case want.ends == "" && !errors.Is(got.err, engine.ErrWorkerLost):
					t.Errorf("error %v, want a lost engine", got.err)
				case want.ends != "" && (got.err != nil || got.finish.Reason != want.ends):
					t.Errorf("%v %+v, want %q", got.err, got.finish, want.ends)
				case want.ends != "" && !strings.Contains(name, "no-") && !(a == LlamaServer && name == "limit") && (got.finish.Usage.Prompt != 9 || a != OpenAI && got.finish.Usage.Cached != 4):
					t.Errorf("usage %+v", got.finish.Usage)
				}
			})
		}
	})
}

// Each transcript is in the table.
func TestFaults_S1_26_eachTranscriptIsAPattern(t *testing.T) {
	for a, folder := range folders {
		files, err := os.ReadDir("testdata/" + folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name := strings.TrimSuffix(file.Name(), ".txt")
			if _, told := patterns[a][name]; !told && name != "refused" {
				t.Errorf("%s/%s is in no table", folder, name)
			}
		}
	}
}

// Wherever the connection breaks, what had come is handed over, and the turn ends as lost; where
// nothing had come, another upstream serves it whole.
func TestFaults_S1_18_cutAtEveryByte(t *testing.T) {
	eachAPI(t, func(t *testing.T, a API, v engine.Engine) {
		whole := transcript(t, folders[a]+"/whole.txt")
		// The ends of the first event with text, and of the one that says why the answer
		// ends.
		first, end := strings.Index(whole, "Gr"), strings.Index(whole, `"stop"`)
		switch a {
		case LlamaServer:
			end = strings.Index(whole, `"stop":true`)
		case Messages:
			end = strings.Index(whole, `"end_turn"`)
		}
		first += strings.Index(whole[first:], "\n\n") + 2
		end += strings.Index(whole[end:], "\n\n") + 2
		f := newFar("a", "b")
		f.hosts["a"], f.hosts["b"] = hostOf(a), hostOf(a)
		f.hosts["b"].body = says(whole)
		cut := 0
		f.hosts["a"].body = func(*http.Request) io.Reader {
			return io.MultiReader(strings.NewReader(whole[:cut]), readerOf(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }))
		}
		e := connectWith(t, f, v, "http://a", "http://b")
		for ; cut <= len(whole); cut++ {
			before := len(f.turns())
			revive(e)
			got := ask(t, e, plain())
			sent := len(f.turns()) - before
			switch {
			case cut >= end || cut < first:
				if got.err != nil || got.text != gruss || sent != 1+b2i(cut < first) {
					t.Fatalf("cut at %d: %q, %v, %d turns", cut, got.text, got.err, sent)
				}
			case !errors.Is(got.err, engine.ErrWorkerLost) || !strings.HasPrefix(gruss, got.text) || sent != 1:
				t.Fatalf("cut at %d: %q, %v, %d turns", cut, got.text, got.err, sent)
			}
		}
	})
}

// revive has an engine be as after Connect.
func revive(e *Engine) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.talks = conversations{}
	for _, u := range e.upstreams {
		u.up, u.verified, u.failures, u.inUse = true, time.Now(), breaker.Breaker{}, 0
	}
	e.sum()
}

func b2i(b bool) int { return map[bool]int{true: 1}[b] }

type readerOf func([]byte) (int, error)

func (r readerOf) Read(p []byte) (int, error) { return r(p) }

// A far side that says nothing more is given up after a while.
func TestFaults_S1_18_silence(t *testing.T) {
	for a := range folders {
		synctest.Test(t, func(t *testing.T) {
			f := newFar("a")
			f.hosts["a"] = hostOf(a)
			whole := transcript(t, folders[a]+"/whole.txt")
			begin := whole[:strings.Index(whole, " Gott")]
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
				t.Errorf("%s: %q, %v after %s", a, got.text, got.err, time.Since(begun))
			}
			_ = e.Close()
		})
	}
}

// An answer that has told its end and its usage is over, whatever becomes of the connection; one
// without usage is a little later.
func TestFaults_anOpenConnectionBehindTheEnd(t *testing.T) {
	for a, ends := range map[API]string{OpenAI: "stop", Chat: "stop", Messages: "end_turn"} {
		for _, usage := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				f := newFar("a")
				f.hosts["a"] = hostOf(a)
				said := transcript(t, folders[a]+"/whole.txt")
				// without the end of the stream
				said = said[:strings.LastIndex(strings.TrimSpace(said), "\n\n")+2]
				if !usage {
					said = strings.ReplaceAll(said, `"usage"`, `"unknown"`)
					said = said[:strings.Index(said, `"`+ends+`"`)]
					said += `"` + ends + `"` + map[API]string{OpenAI: `}]}`, Chat: `}]}`, Messages: `}}`}[a] + "\n\n"
				}
				f.hosts["a"].body = func(r *http.Request) io.Reader {
					return io.MultiReader(strings.NewReader(said), readerOf(func([]byte) (int, error) {
						<-r.Context().Done()
						return 0, r.Context().Err()
					}))
				}
				e := connectTo(t, f, "http://a")
				begun := time.Now()
				got := ask(t, e, plain())
				took := time.Since(begun)
				if got.err != nil || got.text != gruss || usage && (got.finish.Usage.Prompt != 9 || took != 0) || !usage && took != grace {
					t.Errorf("%s: %q, %v, %+v after %s", a, got.text, got.err, got.finish, took)
				}
				_ = e.Close()
			})
		}
	}
}

func TestFaults_statuses(t *testing.T) {
	eachAPI(t, func(t *testing.T, a API, v engine.Engine) {
		for status, want := range map[int]error{
			429: engine.ErrBusy, 500: engine.ErrWorkerLost, 503: engine.ErrWorkerLost, 401: engine.ErrWorkerLost, 307: engine.ErrWorkerLost, 400: errRefused,
		} {
			f := newFar("a", "elsewhere")
			f.hosts["a"] = hostOf(a)
			f.hosts["elsewhere"].body = says(transcript(t, "llama/whole.txt"))
			f.change("a", func(h *farHost) { h.status, h.retry = status, "7" })
			turn := plain()
			turn.Grammar = `root ::= "a"`
			got := ask(t, connectWith(t, f, v, "http://a"), turn)
			if !errors.Is(got.err, want) || len(f.turns()) != 1 {
				t.Errorf("%d: %v, turns at %v; want %v", status, got.err, f.turns(), want)
			}
			// it may be about anything
			if errors.Is(got.err, engine.ErrUnsupported) != (status == 400) || errors.Is(got.err, engine.ErrInexact) {
				t.Errorf("%d: %v", status, got.err)
			}
			var busy *engine.BusyError
			if status == 429 && (!errors.As(got.err, &busy) || busy.RetryAfter != 7*time.Second) {
				t.Errorf("%v does not say when to come back", got.err)
			}
		}
	})
}

// Upstreams say in their own words that a prompt does not fit.
func TestFaults_contextExceeded(t *testing.T) {
	for _, said := range []string{
		`{"error":{"message":"This model's maximum context length is 4096 tokens. However, your prompt contains 5001 input tokens","param":"input_tokens","code":400}}`,
		`{"error":{"message":"The input (10 tokens) is longer than the model's context length (8 tokens)."}}`,
		`{"error":{"code":400,"message":"request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9}}`,
	} {
		c := client{base: &url.URL{Host: "a"}}
		err := c.refused(&http.Response{StatusCode: http.StatusBadRequest, Status: "400 Bad Request"}, []byte(said))
		if !errors.Is(err, engine.ErrContextExceeded) || !strings.Contains(err.Error(), "400") {
			t.Errorf("%s: %v", said, err)
		}
	}
}

// An upstream that was started again with another model gets no turn of this one, until it has the
// right one again.
func TestFaults_anotherModelAfterARestart(t *testing.T) {
	eachAPI(t, func(t *testing.T, a API, v engine.Engine) {
		synctest.Test(t, func(t *testing.T) {
			f := newFar("a")
			f.hosts["a"] = hostOf(a)
			f.hosts["a"].body = says(transcript(t, folders[a]+"/whole.txt"))
			e := connectWith(t, f, v, "http://a")
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
		"http://a:1": 1, "https://a/b": 1, "http://a#weight=2.5": 2.5, "http://a#api=vllm&model=x/y": 1, "http://a#model=x&weight=3": 3, "http://a#api=chat": 1, "http://a#api=messages": 1,
		"a:1": 0, "ftp://a": 0, "http://": 0, "http://u:p@a": 0, "http://a?b": 0, "http://a#weight=0": 0, "http://a#weight=-1": 0,
		"http://a#weight=NaN": 0, "http://a#w=1": 0, "http://a#weight=1&x=2": 0, "http://a#weight=1e9": 0, "http://a b": 0, "http://a#api=tgi": 0,
	} {
		a, err := ParseAddress(text)
		if (err == nil) != (weight > 0) || err == nil && (a.Weight != weight || a.Base.String() != strings.Split(text, "#")[0]) {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
}

// FuzzEvents: any stream of any API is read to its end, and the events are the same however it is
// cut.
func FuzzEvents(f *testing.F) {
	for a, rows := range patterns {
		for name := range rows {
			f.Add([]byte(transcript(f, folders[a]+"/"+name+".txt")))
		}
	}
	apis := map[string]api{
		"llama": &llamaServer{}, "vllm": &completions{vllm: true}, "openai": &completions{}, "sglang": &sglang{},
		"chat": &talk{API: chat.Completions}, "messages": &talk{API: chat.Messages},
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, a := range apis {
			for _, ids := range [][]int32{nil, {1}} {
				read := func(r io.Reader) (all []string) {
					in, decode := sseread.NewReader(r), a.reader(turn{ids: ids, Turn: engine.Turn{Logprobs: 2}})
					for {
						_, event, err := in.Next()
						if err != nil {
							_, end := decode(nil)
							return append(all, err.Error(), fmt.Sprint(end))
						}
						d, err := decode(event)
						said := 0
						for _, token := range d.tokens {
							if said++; len(token.Top) > 2 {
								t.Errorf("%s: %q has %d alternatives", name, event, len(token.Top))
							}
						}
						all = append(all, fmt.Sprint(string(event), said, err))
					}
				}
				whole, bits := read(bytes.NewReader(data)), read(oneByOne{bytes.NewReader(data)})
				if strings.Join(whole, "\x00") != strings.Join(bits, "\x00") {
					t.Errorf("%s: at once %q, byte by byte %q", name, whole, bits)
				}
			}
		}
	})
}

type oneByOne struct{ r io.Reader }

func (o oneByOne) Read(p []byte) (int, error) { return o.r.Read(p[:min(len(p), 1)]) }
