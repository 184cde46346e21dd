package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenon/engine"
)

// read is what comes of events, one a line.
func read(api API, data []byte) (c Calls, text string) {
	for line := range bytes.Lines(data) {
		if p, err := api.Read(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("data: ")), &c); err == nil {
			text += p.Text
		}
	}
	return c, text
}

// S1-13, S1-15: however calls are cut, and whichever piece of which comes first, they are the
// same.
func TestCalls_anyCutAndOrder(t *testing.T) {
	want := []string{`{"a": "ü}{\"", "b": [1, {}]}`, `{}`, `{"c": null}`}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 0))
		var c Calls
		left, begun, ids := append([]string{}, want...), make([]bool, len(want)), seed%2 == 0
		for strings.Join(left, "") != "" {
			i := r.IntN(len(want))
			n := r.IntN(len(left[i]) + 1)
			id, name := "", ""
			if !begun[i] && (n == len(left[i]) || r.IntN(2) == 0) {
				begun[i], id, name = true, fmt.Sprint("id", i), fmt.Sprint("tool", i)
			}
			if begun[i] && ids && r.IntN(2) == 0 {
				id = fmt.Sprint("id", i)
			}
			c.Add(&i, id, name, left[i][:n])
			left[i] = left[i][n:]
		}
		tokens, err := c.Tokens(false)
		if err != nil || len(tokens) != 3*len(want) {
			t.Fatalf("seed %d: %v, %d tokens", seed, err, len(tokens))
		}
		for i, arguments := range want {
			if got := string(tokens[3*i+1].Bytes); got != fmt.Sprintf("\n{\"name\": \"tool%d\", \"arguments\": %s}\n", i, arguments) {
				t.Fatalf("seed %d: %s", seed, got)
			}
		}
	}
}

// What has no end is given up.
func TestCalls_areBounded(t *testing.T) {
	var c Calls
	for range 70 {
		c.Add(nil, "", "a", strings.Repeat(" ", 1<<20))
	}
	if _, err := c.Tokens(false); err == nil || len(c.all[0].arguments) > 64 {
		t.Errorf("%v", err)
	}
}

// FuzzRead: any events are read to the end, and what is called comes between markers, one by one.
// Under a limit each call is whole.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("../testdata/messages/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal("no transcripts", err)
	}
	more, _ := filepath.Glob("../testdata/chat/*.txt") // its form is right
	for _, file := range append(files, more...) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, api := range []API{Completions, Messages} {
			for _, limited := range []bool{false, true} {
				c, _ := read(api, data)
				tokens, err := c.Tokens(limited)
				if err != nil {
					continue
				}
				for i, token := range tokens {
					if symbol := i%3 != 1; symbol != (token.Kind == engine.Symbol) || symbol && string(token.Bytes) != engine.ChatMarkers[i%3/2] {
						t.Fatalf("token %d of %q is %+v", i, data, token)
					}
					if i%3 == 1 && limited && !json.Valid(token.Bytes) {
						t.Fatalf("%q is cut off", token.Bytes)
					}
				}
			}
		}
	})
}
