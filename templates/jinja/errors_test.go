package jinja

import (
	"errors"
	"strings"
	"testing"
)

func TestErrors_nameLineAndColumn(t *testing.T) {
	for src, want := range map[string]string{
		"a\n  {{ b. }}":                                       "template line 2, column 9: expected name or number",
		"{% if x %}\nx":                                       "template line 2, column 2: Unexpected end of template: 'endif' is missing.",
		"é{{ 'x }}":                                           "template line 1, column 5: unexpected char",
		"{# x\ny":                                             "template line 1, column 1: Missing end of comment tag",
		"x\r\ny\r{{ nope() }}":                                "template line 3, column 8: UndefinedError: 'nope' is undefined",
		"{{ 1 }}\n{{ 1 +\n  ('a' - 2) }}":                     "template line 3, column 8: TypeError: unsupported operand",
		"{% set x = 1 %}\n{% set a, b = x %}":                 "template line 2, column 4: TypeError: cannot unpack",
		"\n\n {{ raise_exception('no ' ~ 1) }}":               "template line 3, column 20 raises: no 1",
		"{% with a = 1 %}{% endwith %}":                       "template line 1, column 4: Encountered unknown tag 'with'.",
		"{% for i in x recursive %}{% endfor %}":              "template line 1, column 15: recursive loops are not supported",
		"{{ 'a'|nope }}":                                      "template line 1, column 8: No filter named 'nope'.",
		"{% for i in 5 %}{% endfor %}":                        "template line 1, column 4: TypeError: 'int' object is not iterable",
		"{% macro m() %}{{ x.y }}{% endmacro %}\n\n{{ m() }}": "template line 1, column 20: UndefinedError: 'x' is undefined",
	} {
		tmpl, err := Parse(src)
		if err == nil {
			_, err = tmpl.Render(NewDict(), Options{})
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", src, err, want)
		}
	}
}

func TestErrors_canBeToldApart(t *testing.T) {
	render := func(src string) error {
		tmpl, err := Parse(src)
		if err != nil {
			return err
		}
		_, err = tmpl.Render(NewDict(), Options{Limits: Limits{Steps: 1000}})
		return err
	}
	var raised *RaisedError
	if err := render(`{{ raise_exception("x") }}`); !errors.As(err, &raised) || raised.Msg != "x" {
		t.Errorf("raise_exception: %v", err)
	}
	if err := render(`{% for i in range(9999) %}{% endfor %}`); !errors.Is(err, ErrLimit) {
		t.Errorf("limit: %v", err)
	}
	if err := render(`{{ x.y }}`); errors.Is(err, ErrLimit) {
		t.Errorf("undefined: %v", err)
	}
	var syntax *SyntaxError
	if err := render(`{{`); !errors.As(err, &syntax) {
		t.Errorf("syntax: %v", err)
	}
}

func TestRender_invalidUTF8IsReplaced(t *testing.T) {
	tmpl, err := Parse("a\xff{{ ' ' ~ '\xfe' ~ ' ' ~ c[0] ~ c.replace('a', 'b') }}")
	if err != nil {
		t.Fatal(err)
	}
	vars := NewDict()
	vars.Set("c", NewString("\xffa", Content))
	out, err := tmpl.Render(vars, Options{})
	if want := "a\uFFFD \uFFFD \uFFFD\uFFFDb"; err != nil || out.Text != want {
		t.Errorf("got %q, %v; want %q", out.Text, err, want)
	}
}

func TestRender_isConcurrent(t *testing.T) {
	tmpl, err := Parse(`{% macro m(x) %}{{ x }}{% endmacro %}{% for i in l %}{{ m(i) ~ loop.index }}{% set y = i %}{% endfor %}{% set z = l|join %}{{ z }}`)
	if err != nil {
		t.Fatal(err)
	}
	vars := NewDict()
	vars.Set("l", NewList(Int(1), NewString("b", Content)))
	done := make(chan string)
	for range 8 {
		go func() {
			out, err := tmpl.Render(vars, Options{})
			if err != nil {
				out.Text = err.Error()
			}
			done <- out.Text
		}()
	}
	for range 8 {
		if got := <-done; got != "11b21b" {
			t.Errorf("got %q", got)
		}
	}
}
