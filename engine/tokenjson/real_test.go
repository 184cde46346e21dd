package tokenjson

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tenon/engine"
)

var realFolder = flag.String("tokenjson.real", "", "what make test-tokenizers fetches: texts, tokenizers and the ids that they give")

func readTest(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The ids are those of Python's tokenizers. Letters that are newer than Go's tables may differ.
func TestReal_sameIDs(t *testing.T) {
	if *realFolder == "" {
		t.Skip("run by make test-tokenizers, which fetches real tokenizers")
	}
	var texts []string
	readTest(t, filepath.Join(*realFolder, "texts.json"), &texts)
	files, err := filepath.Glob(filepath.Join(*realFolder, "real", "*", Name))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d tokenizers, %v", len(files), err)
	}
	for _, file := range files {
		v, err := Open(filepath.Dir(file), Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		var want [][]int32
		readTest(t, filepath.Join(filepath.Dir(file), "ids.json"), &want)
		same := 0
		for i, text := range texts {
			got, err := v.Tokens(t.Context(), engine.Prompt{{Text: text, Origin: engine.Content}})
			switch {
			case err != nil:
				t.Error(err)
			case slices.Equal(got, want[i]):
				same++
			}
		}
		t.Logf("%-13s %d of %d texts (%.3f %%) have the same ids", filepath.Base(filepath.Dir(file)), same, len(texts), 100*float64(same)/float64(len(texts)))
		if 1000*same < 999*len(texts) {
			t.Errorf("%s: fewer than 99.9 %%", file)
		}
	}
}
