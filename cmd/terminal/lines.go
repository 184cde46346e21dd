package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Lines reads what somebody types, line by line.
type Lines struct {
	screen *Screen
	editor *term.Terminal // nil: the input is no terminal
	plain  *bufio.Reader
}

// Lines begins to read. Between two calls of Read the terminal is as it was, so that Ctrl-C is a
// signal again.
func (s *Screen) Lines() *Lines {
	l := &Lines{screen: s, plain: bufio.NewReader(s.In)}
	if s.Asking() {
		l.edit()
	}
	return l
}

func (l *Lines) edit() {
	l.editor = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{clearing{l.screen.In}, l.screen.Out}, "")
}

// clearing makes Ctrl-C clear the line: whoever wants to leave has Ctrl-D.
type clearing struct{ io.Reader }

func (c clearing) Read(b []byte) (int, error) {
	const ctrlC, ctrlU = 3, 21
	n, err := c.Reader.Read(b)
	for i := range b[:n] {
		if b[i] == ctrlC {
			b[i] = ctrlU
		}
	}
	return n, err
}

// Read returns a line without its end, io.EOF at the end of the input. What is pasted is one line,
// whatever breaks it holds.
func (l *Lines) Read(prompt string) (string, error) {
	if l.editor == nil {
		line, err := l.plain.ReadString('\n')
		if errors.Is(err, io.EOF) && line != "" {
			err = nil
		}
		return strings.TrimRight(line, "\r\n"), err
	}
	fd := int(l.screen.In.(*os.File).Fd()) // Lines has seen that it is one
	state, err := term.MakeRaw(fd)
	if err != nil {
		return "", fmt.Errorf("read from the terminal: %w", err)
	}
	defer func() { _ = term.Restore(fd, state) }() // it is as it was before
	if width, height, err := term.GetSize(fd); err == nil && width > 0 {
		_ = l.editor.SetSize(width, height)
	}
	l.editor.SetPrompt(prompt)
	l.editor.SetBracketedPasteMode(true)
	defer l.editor.SetBracketedPasteMode(false)
	var pasted []string
	for {
		line, err := l.editor.ReadLine()
		pasted = append(pasted, line)
		if errors.Is(err, io.EOF) {
			earlier := l.editor.History
			l.edit() // an editor that has read Ctrl-D reads it again for ever
			l.editor.History = earlier
		}
		if !errors.Is(err, term.ErrPasteIndicator) {
			return strings.Join(pasted, "\n"), err
		}
		l.editor.SetPrompt("")
	}
}
