package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// How good a model's calls are: cases of the Berkeley function calling leaderboard that demand one
// or more calls. Each is asked with tool_choice required, greedily, and judged as its authors do:
// the calls are right if each is one of the expected, with arguments among the accepted ones.

var evalOptions struct {
	cases string
	most  int
	model string
	limit time.Duration
}

func init() {
	flag.StringVar(&evalOptions.cases, "eval.cases", "../../../shared/data/tools/bfcl-dev.jsonl.gz", "cases with answers, a line each")
	flag.StringVar(&evalOptions.model, "eval.model", "", "the GGUF to judge")
	flag.IntVar(&evalOptions.most, "eval.most", 150, "ask this many of the cases, evenly spread; 0: all")
	flag.DurationVar(&evalOptions.limit, "eval.limit", 8*time.Minute, "and none after this time")
}

// evalCase is one case.
type evalCase struct {
	ID       string
	Category string
	Question [][]object
	Function []struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Parameters  map[string]any `json:"parameters"`
	}
	Answers []map[string]map[string][]any `json:"ground_truth"`
}

// stride has each beginning of the list of cases hold all kinds of them; it divides no number of
// cases that is less than itself.
const stride = 1009

// made is a call that the model made.
type made struct {
	name string
	args map[string]any
}

func TestEval(t *testing.T) {
	if opts.tenon == "" || evalOptions.model == "" {
		t.Skip("make eval builds what it needs and runs it")
	}
	cases, err := readCases(evalOptions.cases)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(opts.work, 0o755); err != nil {
		t.Fatal(err)
	}
	b := &bench{options: opts}
	c, err := b.start(t.Context(), "eval", opts.tenon, "serve", evalOptions.model, "--threads", fmt.Sprint(opts.threads))
	if err != nil {
		t.Fatal(err)
	}
	defer c.stop()
	var asked, calls, valid, none, right, first int
	var one tally // of the cases that expect one call
	end := time.Now().Add(evalOptions.limit)
	for k := range cases {
		if k == evalOptions.most && k > 0 || time.Now().After(end) {
			break
		}
		i := k * stride % len(cases)
		all, fit, err := c.evaluate(t.Context(), cases[i])
		if err != nil {
			t.Errorf("%s: %v", cases[i].ID, err)
			continue
		}
		asked, calls, valid = asked+1, calls+len(all), valid+fit
		none += count(len(all) == 0)
		whole, alone := matches(cases[i].Answers, all), len(all) > 0 && matches(cases[i].Answers, all[:1])
		right, first = right+count(whole), first+count(alone)
		if len(cases[i].Answers) == 1 {
			one.take(all)
		}
		if alone && !whole { // which calls are too many?
			t.Logf("%s: the first call alone is right; made were %v", cases[i].ID, all)
		}
	}
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
	t.Logf("%d of %d cases with tool_choice required: %d calls, %d without any", asked, len(cases), calls, none)
	t.Logf("calls that name a declared tool and validate: %.1f %%", share(valid, calls))
	t.Logf("AST: %.1f %% (%d); the first calls alone: %.1f %% (%d)", share(right, asked), right, share(first, asked), first)
	t.Logf("%d cases expect one call: in %d one was made, in %d several, in %d of those two are the same but for how they are written", one.cases, one.single, one.several, one.alike)
	if valid < calls || none > 0 {
		t.Errorf("%d calls do not validate, %d answers have none", calls-valid, none)
	}
}

// tally counts what was made where one call is expected. Calls that are equal to the byte are
// dropped where the model writes tenon's own protocol; what else comes is another call.
type tally struct{ cases, single, several, alike int }

func (c *tally) take(all []made) {
	c.cases++
	c.single += count(len(all) == 1)
	c.several += count(len(all) > 1)
	for i, m := range all {
		if slices.ContainsFunc(all[:i], func(o made) bool { return o.name == m.name && reflect.DeepEqual(o.args, m.args) }) {
			c.alike++
			return
		}
	}
}

func count(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// readCases reads the cases that expect calls in the types of JSON or Python.
func readCases(path string) (all []evalCase, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c evalCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, err
		}
		if len(c.Answers) > 0 && c.Category != "simple_java" && c.Category != "simple_javascript" {
			for i := range c.Function {
				translate(c.Function[i].Parameters)
			}
			all = append(all, c)
		}
	}
	return all, lines.Err()
}

// translate writes Python's names of types as JSON Schema does.
func translate(v any) {
	switch v := v.(type) {
	case map[string]any:
		if name, ok := v["type"].(string); ok {
			types := map[string]string{"dict": "object", "float": "number", "tuple": "array", "list": "array"}
			if v["type"] = cmp.Or(types[name], name); name == "any" {
				delete(v, "type")
			}
		}
		for _, e := range v {
			translate(e)
		}
	case []any:
		for _, e := range v {
			translate(e)
		}
	}
}

