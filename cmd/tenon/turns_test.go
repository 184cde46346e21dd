package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tenon/engine/enginetest/tinymodel"
)

// Models take turns on the real server, with real workers and tiny models. TURNS says how many
// turns each client has; without it these tests are left out, for they take minutes. models/fleet
// holds the same in virtual time.

// crowded is a server with four models and room for some.
type crowded struct {
	base string
	log  loudly
}

// loudly is the server's log.
type loudly struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *loudly) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// loads counts the loads that have ended.
func (c *crowded) loads() int {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return strings.Count(c.log.text.String(), "model loaded")
}

func crowd(t *testing.T, room int) (c *crowded, turns int) {
	t.Helper()
	turns, _ = strconv.Atoi(os.Getenv("TURNS"))
	if turns == 0 {
		t.Skip("TURNS is not set")
	}
	alone(t)
	dir, port := t.TempDir(), freePort(t)
	for i, name := range []string{"a", "b", "c", "d"} {
		o := tinymodel.Options{Kind: tinymodel.FullAttention, Seed: uint64(i + 1), Shape: tinymodel.Shape{Context: 8192}}
		if err := tinymodel.WriteFile(filepath.Join(dir, name+".gguf"), o); err != nil {
			t.Fatal(err)
		}
	}
	c = &crowded{base: "http://127.0.0.1:" + port}
	server := exec.Command(os.Args[0], "serve", "--models-dir", dir, "--models-max", strconv.Itoa(room), "--port", port, "--lmstudio-discovery=false", "--queue-timeout", "1h")
	server.Env = append(os.Environ(), runEnv+"=1")
	server.Stdout, server.Stderr = io.Discard, &c.log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
	})
	for _, _, err := execute(t, "health", "--port", port); err != nil; _, _, err = execute(t, "health", "--port", port) {
	}
	return c, turns
}

// turn asks a model once and says how long the first token took.
func (c *crowded) turn(t *testing.T, model string, words, tokens int) (waited time.Duration) {
	t.Helper()
	body := fmt.Sprintf(`{"model":%q,"stream":true,"max_tokens":%d,"messages":[{"role":"user","content":"%d %s"}]}`, model, tokens, rand.Int(), strings.Repeat("word ", words))
	began := time.Now()
	resp, err := http.Post(c.base+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	text, err := io.ReadAll(&firstByte{resp.Body, func() { waited = cmp.Or(waited, time.Since(began)) }})
	if err != nil || resp.StatusCode != http.StatusOK || !bytes.Contains(text, []byte("[DONE]")) || bytes.Contains(text, []byte(`"error"`)) {
		t.Errorf("%s: %d %s %v", model, resp.StatusCode, text[max(0, len(text)-400):], err)
	}
	return waited
}

// firstText is the beginning of a text; a heartbeat is a chunk without one.
var firstText = regexp.MustCompile(`"(reasoning_)?content":"[^"]`)

// firstByte tells when text has come.
type firstByte struct {
	io.Reader
	tell func()
}

func (f *firstByte) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if firstText.Match(b[:n]) {
		f.tell()
	}
	return n, err
}

func TestTurns_fiftyClientsOverFourModelsWithRoomForTwo(t *testing.T) {
	const clients = 50
	c, turns := crowd(t, 2)
	var all sync.WaitGroup
	var mu sync.Mutex
	var longest time.Duration
	began := time.Now()
	for n := range clients {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		all.Go(func() {
			for range turns {
				waited := c.turn(t, string(rune('a'+r.IntN(4))), 8, 8)
				mu.Lock()
				longest = max(longest, waited)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	took, loads := time.Since(began), c.loads()
	perMinute := float64(loads) / took.Minutes()
	t.Logf("%d requests in %s: %d loads, %.1f a minute, longest wait %s", clients*turns, took.Round(time.Second), loads, perMinute, longest.Round(100*time.Millisecond))
	// each of two places is kept for the shortest stay, however slow the machine is
	if most := 2 * (1 + int(took/(10*time.Second))); loads > most {
		t.Errorf("%d loads; the shortest stay allows %d", loads, most)
	}
}

func TestTurns_twoAgentsOnTwoModelsWithRoomForOne(t *testing.T) {
	c, turns := crowd(t, 1)
	agent := func(model string) {
		for range turns {
			c.turn(t, model, 400, 600)
			// what an agent does between turns: it runs a program
			tool := exec.Command(os.Args[0], "version")
			if tool.Env = append(os.Environ(), runEnv+"=1"); tool.Run() != nil {
				t.Error("the agent's tool failed")
			}
		}
	}
	began := time.Now()
	agent("a")
	agent("b")
	one, loads := time.Since(began), c.loads()
	began = time.Now()
	var both sync.WaitGroup
	both.Go(func() { agent("c") })
	both.Go(func() { agent("d") })
	both.Wait()
	took := time.Since(began)
	ratio := took.Seconds() / one.Seconds()
	t.Logf("%d turns each: %s one after the other (%d loads), %s together (%d loads): %.2f", turns, one.Round(time.Second), loads, took.Round(time.Second), c.loads()-loads, ratio)
	if ratio > 1.3 {
		t.Errorf("%.2f times as long", ratio)
	}
}
