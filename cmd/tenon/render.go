package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"tenon/models/gguf"
	"tenon/server/chat/prepared"
	"tenon/server/wire"
	"tenon/templates"
)

// renderFlags are the flags of render and show.
type renderFlags struct {
	template, model  string
	request, context string
	now, bos, eos    string
	segments         bool
	heal             string
}

func newRenderCommand() *cobra.Command {
	var f renderFlags
	cmd := &cobra.Command{
		Use:   "render (--template FILE | --model M) (--request REQ.json | --context CTX.json)",
		Short: "Print the prompt that a chat request becomes",
		Long: `Print the prompt that an OpenAI chat request becomes, and nothing else.

The conversation is healed, tidied and normalised as it is when a model is served. With --heal=off it is rendered exactly
as it was sent, as transformers' apply_chat_template does: what the template raises goes to stderr, with exit status 1.
With --context the file's members are the template's variables, and nothing else is.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.render(cmd) },
	}
	f.source(cmd)
	cmd.Flags().StringVar(&f.request, "request", "", "an OpenAI chat request as JSON: messages, tools, chat_template_kwargs, add_generation_prompt; - is stdin")
	cmd.Flags().StringVar(&f.context, "context", "", "raw variables of the template as a JSON object; - is stdin")
	cmd.Flags().StringVar(&f.now, "now", "", "the local time that the template sees, as RFC 3339; the zone is ignored (default: now)")
	cmd.Flags().BoolVar(&f.segments, "segments", false, "print one JSON object per piece of the prompt: who wrote it, and its text")
	cmd.Flags().StringVar(&f.heal, "heal", "on", "off renders exactly what was sent")
	return cmd
}

// source adds the flags that say which template is meant.
func (f *renderFlags) source(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.template, "template", "", "a file with a Jinja chat template")
	cmd.Flags().StringVar(&f.model, "model", "", "a model, named as for 'tenon serve', whose template and vocabulary are used: a file, an id, an alias")
	cmd.Flags().StringVar(&f.bos, "bos", "", "the BOS token's text (default: the model's)")
	cmd.Flags().StringVar(&f.eos, "eos", "", "the EOS token's text (default: the model's)")
}

func (f *renderFlags) render(cmd *cobra.Command) error {
	now, err := f.clock()
	if err != nil {
		return err
	}
	source, options, err := f.load(cmd)
	if err != nil {
		return err
	}
	rendering, err := f.rendered(cmd, source, options, now)
	if err != nil {
		return err
	}
	if f.segments {
		return printSegments(cmd.OutOrStdout(), rendering)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), rendering.String())
	return err
}

// rendered renders the request or the context in the way that the flags ask for.
func (f *renderFlags) rendered(cmd *cobra.Command, source string, o templates.Options, now time.Time) (templates.Rendering, error) {
	if (f.request == "") == (f.context == "") {
		return templates.Rendering{}, errors.New("give either --request or --context")
	}
	if f.heal != "on" && f.heal != "off" {
		return templates.Rendering{}, fmt.Errorf("--heal is %q; expected on or off", f.heal)
	}
	data, err := read(cmd, f.request+f.context)
	if err != nil {
		return templates.Rendering{}, err
	}
	sent := templates.AsSent{Source: source, Now: now}
	switch {
	case f.context != "":
		if cmd.Flags().Changed("bos") {
			sent.BOS = &o.BOS
		}
		if cmd.Flags().Changed("eos") {
			sent.EOS = &o.EOS
		}
		return sent.Context(data)
	case f.heal == "off" && f.model != "" && source == "":
		return templates.Rendering{}, errNoTemplate
	case f.heal == "off":
		sent.BOS, sent.EOS = &o.BOS, &o.EOS
		rendering, err := sent.Request(data)
		return rendering, explained(err, data)
	}
	conversation, err := templates.ReadRequest(data, now)
	if err != nil {
		return templates.Rendering{}, explained(err, data)
	}
	return renderer(cmd, source, o).Render(conversation)
}

// explained names the field of a request that is of the wrong type, in the server's words.
func explained(err error, request []byte) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return wire.WrongType(wrong, request)
	}
	return err
}

var errNoTemplate = errors.New("there is no chat template")

// renderer is the template, or what serves a model whose template cannot be used.
func renderer(cmd *cobra.Command, source string, o templates.Options) templates.Renderer {
	var t templates.Renderer
	err := errNoTemplate
	if source != "" {
		t, err = templates.Parse(source, o)
	}
	if err != nil {
		_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "tenon: %v; using the built-in rendering\n", err)
		return templates.Builtin{}
	}
	return t
}

func (f *renderFlags) clock() (time.Time, error) {
	if f.now == "" {
		return time.Now(), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, f.now); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--now is %q; expected RFC 3339, as in 2026-01-31T12:00:00Z", f.now)
}

// load reads the template and what it must know of its model.
func (f *renderFlags) load(cmd *cobra.Command) (string, templates.Options, error) {
	var source string
	var o templates.Options
	switch {
	case (f.template == "") == (f.model == ""):
		return "", o, errors.New("give either --template or --model")
	case f.template != "":
		b, err := os.ReadFile(f.template)
		if err != nil {
			return "", o, err
		}
		source = string(b)
	default:
		var err error
		if source, o, err = modelTemplate(cmd, f.model); err != nil {
			return "", o, err
		}
	}
	if cmd.Flags().Changed("bos") {
		o.BOS = f.bos
	}
	if cmd.Flags().Changed("eos") {
		o.EOS = f.eos
	}
	o.CallWriter = func(p templates.Probe) templates.WriteCalls { return prepared.CallWriter(source, p) }
	return source, o, nil
}

// Types of tokens that are markers, as tokenizer.ggml.token_type numbers them.
const (
	controlToken     = 3
	userDefinedToken = 4
)

// vocabulary is what a template must know of a model's vocabulary.
func vocabulary(file *gguf.File) templates.Options {
	var o templates.Options
	tokens := file.Strings("tokenizer.ggml.tokens")
	for i, kind := range file.Ints("tokenizer.ggml.token_type") {
		if i < len(tokens) && (kind == controlToken || kind == userDefinedToken) {
			o.Markers = append(o.Markers, tokens[i])
		}
	}
	token := func(key string) string {
		id, ok := file.Int(key)
		if !ok || id < 0 || id >= int64(len(tokens)) {
			return ""
		}
		return tokens[id]
	}
	o.BOS, o.EOS = token("tokenizer.ggml.bos_token_id"), token("tokenizer.ggml.eos_token_id")
	return o
}

// read returns what a file holds, or standard input if its name is -, without the byte order mark that some editors put first.
func read(cmd *cobra.Command, name string) (text []byte, err error) {
	if name == "-" {
		text, err = io.ReadAll(cmd.InOrStdin())
	} else {
		text, err = os.ReadFile(name)
	}
	return bytes.TrimPrefix(text, []byte("\uFEFF")), err
}

func printSegments(w io.Writer, r templates.Rendering) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, s := range r.Segments {
		line := struct {
			Kind    string `json:"kind"`
			Text    string `json:"text"`
			Message *int   `json:"message,omitempty"`
			Field   string `json:"field,omitempty"`
		}{Kind: s.Kind.String(), Text: s.Text}
		if s.Kind == templates.Content {
			line.Field = s.Field.String()
			line.Message = &s.Message
		}
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
