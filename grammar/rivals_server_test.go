package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"

	"tenon/grammar/grammartest"
)

// serverEvery is the step of the sample of schemas that llama-server generates under.
const serverEvery = 499

// TestPrint_llamaServerEnforces: what llama-server generates under a printed grammar belongs to
// the grammar, or is a beginning of what does.
func TestPrint_llamaServerEnforces(t *testing.T) {
	url := os.Getenv("TENON_RIVAL_SERVER")
	if url == "" {
		t.Skip("TENON_RIVAL_SERVER does not name a llama-server; make test-print does, given LLAMA_SERVER and MODEL")
	}
	var done, ended, strict, loose int
	judge := func(name string, g *Grammar) bool {
		p, err := g.Print(GBNF)
		if err != nil {
			t.Logf("%s: %v", name, err)
			return true
		}
		text, whole, err := complete(url, p.Text, int64(done))
		if err != nil {
			t.Errorf("%s: %v\n%.1000s", name, err, p.Text)
			return true
		}
		m := g.Matcher(nil)
		fits := m.AcceptBytes([]byte(text)) == nil && (!whole || m.Done())
		done++
		ended += count(whole)
		strict += count(len(p.Loosened) == 0)
		loose += count(!fits)
		if !fits && len(p.Loosened) == 0 {
			t.Errorf("%s: llama-server wrote %q, which the grammar refuses:\n%.1000s", name, text, p.Text)
		}
		return len(p.Loosened) == 0
	}
	for _, c := range rivalGrammars {
		judge(c.src, mustParse(t, c.src))
	}
	i := 0
	grammartest.Schemas(t, serverEvery, func(c grammartest.Case) {
		o := printOptions[i%len(printOptions)]
		i++
		o.Lenient = true
		if g, err := FromSchema(c.Schema, o); err != nil || judge(c.Name, g) {
			return
		}
		o.Extra = NoExtra // that any other keys differ is beyond a context-free grammar
		if g, err := FromSchema(c.Schema, o); err == nil {
			judge(c.Name+" without other keys", g)
		}
	})
	t.Logf("%d grammars, %d outputs came to their end, %d grammars not loosened; %d outputs fell under what was loosened", done, ended, strict, loose)
}

// complete has llama-server generate under a grammar, and says whether the text came to its end.
func complete(url, text string, seed int64) (string, bool, error) {
	body, err := json.Marshal(map[string]any{"prompt": "An example of the data, as JSON:\n", "grammar": text, "n_predict": 40, "temperature": 0.8, "seed": seed})
	if err != nil {
		return "", false, err
	}
	response, err := http.Post(url+"/completion", "application/json", bytes.NewReader(body))
	if err != nil {
		return "", false, err
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	var out struct {
		Content  string          `json:"content"`
		StopType string          `json:"stop_type"`
		Error    json.RawMessage `json:"error"`
	}
	if err := json.NewDecoder(response.Body).Decode(&out); err != nil {
		return "", false, err
	}
	if response.StatusCode != http.StatusOK {
		return "", false, fmt.Errorf("status %d: %s", response.StatusCode, out.Error)
	}
	return out.Content, out.StopType == "eos", nil
}
