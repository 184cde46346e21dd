package server_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/server"
)

// structure is the members of one of the decoders' structs: their names and the structs that they
// hold, with "[]" before those in a list, "" for other values.
type structure map[string]string

// readLater are the structs of values that the decoders keep raw at first, by package and field.
var readLater = map[string]map[string]string{
	"openai":    {"content": "[]part"},
	"responses": {"input": "[]item", "tools": "[]tool", "content": "[]contentPart", "output": "[]contentPart"},
	"anthropic": {"content": "[]block", "system": "[]block", "tools": "[]tool"},
}

// structures reads the decoders' own field lists: the structs with JSON names of a package.
func structures(t *testing.T, dir string) map[string]structure {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	all, embedded := map[string]structure{}, map[string][]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					all[spec.Name.Name], embedded[spec.Name.Name] = members(all, spec.Name.Name, s)
				}
			}
			return true
		})
	}
	for name := range all {
		for field, of := range readLater[dir] {
			if kept, ok := all[name][field]; ok && kept == "" {
				all[name][field] = of
			}
		}
		for _, inner := range embedded[name] {
			maps.Copy(all[name], all[inner])
		}
	}
	return all
}

// members reads the fields of a struct. Structs inside of it get names of their own.
func members(all map[string]structure, name string, s *ast.StructType) (out structure, embedded []string) {
	out = structure{}
	for _, f := range s.Fields.List {
		of, list := f.Type, ""
		for {
			if p, ok := of.(*ast.StarExpr); ok {
				of = p.X
			} else if a, ok := of.(*ast.ArrayType); ok {
				of, list = a.Elt, "[]"
			} else {
				break
			}
		}
		id, _ := of.(*ast.Ident)
		if len(f.Names) == 0 && id != nil {
			embedded = append(embedded, id.Name)
		}
		if _, isTable := of.(*ast.IndexListExpr); isTable {
			for _, row := range engine.SamplingFields {
				out[row.Key] = ""
			}
		}
		if f.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(f.Tag.Value)
		key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		switch inner, ok := of.(*ast.StructType); {
		case ok:
			all[name+"."+key], _ = members(all, name+"."+key, inner)
			out[key] = list + name + "." + key
		case id != nil:
			out[key] = list + id.Name
		default:
			out[key] = ""
		}
	}
	return out, embedded
}

// siblings stand beside a hostile value, so that what holds it is read at all.
var siblings = []string{
	`"type":"function","role":"user","name":"f","call_id":"c","id":"i"`, `"type":"text","role":"user"`, `"type":"message","role":"assistant"`, `"type":"namespace","name":"f"`,
	`"type":"tool_result","role":"tool","tool_use_id":"i","tool_call_id":"i","call_id":"i"`, `"type":"tool_use","id":"i","name":"f"`, `"type":"text"`,
	`"type":"function_call_output","call_id":"c"`, `"type":"json_schema","name":"f"`, `"type":"custom","name":"f"`, `"type":"additional_tools"`, `"type":"allowed_tools"`, `"type":"reasoning"`,
}

// shapes are values of a size, for a field of a name beside others.
var shapes = map[string]func(n int, field, beside string) string{
	"nested arrays":  func(n int, _, _ string) string { return strings.Repeat("[", n) + strings.Repeat("]", n) },
	"nested objects": func(n int, _, _ string) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) },
	"nested in itself": func(n int, field, beside string) string {
		return strings.Repeat(`[{`+beside+`,"`+field+`":`, n/8) + "[]" + strings.Repeat("}]", n/8)
	},
	"wide":     func(n int, _, beside string) string { return "[" + strings.Repeat(`{`+beside+`},`, n/8) + "{}]" },
	"strings":  func(n int, _, _ string) string { return "[" + strings.Repeat(`"a",`, n) + `"b"]` },
	"lists":    func(n int, _, _ string) string { return "[" + strings.Repeat(`[1],`, n) + `[2]]` },
	"numbers":  func(n int, _, _ string) string { return "[" + strings.Repeat(`1,`, n) + `2]` },
	"text":     func(n int, _, _ string) string { return `"` + strings.Repeat(`a{\n`, n) + `"` },
	"keys":     func(n int, _, _ string) string { return "{" + keys(n) + `"z":1}` },
	"repeated": func(n int, field, _ string) string { return strings.Repeat(`1,"`+field+`":`, n/4) + "1" },
}

func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":{},`, i)
	}
	return b.String()
}

