package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tenon/cmd/config"
	"tenon/server/chat/prepared"
	"tenon/templates"
	"tenon/tools"
)

// parseOptions are the flags of tenon parse.
type parseOptions struct {
	family, template, model string
	tools                   string
	split                   string
	trace                   bool
}

func newParseCommand() *cobra.Command {
	var o parseOptions
	cmd := &cobra.Command{
		Use:   "parse (--family NAME | --template FILE | --model M)",
		Short: "Print the message that a model's raw output means",
		Long: `Reads what a model wrote, from where the template's generation prompt ended, and prints it as an OpenAI
message: one JSON object with content, reasoning_content and tool_calls. Any input gives a message. What was left out or
proved to be no call is told on standard error, or with --trace inside the object, beside events and repairs.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.family, "family", "", "a family that tenon families lists")
	f.StringVar(&o.template, "template", "", "a chat template, to find the family by")
	f.StringVar(&o.model, "model", "", "a model, named as for 'tenon serve', whose template is used: a file, an id, an alias")
	f.StringVar(&o.tools, "tools", "", "a file with the declared tools, an OpenAI tools array (default: a call of any name, with any arguments, is one)")
	f.StringVar(&o.split, "split", "", "feed the text in pieces of N bytes, or of one byte each (bytes)")
	f.BoolVar(&o.trace, "trace", false, "add events, repairs and notes")
	cmd.MarkFlagsOneRequired("family", "template", "model")
	cmd.MarkFlagsMutuallyExclusive("family", "template", "model")
	return cmd
}

func (o parseOptions) run(cmd *cobra.Command) error {
	size, err := o.pieceSize()
	if err != nil {
		return err
	}
	declared, hosted, err := readTools(o.tools)
	if err != nil {
		return err
	}
	for _, kind := range hosted {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %s: %s is not called in the model's text\n", o.tools, kind)
	}
	raw, err := io.ReadAll(cmd.InOrStdin())
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	d, t, err := o.dialect(cmd)
	if err != nil {
		return err
	}
	if o.tools == "" {
		declared = anyTools(d, string(raw))
	}
	inThinking := t != nil && endsInThinking(t, declared)
	plan, err := d.Plan(tools.Turn{
		Tools:    declared,
		Parallel: true,
		Thinking: tools.Thinking{Open: opensInThinking(d, string(raw), inThinking)},
	})
	if err != nil {
		return fmt.Errorf("plan the turn: %w", err)
	}
	return o.print(cmd, plan.TextParser(), raw, size)
}

func (o parseOptions) pieceSize() (int, error) {
	switch o.split {
	case "":
		return 0, nil
	case "bytes":
		return 1, nil
	}
	n, err := strconv.Atoi(o.split)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("--split %q: a number of bytes, or the word bytes", o.split)
	}
	return n, nil
}

// dialect finds the family, and the template if there is one that can be used.
func (o parseOptions) dialect(cmd *cobra.Command) (d *tools.Dialect, t *templates.Template, err error) {
	if o.family != "" {
		d, ok := tools.Lookup(o.family)
		if !ok {
			return nil, nil, fmt.Errorf("--family: there is no family %q%s; see 'tenon families'", o.family, config.DidYouMean(o.family, familyNames()))
		}
		return d, nil, nil
	}
	source, options, err := o.source(cmd)
	if err != nil {
		return nil, nil, err
	}
	t, err = templates.Parse(source, options)
	if err != nil {
		return tools.Detect(tools.Evidence{Template: source}), nil, nil //nolint:nilerr // its text may still show the family
	}
	return tools.Detect(prepared.EvidenceOf(source, options.EOS, nil, t.Probe())), t, nil
}

// endsInThinking renders a first turn and tells whether its generation prompt opens thinking.
func endsInThinking(t *templates.Template, declared []tools.Tool) bool {
	c := templates.Conversation{Messages: []templates.Message{{Role: templates.User, Text: "Hello"}}}
	for _, d := range declared {
		c.Tools = append(c.Tools, templates.Tool{Name: d.Name, Description: d.Description, Parameters: d.Parameters})
	}
	r, err := t.Render(c)
	return err == nil && r.Thinking
}

func (o parseOptions) source(cmd *cobra.Command) (string, templates.Options, error) {
	if o.model != "" {
		e, _, err := findModel(cmd, o.model)
		if err != nil {
			return "", templates.Options{}, err
		}
		return modelTemplate(e)
	}
	b, err := os.ReadFile(o.template)
	return string(b), templates.Options{}, err
}

// opensInThinking tells whether a text begins inside thinking: it closes what it never opened, or
// the prompt left thinking open and the text does not open it itself.
func opensInThinking(d *tools.Dialect, raw string, prompted bool) bool {
	open, end := d.Think.Open, d.Think.Close
	if end == "" {
		return false
	}
	first, closed := strings.Index(raw, open), strings.Index(raw, end)
	opened := open != "" && first >= 0
	return closed >= 0 && (!opened || closed < first) || prompted && !opened
}

// parsed is the message that tenon parse prints.
type parsed struct {
	Role      string       `json:"role"`
	Content   *string      `json:"content"`
	Reasoning *string      `json:"reasoning_content"`
	Calls     []parsedCall `json:"tool_calls"`
	*trace

	content, reasoning []byte // so far
}

type parsedCall struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function *parsedFunction `json:"function,omitempty"`
	Custom   *parsedCustom   `json:"custom,omitempty"`
}

type parsedFunction struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	Arguments string `json:"arguments"`
}

type parsedCustom struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	Input     string `json:"input"`
}

// trace is what --trace adds.
type trace struct {
	Events  []tracedEvent  `json:"events"`
	Repairs []tools.Repair `json:"repairs"`
	Notes   []tools.Note   `json:"notes"`
}

type tracedEvent struct {
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
	Call *int   `json:"call,omitempty"`
	Name string `json:"name,omitempty"`
}

func (o parseOptions) print(cmd *cobra.Command, p tools.Parser, raw []byte, size int) error {
	m := parsed{Role: "assistant", Calls: []parsedCall{}}
	t := trace{Repairs: []tools.Repair{}, Notes: []tools.Note{}}
	if o.trace {
		t.Events = []tracedEvent{}
	}
	for len(raw) > 0 {
		n := len(raw)
		if size > 0 {
			n = min(size, n)
		}
		m.add(p.Token(raw[:n], false), &t)
		raw = raw[n:]
	}
	m.add(p.Close(false), &t)
	m.Content, m.Reasoning = textOrNull(m.content), textOrNull(m.reasoning)
	t.Repairs = append(t.Repairs, p.Repairs()...)
	t.Notes = append(t.Notes, p.Notes()...)
	if o.trace {
		m.trace = &t
	} else {
		for _, n := range t.Notes {
			fmt.Fprintf(cmd.ErrOrStderr(), "note: at byte %d: %s\n", n.Offset, n.Text)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return fmt.Errorf("encode the message: %w", err)
	}
	_, err := cmd.OutOrStdout().Write(b.Bytes())
	return err
}

func (m *parsed) add(events []tools.Event, t *trace) {
	for _, e := range events {
		switch e.Kind {
		case tools.Text:
			m.content = append(m.content, e.Text...)
		case tools.Reasoning:
			m.reasoning = append(m.reasoning, e.Text...)
		case tools.CallEnd:
			m.Calls = append(m.Calls, wireCall(e.Call))
		}
		if t.Events != nil {
			t.Events = append(t.Events, traced(e))
		}
	}
}

func traced(e tools.Event) tracedEvent {
	x := tracedEvent{Kind: e.Kind.String(), Text: e.Text, Name: e.Call.Name}
	switch e.Kind {
	case tools.CallStart, tools.CallArguments, tools.CallEnd:
		x.Call = &e.Call.Index
	}
	return x
}

// textOrNull is a text of the message, null if nothing was written.
func textOrNull(b []byte) *string {
	if len(b) == 0 {
		return nil
	}
	s := string(b)
	return &s
}

func wireCall(c tools.Call) parsedCall {
	if c.Arguments == nil {
		return parsedCall{ID: c.ID, Type: "custom", Custom: &parsedCustom{c.Name, c.Namespace, c.Input}}
	}
	return parsedCall{ID: c.ID, Type: "function", Function: &parsedFunction{c.Name, c.Namespace, string(c.Arguments)}}
}
