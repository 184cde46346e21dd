package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The rules of the code base that no linter knows: who may import whom, that every package
// explains itself, how long a file and a function may be.

const (
	maxFileLines     = 600
	maxFunctionLines = 80
)

// layers says which of our packages a folder's packages may import. The longest matching folder
// decides; a package may always import those below its own folder's entry.
var layers = map[string][]string{
	"engine":               {},
	"engine/enginetest":    {"engine"},
	"engine/llama":         {"engine", "engine/enginetest"},
	"engine/remote":        {"engine", "grammar"},
	"engine/remote/chat":   {"engine", "templates"},
	"engine/tokens":        {"engine", "grammar"},
	"engine/tokenjson":     {"engine", "grammar"},
	"engine/worker":        {"engine", "engine/enginetest", "engine/llama", "grammar"},
	"grammar":              {},
	"templates":            {},
	"templates/canonical":  {},                        // what tools/bind reads of templates
	"templates/schema":     {"grammar/schema/source"}, // the table of keywords
	"tools":                {"grammar"},
	"tools/peek":           {},
	"tools/memo":           {},
	"tools/lenient":        {"tools/peek"},
	"tools/ordered":        {"tools/lenient"},
	"tools/turn":           {},
	"tools/conform":        {"tools/ordered", "tools/lenient", "tools/memo", "grammar/schema/source"},
	"tools/format":         {"tools/peek"},
	"tools/families":       {"tools/format", "tools/conform"},
	"tools/declared":       {"tools/ordered", "tools/turn", "tools/format", "tools/peek", "tools/lenient", "tools/conform", "tools/memo", "grammar"},
	"tools/plan":           {"tools/declared", "tools/turn", "tools/format", "tools/peek", "tools/lenient", "tools/conform", "grammar"},
	"tools/emit":           {"tools/ordered", "tools/plan", "tools/declared", "tools/turn", "tools/format", "tools/memo", "grammar"},
	"tools/scan":           {"tools/ordered", "tools/plan", "tools/declared", "tools/turn", "tools/format", "tools/peek", "tools/lenient", "tools/conform"},
	"tools/parse":          {"tools/ordered", "tools/scan", "tools/emit", "tools/plan", "tools/declared", "tools/turn", "tools/format", "tools/peek", "tools/lenient", "tools/conform", "grammar"},
	"tools/retry":          {"tools/turn", "tools/ordered", "tools/parse", "tools/emit", "tools/plan", "tools/declared", "tools/conform", "grammar"},
	"tools/bind":           {"templates/canonical", "tools/ordered", "tools/parse", "tools/emit", "tools/plan", "tools/declared", "tools/families", "tools/format", "tools/turn"},
	"models":               {"engine"},
	"server/chat/owned":    {},
	"server/chat/prepared": {"server/chat/owned", "engine", "models", "templates", "tools"},
	"server/chat/adapter":  {"server/chat/prepared", "templates"},
	"server/chat/loader":   {"server/chat", "server/chat/prepared", "engine", "models", "templates"},
	"server/chat/record":   {"server/chat", "server/chat/loader", "server/chat/prepared", "engine", "grammar", "models", "templates", "tools"},
	"server/sse":           {},
	"server/wire":          {"server/chat", "server/sse", "engine", "grammar", "tools"},
	"server/chat":          {"engine", "grammar", "templates", "tools"},
	"server/openai":        {"server/chat", "server/sse", "server/wire", "engine", "templates", "tools"},
	"server/responses":     {"server/chat", "server/sse", "server/wire", "engine", "templates", "tools"},
	"server/anthropic":     {"server/chat", "server/sse", "server/wire", "engine", "templates", "tools"},
	"server/fleet":         {"server/chat", "server/sse", "server/wire", "engine", "models"},
	"server/agent":         {"server/chat", "templates", "tools"},
	"server/agent/mcp":     {"server/agent", "server/chat", "templates", "engine/sandbox", "models/public", "tools"},
	"server/agent/builtin": {"server/agent", "engine/sandbox", "models/public", "tools"},
	"server/lmstudio":      {"server/chat", "server/sse", "server/wire", "engine", "models", "templates", "tools"},
	"server/telemetry":     {"server/chat"},
	"server":               {"server/telemetry", "server/chat", "server/sse", "server/openai", "server/responses", "server/anthropic", "server/lmstudio", "server/fleet", "server/agent", "models", "engine", "grammar"},
	"server/servertest":    {"server", "engine", "templates", "tools", "models"},
	"server/streamtest":    {},
	"cmd":                  {"server", "engine", "templates", "grammar", "tools", "models"},
}