// Issue 19: a body costs what its length is: every field that a decoder knows, whatever stands in
// it. Work is counted in allocated bytes: four times the body may cost some six times as much. By
// default one in several bodies is sent; TENON_ALL=1 sends them all.
func TestDecode_everyFieldCostsWhatItsLengthIs(t *testing.T) {
	for _, c := range []struct{ path, dir, root, minimal string }{
		{"/v1/chat/completions", "openai", "chatRequest", chatFields.minimal},
		{"/v1/completions", "openai", "completionRequest", completionFields.minimal},
		{"/v1/embeddings", "openai", "embeddingRequest", `"model":"scripted"`},
		{"/tokenize", "openai", "tokenizeRequest", `"model":"scripted"`},
		{"/detokenize", "openai", "detokenizeRequest", `"model":"scripted"`},
		{"/v1/responses", "responses", "createRequest", `"model":"scripted","input":"hi"`},
		{"/v1/messages", "anthropic", "messagesRequest", `"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"hi"}]`},
	} {
		all := structures(t, c.dir)
		if len(all[c.root]) == 0 {
			t.Fatalf("%s has no %s", c.dir, c.root)
		}
		const sample = 7
		h := server.New(options(t))
		count := 0
		eachField(all, c.root, `{`+c.minimal+`,`, `}`, 0, func(before, field, beside, after string) {
			for _, name := range slices.Sorted(maps.Keys(shapes)) {
				shape := shapes[name]
				if count++; count%sample != 0 && os.Getenv("TENON_ALL") == "" {
					continue
				}
				const small, grown, most = 240, 4, 6.5
				body := func(n int) string { return before + `"` + field + `":` + shape(n, field, beside) + after }
				costs := func(n int) (a, b float64) {
					return growth(most, func(run int) float64 { return allocatedBy(t, h, c.path, body(n+8*run)) },
						func(run int) float64 { return allocatedBy(t, h, c.path, body(grown*n+8*run)) })
				}
				a, b := costs(small)
				if b > most*a {
					// what a small body pays once weighs less here
					a, b = costs(grown * small)
				}
				if b > most*a {
					t.Errorf("%s, %s: %.0f bytes for one length, %.0f for %d: %.300s", c.path, name, a, b, grown, body(3))
				}
			}
		})
		t.Logf("%s: %d bodies", c.path, count)
	}
}

// growth is the most that a body costs and the least that a longer one does. Each is tried several
// times with another body, so that nothing is gained by what is remembered of the last. With the
// race detector, pools forget at random; what costs too much does so each time.
func growth(most float64, short, long func(run int) float64) (a, b float64) {
	b = math.Inf(1)
	for run := 0; run < 12 && b > most*a; run++ {
		if run < 3 {
			a = max(a, short(run))
		}
		b = min(b, long(run))
	}
	return a, b
}

// allocatedBy is how many bytes a server allocates to answer a body, which it must with a status
// of its own.
func allocatedBy(t *testing.T, h http.Handler, path, body string) float64 {
	t.Helper()
	var before, after runtime.MemStats
	rec := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	runtime.ReadMemStats(&before)
	h.ServeHTTP(rec, r)
	runtime.ReadMemStats(&after)
	if rec.Code != http.StatusOK && rec.Code != http.StatusBadRequest && rec.Code != http.StatusNotFound {
		t.Errorf("%s: status %d: %.200s", path, rec.Code, rec.Body)
	}
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// eachField shows every field below a struct: what stands before it in a body, beside it and
// behind it.
func eachField(all map[string]structure, of, before, after string, depth int, see func(before, field, beside, after string)) {
	const deepest = 2
	_, typed := all[of]["type"]
	_, spoken := all[of]["role"]
	for i, beside := range siblings {
		lead := before
		if depth > 0 {
			lead += beside + ","
		}
		if i > 0 && depth > 0 && !typed && !spoken {
			break
		}
		for _, field := range slices.Sorted(maps.Keys(all[of])) {
			see(lead, field, beside, after)
			inner, list := strings.CutPrefix(all[of][field], "[]")
			if all[inner] == nil || depth == deepest || i > 2 || depth == 0 && i > 0 {
				continue
			}
			if list {
				eachField(all, inner, lead+`"`+field+`":[{`, `}]`+after, depth+1, see)
			} else {
				eachField(all, inner, lead+`"`+field+`":{`, `}`+after, depth+1, see)
			}
		}
	}
}
