package main

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/sandbox"
	"tenon/models/placement"
)

// The test binary is also the process that measures a model's file.
// runEnv makes the test's own program tenon.
const runEnv = "TEST_RUNS_TENON"

// TestMain makes it tenon where a test or tenon itself starts it so.
func TestMain(m *testing.M) {
	if os.Getenv(mcpEnv) != "" {
		serveMCP()
		os.Exit(0)
	}
	ours := []string{measureCommand, tokensCommand, vramCommand, workerCommand}
	if len(os.Args) == 3 && os.Args[1] == sandbox.CommandName || os.Getenv(runEnv) != "" || len(os.Args) == 2 && slices.Contains(ours, os.Args[1]) {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The server does not read a model's file for its estimate, a confined process does.
func TestMeasure_answersAsInThisProcess(t *testing.T) {
	q := placement.Question{Path: tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}), Wanted: 4096, Least: 2048}
	want, err := placement.Measure(q)
	if err != nil {
		t.Fatal(err)
	}
	got, err := measure(q)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

// Whatever a file says, the answer is an estimate or an error, and this process goes on.
func TestMeasure_hostileFilesAreErrors(t *testing.T) {
	whole, err := os.ReadFile(tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "evil.gguf")
	try := func(data []byte) error {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := measure(placement.Question{Path: path, Wanted: 4096, Least: 2048})
		return err
	}
	for name, data := range map[string][]byte{
		"empty": nil, "no model": []byte("#!/bin/sh\n"), "cut in the header": whole[:100],
		"absurd count of tensors": with(whole, 8, 1<<62), "absurd count of keys": with(whole, 16, 1<<62),
		"absurd length of a key": with(whole, 24, 1<<62),
	} {
		if err := try(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	random := rand.New(rand.NewPCG(1, 9))
	tries := 12 // each starts a process; TENON_ALL=1 tries more
	if os.Getenv("TENON_ALL") != "" {
		tries = 200
	}
	for range tries { // each with a word changed to what no file has, or cut
		data := with(whole, 24+random.IntN(2000), random.Uint64()>>random.IntN(64))
		if random.IntN(4) == 0 {
			data = data[:random.IntN(len(data))]
		}
		_ = try(data) // it may well be an estimate
	}
}

// with is a copy of a file with eight bytes changed.
func with(data []byte, offset int, v uint64) []byte {
	changed := append([]byte(nil), data...)
	binary.LittleEndian.PutUint64(changed[offset:], v)
	return changed
}

// Issue 19: tenon check counts tokens by a model's file that it does not open itself: a confined
// process does, whose end is an error here.
func TestTokens_areCountedByAConfinedProcess(t *testing.T) {
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	q := tokenQuestion{Model: path, Texts: []string{"hello world", "", "a tool\n"}}
	want, err := countTokens(q)
	if err != nil {
		t.Fatal(err)
	}
	got, err := askTokens(t.Context(), q)
	if diff := cmp.Diff(want, got); diff != "" || err != nil || want[0] == 0 {
		t.Errorf("%v %s", err, diff)
	}
	out, _, err := execute(t, "check", write(t, "tools.json", `[{"name":"f","input_schema":{"type":"object"}}]`), "--model", path)
	if err != nil || !strings.Contains(out, " tokens)") {
		t.Errorf("%q %v", out, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"empty": nil, "cut off": whole[:len(whole)/4], "absurd count of keys": with(whole, 16, 1<<62)} {
		evil := write(t, "evil.gguf", string(data))
		if _, err := askTokens(t.Context(), tokenQuestion{Model: evil, Texts: q.Texts}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
