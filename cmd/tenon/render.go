package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenon/cmd/config"
	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/gguf"
	"tenon/server/agent"
	"tenon/server/chat"
	"tenon/server/chat/prepared"
	"tenon/server/chat/record"
	"tenon/server/openai"
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

	// What load finds.
	entry    catalog.Entry // of a template alone it is empty
	settings perModel
}

func newRenderCommand() *cobra.Command {
	var f renderFlags
	cmd := &cobra.Command{
		Use:   "render (--template FILE | --model M) (--request REQ.json | --context CTX.json)",
		Short: "Print the prompt that a chat request becomes",
		Long: `Print the prompt that an OpenAI chat request becomes.

The request is read, refused, healed and adapted as the server would with its settings (TENON_CONFIG and the environment): its
tool_format, the model's own, and the model's adapter count. How calls are made, what was healed and what has no effect is told
on standard error. With --heal=off it is rendered exactly
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
	if (f.request == "") == (f.context == "") {
		return errors.New("give either --request or --context")
	}
	if f.heal != "on" && f.heal != "off" {
		return fmt.Errorf("--heal is %q; expected on or off", f.heal)
	}
	data, err := read(cmd, f.request+f.context)
	if err != nil {
		return err
	}
	if f.context == "" && f.heal == "on" {
		return f.served(cmd, source, options, data, now)
	}
	rendering, err := f.asSent(cmd, source, options, data, now)
	if err != nil {
		return err
	}
	return f.print(cmd.OutOrStdout(), segmentsOf(rendering))
}

// asSent renders the request or the context as transformers would.
func (f *renderFlags) asSent(cmd *cobra.Command, source string, o templates.Options, data []byte, now time.Time) (templates.Rendering, error) {
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
	case source == "":
		return templates.Rendering{}, errNoTemplate
	}
	sent.BOS, sent.EOS = &o.BOS, &o.EOS
	rendering, err := sent.Request(data)
	return rendering, explained(err, data)
}

// served plans the turn as the server does, by its own decoder and the settings for the model. The
// prompt goes to standard output; how calls are made, what was healed and what is left out go to
// standard error.
func (f *renderFlags) served(cmd *cobra.Command, source string, o templates.Options, data []byte, now time.Time) error {
	request, err := openai.DecodeTemplate(bytes.NewReader(data))
	if err != nil {
		return err
	}
	request.Conversation.Now = now
	model := record.ModelSource{ChatTemplate: source, BOS: o.BOS, EOS: o.EOS, Markers: o.Markers}
	if err := f.taught(&model); err != nil {
		return err
	}
	hosted, err := hostedTools(f.settings.loader, request.Hosted.Asked)
	if err != nil {
		return err
	}
	turn, warnings, err := record.PlanOnly(model, request)
	if source == "" {
		warnings = append(warnings, errNoTemplate.Error()+"; using the built-in rendering")
	}
	if err == nil {
		err = fits(cmd.Context(), f.entry, source, turn.Prompt.Segments)
	}
	p := &explainer{w: cmd.ErrOrStderr()}
	for _, w := range append(warnings, hosted...) {
		p.printf("tenon: %s\n", w)
	}
	if err != nil {
		return err
	}
	if len(request.Tools) > 0 {
		p.printf("calls: %s, as %s\n", turn.Source.Dialect, turn.Prompt.Protocol)
	}
	p.heals(turn.Prompt.Heals)
	p.requests(turn)
	if f.entry.Path != "" {
		f.saved(cmd, p, f.entry.Path, model, turn, request)
	}
	if p.err != nil {
		return p.err
	}
	return f.print(cmd.OutOrStdout(), turn.Prompt.Segments)
}

// hostedTools tells which tools the server would execute: they are listed when it runs, and not
// shown here. Where the settings name none, it refuses them as the server does.
func hostedTools(l *config.Loader, asked []chat.HostedTools) (notes []string, err error) {
	none := len(l.Executed.Tools)+len(l.Executed.Servers) == 0 && l.Settings.Connector() == nil
	for _, h := range asked {
		if none && !h.Optional {
			return nil, agent.NoTools(h.Field)
		}
		notes = append(notes, fmt.Sprintf("%s: the tools of %s are not shown: the server lists them when it runs", h.Field, h.Source))
	}
	return notes, nil
}

// fits refuses a prompt that is longer than the model's context, where tokens can be counted: as
// the server counts them, markers as one token each and BOS once.
func fits(ctx context.Context, e catalog.Entry, template string, segments []record.SegmentTrace) error {
	prompt, size := engine.Prompt{}, 1 // BOS
	for _, s := range segments {
		origin := map[string]engine.Origin{"text": engine.Text, "marker": engine.Symbolic, "content": engine.Content}[s.Kind]
		prompt = append(prompt, engine.Piece{Origin: origin, Text: s.Text})
		size += len(s.Text)
	}
	if e.Context == 0 || size < e.Context { // no token is empty
		return nil
	}
	n, err := askTokens(ctx, tokenQuestion{Model: e.Path, Prompts: []engine.Prompt{prompt}, Template: template})
	if err != nil || n[0] < e.Context {
		return nil //nolint:nilerr // what cannot be counted is not refused
	}
	over := chat.Overflow(n[0], e.Context)
	over.Field = "messages"
	return over
}

// taught takes what the settings say of the model: its way of calling, its adapter, and the
// context that it is served with.
func (f *renderFlags) taught(m *record.ModelSource) error {
	if err := f.settings.check(); err != nil {
		return err
	}
	o, err := f.settings.options()
	if err != nil {
		return err
	}
	teaching, own := o.Teaching(f.entry.ID), f.settings.of(f.entry.ID).Settings
	m.Teaching, m.ToolFormat = &teaching, own.ToolFormat
	f.entry.Context = cmp.Or(own.CtxSize, f.entry.Context, f.entry.ContextTrained)
	return nil
}

// saved tells what the model's adapter costs or saves of the prompt, in tokens where they can be
// counted.
func (f *renderFlags) saved(cmd *cobra.Command, p *explainer, path string, m record.ModelSource, turn *record.Trace, request chat.Request) {
	m.Teaching = nil
	untaught, _, err := record.PlanOnly(m, request)
	if err != nil || untaught.Prompt.String() == turn.Prompt.String() {
		return
	}
	with, without := turn.Prompt.String(), untaught.Prompt.String()
	counts, unit := []int{len(with), len(without)}, "bytes"
	if tokens, err := askTokens(cmd.Context(), tokenQuestion{Model: path, Texts: []string{with, without}}); err == nil {
		counts, unit = tokens, "tokens"
	}
	p.printf("prompt: %d %s, %d without the model's adapter\n", counts[0], unit, counts[1])
}

func (f *renderFlags) print(w io.Writer, segments []record.SegmentTrace) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, s := range segments {
		var err error
		if f.segments {
			err = e.Encode(s)
		} else {
			_, err = io.WriteString(w, s.Text)
		}
		if err != nil {
			return fmt.Errorf("print the prompt: %w", err)
		}
	}
	return nil
}

func segmentsOf(r templates.Rendering) (all []record.SegmentTrace) {
	for _, s := range r.Segments {
		all = append(all, record.SegmentOf(s))
	}
	return all
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

// load finds the model, what is set for it (of a template alone, what is set for any), its
// template and what that must know of it.
func (f *renderFlags) load(cmd *cobra.Command) (source string, o templates.Options, err error) {
	var text []byte
	switch {
	case (f.template == "") == (f.model == ""):
		return "", o, errors.New("give either --template or --model")
	case f.model == "":
		l := config.Register(pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError))
		err = l.Load(os.Environ())
		f.settings = newPerModel(l)
		if err == nil {
			text, err = os.ReadFile(f.template)
		}
		source = string(text)
	default:
		if f.entry, f.settings, err = findModel(cmd, f.model); err == nil {
			source, o, err = modelTemplate(f.entry)
		}
	}
	if err != nil {
		return "", o, err
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

// read returns what a file holds, or standard input if its name is -, without the byte order mark
// that some editors put first.
func read(cmd *cobra.Command, name string) (text []byte, err error) {
	if name == "-" {
		text, err = io.ReadAll(cmd.InOrStdin())
	} else {
		text, err = os.ReadFile(name)
	}
	return bytes.TrimPrefix(text, []byte("\uFEFF")), err
}
