package bench

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scripted plays a server that answers as both do: llama-server adds timings of its own, which are
// not looked at.
func scripted(t *testing.T, status int, answer string) (*contender, *[]object) {
	t.Helper()
	var asked []object
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body object
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		asked = append(asked, body)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer)) // the test sees what arrives
	}))
	t.Cleanup(s.Close)
	return &contender{name: "scripted", base: s.URL, model: "m"}, &asked
}

func TestComplete_countsWhatBothServersReport(t *testing.T) {
	for name, body := range map[string]string{
		"tenon": `{"choices":[{"text":"a"}],"usage":{"prompt_tokens":910,"completion_tokens":128,
			"prompt_tokens_details":{"cached_tokens":0}}}`,
		"llama-server": `{"choices":[{"text":"a"}],"usage":{"prompt_tokens":910,"completion_tokens":128,"total_tokens":1038},
			"timings":{"prompt_n":1,"prompt_ms":2.5,"predicted_n":128,"predicted_per_second":51.2}}`,
	} {
		c, asked := scripted(t, http.StatusOK, body)
		a, err := c.complete(context.Background(), "Once", 128)
		if err != nil || a.prompt != 910 || a.generated != 128 || a.took <= 0 {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
		want := []object{{"model": "m", "prompt": "Once", "max_tokens": 128.0, "temperature": 0.0}}
		if diff := cmp.Diff(want, *asked); diff != "" {
			t.Errorf("%s: requests (-want +got):\n%s", name, diff)
		}
	}
}

func TestComplete_tellsOfARefusal(t *testing.T) {
	c, _ := scripted(t, http.StatusServiceUnavailable, `{"error":{"message":"loading"}}`)
	if _, err := c.complete(context.Background(), "Once", 1); err == nil || !strings.Contains(err.Error(), "scripted: /v1/completions: 503") ||
		!strings.Contains(err.Error(), "loading") {
		t.Errorf("%v", err)
	}
}

func TestCompare_takesTheBetterOfTheirSettings(t *testing.T) {
	all := []*contender{{name: "tenon"}, {name: "fa on"}, {name: "fa off"}}
	speeds := map[string][]float64{"tenon": {50, 52, 51}, "fa on": {40, 41, 42}, "fa off": {60, 44, 43}}
	for _, c := range []struct {
		lower   bool
		theirs  float64
		setting string
	}{{false, 44, "fa off"}, {true, 41, "fa on"}} {
		b, calls := &bench{}, map[string]int{}
		figure := func(_ context.Context, c *contender) (float64, error) {
			calls[c.name]++
			return speeds[c.name][calls[c.name]-1], nil
		}
		if err := b.compare(context.Background(), all, row{lower: c.lower}, figure, 3); err != nil {
			t.Fatal(err)
		}
		if got := b.rows[0]; got.ours != 51 || got.theirs != c.theirs || got.setting != c.setting {
			t.Errorf("lower %v: %+v", c.lower, got)
		}
	}
}

func TestCompare_againstNobody(t *testing.T) {
	b := &bench{}
	one := func(context.Context, *contender) (float64, error) { return 1, nil }
	if err := b.compare(context.Background(), []*contender{{name: "tenon"}}, row{least: 1}, one, 5); err != nil {
		t.Fatal(err)
	}
	if got := b.rows[0].verdict(); got != "not compared" {
		t.Errorf("%s", got)
	}
}

func TestParts_onlyThoseThatAreAskedFor(t *testing.T) {
	for _, c := range []struct {
		only string
		real bool
		want []string
	}{
		{"", false, []string{"m: prompt of 900 tokens", "m: decode", "m: 4 streams"}},
		{"decode", true, []string{"m: decode", "m: decode under a tool's grammar", "m: decode beside a busy process"}},
		{"m: decode$", true, []string{"m: decode"}},
		{"tools", true, nil},
	} {
		b := &bench{options: options{only: regexp.MustCompile(c.only)}}
		var got []string
		for _, p := range b.parts(model{name: "m", real: c.real}) {
			got = append(got, p.what)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.only, diff)
		}
	}
}

func TestDeclarations_fromMCP(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	text := `[{"name":"list_issues","description":"Lists.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := declarations(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []object{{"type": "function", "function": object{
		"name": "list_issues", "description": "Lists.", "parameters": json.RawMessage(`{"type":"object"}`)}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := declarations(path + ".missing"); err == nil {
		t.Error("a missing file gives no error")
	}
}
