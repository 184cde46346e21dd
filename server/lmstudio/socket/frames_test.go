package socket_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// S3-2: what published SDKs sent, as it was recorded, is understood: getOrLoad, respond with
// settings, complete, a round of act with a tool, and one that sends a call and its result.
func TestFrames_recordedOfPublishedSDKs(t *testing.T) {
	files, err := filepath.Glob("testdata/frames/*.jsonl")
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := serve(t)
			c := s.dial(t, "llm")
			for n, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
				if n > 0 {
					line = strings.Replace(line, "REFERENCE", s.fleet.Instances()[0].Reference, 1)
				}
				c.send(line)
				if all := c.until(); n == 0 && all[len(all)-2].Message.Type != "loadSuccess" {
					t.Fatalf("%+v", all)
				} else if n > 0 {
					success(t, all)
				}
			}
			turns := s.engine.Turns()
			if i := s.fleet.Instances()[0]; i.Settings.Context != 2048 {
				t.Errorf("%+v", i.Settings)
			}
			if got := turns[0].Sampling; *got.Temperature != 0.5 || *got.TopK != 5 || turns[0].Budget.Tokens != 4 {
				t.Errorf("%v, at most %d tokens", got, turns[0].Budget.Tokens)
			}
			if got := turns[1].Prompt.String(); got != "say" {
				t.Errorf("complete read %q", got)
			}
			if !strings.Contains(turns[2].Grammar, `[tool="add"`) {
				t.Errorf("act may not call its tool: %s", turns[2].Grammar)
			}
			if len(turns) < 4 {
				return // Python's loop ended with its first round
			}
			if got := turns[3].Prompt.String(); !strings.Contains(got, "be brief") || !strings.Contains(got, `{"a":1,"b":2}`) && !strings.Contains(got, `{"a": 1, "b": 2}`) {
				t.Errorf("the history is %q", got)
			}
		})
	}
}
