package main

import (
	"bytes"
	"strings"
	"testing"

	"tenon/cmd/terminal"
)

// A result forges no line of the log, and moves no cursor.
func TestShowJournal_aCallIsALine(t *testing.T) {
	var out bytes.Buffer
	entry := `{"time":"2026-01-01T00:00:00Z","event":"end","call":"c","model":"m","source":"s","tool":"t","success":true,"result":"a\nb\u001b[2J\u202e\u009b","error":null}`
	if err := showJournal(&terminal.Screen{Out: &out, Err: &out}, strings.NewReader(entry+"\n"), 10, false); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "\n") != 1 || strings.ContainsAny(out.String(), "\x1b\u202e\u009b") {
		t.Errorf("%q", out.String())
	}
}
