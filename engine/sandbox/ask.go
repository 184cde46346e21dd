package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Limits on a confined process that answers one question.
const (
	askTimeout    = 30 * time.Second
	longestAnswer = 1 << 20
	keptWords     = 4 << 10 // of what it wrote to standard error
)

// question is what crosses to the process, answer what comes back, each as one line.
type question[Q any] struct {
	Needs Needs
	Ask   Q
}

type answer[A any] struct {
	Answer A
	Error  string `json:",omitempty"`
}

// Ask has a sub-command of a program answer one question in a confined process of its own, which
// ends with its answer. What a hostile file makes of that process, its end and its silence
// included, is an error here. The sub-command calls [Answer]. The caller checks the answer: it is
// what the process says.
func Ask[Q, A any](ctx context.Context, program, command string, n Needs, q Q) (A, error) {
	var a answer[A]
	line, err := json.Marshal(question[Q]{Needs: n, Ask: q})
	if err != nil {
		return a.Answer, fmt.Errorf("encode the question: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	out, words := &limited{most: longestAnswer}, &limited{most: keptWords}
	cmd := exec.CommandContext(ctx, program, command)
	cmd.Env = Environment(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(line, '\n')), out, words
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		first, _, _ := strings.Cut(string(words.kept), "\n")
		return a.Answer, fmt.Errorf("the process that was asked ended without an answer: %w: %s", err, first)
	}
	if err := json.Unmarshal(out.kept, &a); err != nil {
		return a.Answer, fmt.Errorf("decode the answer: %w", err)
	}
	if a.Error != "" {
		return a.Answer, errors.New(a.Error)
	}
	return a.Answer, nil
}

// Answer is the other half of [Ask]: it confines the process, reads the question and writes what
// f makes of it.
func Answer[Q, A any](in io.Reader, out io.Writer, f func(Q) (A, error)) error {
	line, _, confined, err := Resume()
	if !confined {
		line, err = bufio.NewReader(in).ReadBytes('\n')
	}
	if err != nil {
		return fmt.Errorf("read the question: %w (this command is started by the server, not by hand)", err)
	}
	var q question[Q]
	if err := json.Unmarshal(line, &q); err != nil {
		return fmt.Errorf("decode the question: %w", err)
	}
	if !confined {
		if _, err := Enter(q.Needs, line); err != nil {
			return fmt.Errorf("confine the process: %w", err)
		}
	}
	var a answer[A]
	if a.Answer, err = f(q.Ask); err != nil {
		a = answer[A]{Error: err.Error()}
	}
	return json.NewEncoder(out).Encode(a)
}

// limited keeps the first bytes that are written to it.
type limited struct {
	kept []byte
	most int
}

func (l *limited) Write(b []byte) (int, error) {
	l.kept = append(l.kept, b[:min(len(b), l.most-len(l.kept))]...)
	return len(b), nil
}
