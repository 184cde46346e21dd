package jinja

import (
	"errors"
	"strings"
	"testing"
)

// What a template keeps is counted by the memory that it takes, not by how little there is to do:
// each of these would hold far more than what a step is meant to grant.
func TestLimits_countWhatIsKept(t *testing.T) {
	repeated := func(n int, item string) string {
		return "{% set l = [" + strings.Repeat(item+",", n) + "] %}"
	}
	pairs := make([]Value, 9999)
	for i := range pairs {
		pairs[i] = NewList(Int(i), None)
	}
	vars := NewDict()
	vars.Set("pairs", NewList(pairs...))
	for name, src := range map[string]string{
		"long texts":         repeated(10, "'a' * 1000000"),
		"letters turned":     repeated(10, "('é' * 500000)|upper"),
		"dicts of dicts":     "{% set d = dict(pairs) %}" + repeated(10, "dict(d)"),
		"copies of dicts":    "{% set d = dict(pairs) %}" + repeated(10, "d.copy()"),
		"namespaces of many": "{% set d = dict(pairs) %}" + repeated(10, "namespace(d)"),
	} {
		tm, err := Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tm.Render(vars, Options{Limits: Limits{Steps: 1_000_000}}); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A dict of a dict's entries is as deep as that one, however often it is made; a copy is no
// shallower.
func TestDict_depthOfCopies(t *testing.T) {
	for src, want := range map[string]string{
		`{% set ns = namespace(x={}) %}{% for i in range(2000) %}{% set ns.x = dict(ns.x, a=i) %}{% endfor %}{{ ns.x }}`:               "{'a': 1999}",
		`{% set ns = namespace(x={}) %}{% for i in range(2000) %}{% set ns.x = {'a': ns.x}.copy() %}{% endfor %}{{ ns.x is mapping }}`: "",
	} {
		tm, err := Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := tm.Render(NewDict(), Options{}); out.Text != want || (err == nil) != (want != "") {
			t.Errorf("%q, %v", out.Text, err)
		}
	}
}

// A dict that was copied is another one.
func TestDict_aCopyChangesAlone(t *testing.T) {
	d := NewDict()
	for _, key := range strings.Split("abcdefghijkl", "") {
		d.Set(key, None)
	}
	c := d.clone()
	c.Set("a", Bool(true))
	c.Set("m", Bool(true))
	if v, _ := d.Get("a"); v != None || d.Len() != 12 {
		t.Errorf("the original changed: %v, %d keys", v, d.Len())
	}
	if v, _ := c.Get("m"); v != Bool(true) || c.Len() != 13 {
		t.Errorf("the copy did not: %v, %d keys", v, c.Len())
	}
}
