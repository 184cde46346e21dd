package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	commentEnds = 100 // the column before which a comment's lines end
	tabWidth    = 8   // as gofmt reckons
)

func TestComments_endBeforeColumn100(t *testing.T) {
	for _, path := range sources(t, ".go", ".c", ".cpp", ".h") {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		commented := commentsOfC
		if strings.HasSuffix(path, ".go") {
			commented = commentsOfGo
		}
		is := commented(b)
		for i, line := range bytes.Split(b, []byte("\n")) {
			if n := columns(line); is[i+1] && n >= commentEnds {
				t.Errorf("%s:%d ends in column %d; a comment ends before %d", path, i+1, n, commentEnds)
			}
		}
	}
}

// Whoever uses a package reads its exported names first. A group of values may share one comment;
// so do the values of a type that has one.
func TestComments_ofExportedNames(t *testing.T) {
	for _, path := range sources(t, ".go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if file.Name.Name == "main" { // which nobody imports
			continue
		}
		for _, d := range file.Decls {
			for _, name := range uncommented(d) {
				t.Errorf("%s: %s is exported and has no comment", set.Position(d.Pos()), name)
			}
		}
	}
}

// uncommented are the exported names of a declaration that have no comment.
func uncommented(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && !needsNone(d) {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		typed := false // a value of the group has a type, which has a comment
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if d.Doc == nil && s.Doc == nil && s.Comment == nil && s.Name.IsExported() {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				typed = typed || d.Tok == token.CONST && s.Type != nil
				if d.Doc == nil && s.Doc == nil && s.Comment == nil && !typed && slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
					names = append(names, s.Names[0].Name)
				}
			}
		}
	}
	return names
}

// needsNone tells whether a method needs no comment: its type is not exported, or it is one that
// the standard library explains.
func needsNone(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return false
	}
	of := strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*")
	return !ast.IsExported(of) || slices.Contains([]string{"Error", "Unwrap", "String", "Write"}, f.Name.Name)
}

// commentsOfGo are the lines, from 1, on which a comment stands that is for people. What a linter
// is told stands behind the code that it is about, however long that is.
func commentsOfGo(source []byte) map[int]bool {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	lines := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if tok == token.COMMENT && !strings.HasPrefix(text, "//nolint:") {
			for i := range strings.Count(text, "\n") + 1 {
				lines[file.Line(pos)+i] = true
			}
		}
	}
}

func commentsOfC(source []byte) map[int]bool {
	lines := map[int]bool{}
	for i, line := range bytes.Split(source, []byte("\n")) {
		lines[i+1] = bytes.Contains(line, []byte("//")) || bytes.Contains(line, []byte("/*"))
	}
	return lines
}

// columns is how far a line reaches.
func columns(line []byte) (n int) {
	for _, r := range string(line) {
		n++
		if r == '\t' {
			n = (n + tabWidth - 1) / tabWidth * tabWidth
		}
	}
	return n
}
