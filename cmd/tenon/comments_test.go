package main

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
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