// evaluate asks a case. valid is how many calls name a tool and validate against its schema.
func (c *contender) evaluate(ctx context.Context, e evalCase) (all []made, valid int, err error) {
	var tools []object
	for _, f := range e.Function {
		tools = append(tools, object{"type": "function", "function": f})
	}
	data, err := json.Marshal(object{"model": c.model, "temperature": 0, "max_tokens": 256, "messages": e.Question[0], "tools": tools, "tool_choice": "required"})
	if err != nil {
		return nil, 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/v1/chat/completions", bytes.NewReader(data))
	if err != nil {
		return nil, 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	var out struct {
		Choices []struct {
			Message struct {
				Calls []struct {
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	if err := do(r, &out); err != nil {
		return nil, 0, err
	}
	for _, call := range out.Choices[0].Message.Calls {
		m := made{name: call.Function.Name}
		err := json.Unmarshal([]byte(call.Function.Arguments), &m.args)
		all, valid = append(all, m), valid+count(err == nil && e.fits(m))
	}
	return all, valid, nil
}

// fits tells whether a call names a tool of the case and validates against its schema.
func (e evalCase) fits(m made) bool {
	for _, f := range e.Function {
		if f.Name != m.name {
			continue
		}
		compiler := jsonschema.NewCompiler()
		if compiler.AddResource("mem:tool", f.Parameters) != nil {
			return false
		}
		schema, err := compiler.Compile("mem:tool")
		return err == nil && schema.Validate(m.args) == nil
	}
	return false
}

// matches tells whether the calls are the expected ones, in any order.
func matches(answers []map[string]map[string][]any, calls []made) bool {
	if len(answers) != len(calls) {
		return false
	}
	calls = slices.Clone(calls)
	for _, answer := range answers {
		i := slices.IndexFunc(calls, func(m made) bool {
			accepted, named := answer[m.name]
			return named && accepts(accepted, m.args)
		})
		if i < 0 {
			return false
		}
		calls = slices.Delete(calls, i, i+1)
	}
	return true
}

// accepts tells whether arguments are among the accepted. An accepted "" says that the argument
// may be left out.
func accepts(accepted map[string][]any, args map[string]any) bool {
	for key, value := range args {
		if !slices.ContainsFunc(accepted[key], func(a any) bool { return same(a, value) }) {
			return false
		}
	}
	for key, values := range accepted {
		if _, given := args[key]; !given && !slices.Contains(kinds(values), "") {
			return false
		}
	}
	return true
}

// kinds are the texts among some values.
func kinds(values []any) (texts []string) {
	for _, v := range values {
		if s, ok := v.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts
}

// same tells whether a value is an accepted one: in texts, case, blanks and punctuation do not
// count; the members of an object have lists of accepted values, too.
func same(accepted, value any) bool {
	switch a := accepted.(type) {
	case string:
		v, ok := value.(string)
		plain := strings.NewReplacer(" ", "", ",", "", ".", "", "/", "", "-", "", "_", "", "*", "", "^", "", "'", "")
		return ok && strings.EqualFold(plain.Replace(a), plain.Replace(v))
	case []any:
		v, ok := value.([]any)
		if !ok || len(a) != len(v) {
			return false
		}
		for i := range a {
			if !same(a[i], v[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		v, ok := value.(map[string]any)
		members := map[string][]any{}
		for key, list := range a {
			members[key], _ = list.([]any)
		}
		return ok && accepts(members, v)
	}
	return reflect.DeepEqual(accepted, value)
}

// The judge takes what the leaderboard's takes.
func TestEval_theJudge(t *testing.T) {
	answers := []map[string]map[string][]any{{"f": {"city": {"New York, NY", "NYC"}, "n": {3.0, ""}, "o": {map[string]any{"k": []any{"v"}}, ""}}}}
	for args, want := range map[string]bool{
		`{"city":"new york NY"}`: true, `{"city":"nyc","n":3}`: true, `{"city":"NYC","n":4}`: false, `{"n":3}`: false, `{"city":"NYC","x":1}`: false,
		`{"city":"NYC","o":{"k":"V"}}`: true, `{"city":"NYC","o":{"k":"w"}}`: false,
	} {
		m := made{name: "f"}
		if err := json.Unmarshal([]byte(args), &m.args); err != nil {
			t.Fatal(err)
		}
		if matches(answers, []made{m}) != want || matches(answers, []made{m, m}) || matches(answers, []made{{name: "g", args: m.args}}) {
			t.Errorf("%s is judged other than %v", args, want)
		}
	}
}
