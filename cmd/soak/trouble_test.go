package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// trouble makes everything happen that the clients do not, until ctx ends. done ends the run.
func (s *soak) trouble(ctx context.Context, done func()) {
	go s.kill(ctx, rand.New(rand.NewPCG(2, 0)), done)
	go s.hostile(ctx, rand.New(rand.NewPCG(3, 0)))
}

// kill ends workers at random moments. Between two a turn is answered: of a model whose process
// ends before it has served anything, time and again, nothing is tried for minutes.
func (s *soak) kill(ctx context.Context, r *rand.Rand, done func()) {
	pause := 30 * time.Second
	if s.kills > 0 {
		pause = 150 * time.Millisecond
	}
	for answered := 0; ctx.Err() == nil; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(r.Int64N(int64(2 * pause)))):
		}
		now := s.tally.answered()
		if now == answered {
			continue
		}
		answered = now
		s.running.RLock()
		for _, pid := range workersOf(s.pid) {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				s.killed.Add(1)
			}
		}
		s.running.RUnlock()
		if s.kills > 0 && s.killed.Load() >= int64(s.kills) {
			done()
		}
	}
}

// workersOf are a process's children. There are none where /proc is not.
func workersOf(pid int) (all []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, t := range tasks {
		text, _ := os.ReadFile(t) // a thread that has ended has no children
		for _, word := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(word); err == nil && !slices.Contains(all, child) {
				all = append(all, child)
			}
		}
	}
	return all
}

// hostiles are requests that are answered with an error of the client's, and cost no more than
// they are worth.
var hostiles = map[string]func() *http.Request{
	"nested prompt": func() *http.Request { return post("/v1/completions", `{"model":"full","prompt":`+nested(9000)+`}`) },
	"nested schema": func() *http.Request {
		return withTool(`{"items":` + strings.Repeat(`{"items":`, 2000) + "{}" + strings.Repeat("}", 2001))
	},
	"nested tools": func() *http.Request {
		return post("/v1/responses", `{"model":"full","input":"x","tools":`+strings.Repeat(`[{"type":"namespace","name":"n","tools":`, 2000)+"[]"+strings.Repeat("}]", 2000)+`}`)
	},
	"no UTF-8":  func() *http.Request { return post("/v1/messages", "{\"model\":\"full\",\"x\":\"\xff\"}") },
	"no JSON":   func() *http.Request { return post("/v1/chat/completions", "{") },
	"no input":  func() *http.Request { return post("/v1/responses", `{"model":"full"}`) },
	"too large": func() *http.Request { return post("/v1/messages", strings.Repeat(" ", 5<<20)) },
	"a user's call": func() *http.Request {
		return post("/v1/chat/completions", `{"model":"none","messages":[{"role":"user","content":"x","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"}}]}]}`)
	},
	"no string": func() *http.Request { return withTool(`{"type":"string"}`) },
	"a page": func() *http.Request {
		r := post("/v1/chat/completions", "{}")
		r.Header.Set("Origin", "https://evil.example")
		return r
	},
	"another name":    func() *http.Request { r := post("/v1/chat/completions", "{}"); r.Host = "evil.example"; return r },
	"nobody's record": func() *http.Request { r := post("/debug/requests/x", ""); r.Method = http.MethodGet; return r },
	"too long": func() *http.Request {
		return post("/v1/completions", `{"model":"full","prompt":"`+strings.Repeat("word ", 20000)+`"}`)
	},
}

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func post(path, body string) *http.Request {
	r, err := http.NewRequest(http.MethodPost, "http://soak"+path, strings.NewReader(body))
	if err != nil {
		panic(err) // the paths are ours
	}
	r.Header.Set("Content-Type", "application/json")
	return r
}

func withTool(parameters string) *http.Request {
	return post("/v1/chat/completions", `{"model":"full","tool_choice":"required","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":`+parameters+`}}]}`)
}

// turnsBetween is how many turns end between two hostile requests.
const turnsBetween = 3

// hostile sends what nobody should, and opens connections that say nothing.
func (s *soak) hostile(ctx context.Context, r *rand.Rand) {
	names := make([]string, 0, len(hostiles))
	for name := range hostiles {
		names = append(names, name)
	}
	slices.Sort(names)
	for i := 0; ctx.Err() == nil; i++ {
		s.running.RLock()
		name := names[i%len(names)]
		request := hostiles[name]().WithContext(ctx)
		request.URL.Host = strings.TrimPrefix(s.base, "http://")
		if request.Host == "soak" {
			request.Host = ""
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode < 400 || answer.StatusCode >= 500 && answer.StatusCode != http.StatusServiceUnavailable {
				s.tally.wrong("hostile, %s: %d", name, answer.StatusCode)
			}
			s.tally.count("hostile")
		} else if ctx.Err() == nil {
			s.tally.count("hostile, cut off")
		}
		if c, err := net.Dial("tcp", request.URL.Host); err == nil {
			s.silent = append(s.silent, c)
			time.AfterFunc(time.Duration(r.IntN(5000))*time.Millisecond, func() { _ = c.Close() })
		}
		s.running.RUnlock()
		for range turnsBetween {
			select {
			case <-s.ended:
			case <-ctx.Done():
				return
			}
		}
	}
}

// hangUp closes the silent connections. Nothing is running.
func (s *soak) hangUp() {
	for _, c := range s.silent {
		_ = c.Close()
	}
	s.silent = nil
}
