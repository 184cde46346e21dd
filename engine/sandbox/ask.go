package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
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
	out, words := &Output{First: longestAnswer}, &Output{First: keptWords}
	cmd := exec.CommandContext(ctx, program, command)
	cmd.Env = Environment(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(line, '\n')), out, words
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		said, _ := words.Bytes()
		first, _, _ := bytes.Cut(said, []byte("\n"))
		return a.Answer, fmt.Errorf("the process that was asked ended without an answer: %w: %s", err, first)
	}
	said, _ := out.Bytes() // of one that is too long, it is no JSON
	if err := json.Unmarshal(said, &a); err != nil {
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
	q, _, err := Confined(in, func(q question[Q]) Needs { return q.Needs })
	if err != nil {
		return err
	}
	var a answer[A]
	if a.Answer, err = f(q.Ask); err != nil {
		a = answer[A]{Error: err.Error()}
	}
	return json.NewEncoder(out).Encode(a)
}