type goPackage struct {
	ImportPath  string
	Dir         string
	Imports     []string
	GoFiles     []string
	CgoFiles    []string
	TestGoFiles []string
}

func TestLayers_importsPointDownward(t *testing.T) {
	for _, p := range packages(t) {
		folder, allowed := layer(strings.TrimPrefix(p.ImportPath, "tenon/"))
		if folder == "" {
			t.Errorf("%s belongs to no layer; add it to the table", p.ImportPath)
			continue
		}
		for _, i := range p.Imports {
			to, ours := strings.CutPrefix(i, "tenon/")
			if ours && !within(to, folder) && !slices.ContainsFunc(allowed, func(a string) bool { return within(to, a) }) {
				t.Errorf("%s imports %s; %s may import only %v", p.ImportPath, i, folder, allowed)
			}
		}
	}
}

func TestLayers_wireProtocolsStayApart(t *testing.T) {
	wire := []string{"tenon/server/openai", "tenon/server/responses", "tenon/server/anthropic", "tenon/server/lmstudio"}
	for _, p := range packages(t) {
		for _, i := range p.Imports {
			if slices.Contains(wire, p.ImportPath) && slices.Contains(wire, i) {
				t.Errorf("%s imports %s; protocols share server/chat and nothing else", p.ImportPath, i)
			}
			if i == "C" && p.ImportPath != "tenon/engine/llama" && p.ImportPath != "tenon/engine/llama/kerneltest" {
				t.Errorf("%s uses cgo; only engine/llama and the tests of its kernels may", p.ImportPath)
			}
		}
	}
}

func TestPackages_explainThemselves(t *testing.T) {
	for _, p := range packages(t) {
		documented := false
		for _, f := range append(p.GoFiles, p.CgoFiles...) {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, f), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			documented = documented || file.Doc != nil
		}
		if !documented && len(p.GoFiles)+len(p.CgoFiles) > 0 {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// Package tools was once one package of everything; its parts stay small.
func TestPackages_ofToolsStaySmall(t *testing.T) {
	const mostFiles, mostLines = 25, 4000
	for _, p := range packages(t) {
		if !within(strings.TrimPrefix(p.ImportPath, "tenon/"), "tools") {
			continue
		}
		lines := 0
		for _, f := range p.GoFiles {
			b, err := os.ReadFile(filepath.Join(p.Dir, f))
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(b, []byte("\n"))
		}
		if len(p.GoFiles) > mostFiles || lines > mostLines {
			t.Errorf("%s has %d files and %d lines; the limits are %d and %d", p.ImportPath, len(p.GoFiles), lines, mostFiles, mostLines)
		}
	}
}

func TestFiles_canBeReadInOneSitting(t *testing.T) {
	for _, path := range sources(t, ".go") {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if n := set.File(file.Pos()).LineCount(); n > maxFileLines {
			t.Errorf("%s has %d lines; the limit is %d", path, n, maxFileLines)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && set.Position(f.End()).Line-set.Position(f.Pos()).Line+1 > maxFunctionLines {
				t.Errorf("%s: %s is longer than %d lines", set.Position(f.Pos()), f.Name.Name, maxFunctionLines)
			}
		}
	}
}

// sources are the paths of the files of the code base that have one of some extensions.
func sources(t *testing.T, extensions ...string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		// made here, not written
		if err == nil && d.IsDir() && (d.Name() == "build" || d.Name() == ".cache" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if err == nil && slices.Contains(extensions, filepath.Ext(path)) && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// layer returns the entry of the table that a package's folder falls under.
func layer(pkg string) (string, []string) {
	for dir := pkg; dir != "." && dir != "/"; dir = filepath.Dir(dir) {
		if allowed, ok := layers[dir]; ok {
			return dir, allowed
		}
	}
	return "", nil
}

func within(pkg, folder string) bool {
	return pkg == folder || strings.HasPrefix(pkg, folder+"/")
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles,CgoFiles,TestGoFiles", "tenon/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p goPackage
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}
