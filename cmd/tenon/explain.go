package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenon/cmd/client"
	"tenon/cmd/config"
	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server/chat"
	"tenon/server/chat/record"
	"tenon/templates"
)

func newExplainCommand() *cobra.Command {
	var model string
	cmd := withServer(&cobra.Command{
		Use:   "explain ID | explain FILE | explain --model NAME",
		Short: "Show what became of a request: prompt, grammar, raw output, repairs, events",
		Long: `Ask the running server for the record of request ID (the answer's X-Request-Id, and the log's id), and print it. The
server must keep records: --debug-requests N. A FILE is a record that --json saved, or a JSON answer to a request with
X-Tenon-Debug: 1; 'tenon replay' runs it again.

With --model it shows what is in force for a model on the server, its adapter too, and where each value came from; where no
server answers, what the environment and the settings file say.`,
		Args: cobra.MaximumNArgs(1),
	}, func(cmd *cobra.Command, r *remote, args []string) error {
		if model != "" {
			return explainModel(cmd, r, model)
		}
		if len(args) != 1 {
			return errors.New("name a request, a file with its record, or a model with --model")
		}
		if _, err := os.Stat(args[0]); err != nil {
			return explainFrom(cmd, r, args[0])
		}
		saved, err := readRecord(nil, args[0])
		if err != nil {
			return err
		}
		return printRecord(cmd.OutOrStdout(), saved)
	})
	cmd.Flags().StringVar(&model, "model", "", "show what is in force for a model")
	return cmd
}

// explainModel shows what is in force for a model: on the server, or where none answers, what the
// settings say here.
func explainModel(cmd *cobra.Command, r *remote, name string) error {
	var in struct{ Settings []config.Value }
	err := r.Get(cmd.Context(), "/tenon/v1/explain?model="+url.QueryEscape(name), &in)
	if errors.Is(err, client.ErrNoServer) {
		var e catalog.Entry
		var p perModel
		e, p, err = lookUp(r.loader, atHand(cmd), name)
		if m := r.loader.Entry(name); err != nil && m.At.Line > 0 { // its file is not here
			e, p.entries[m.Name], err = catalog.Entry{ID: m.Name, Aliases: m.Aliases, Path: m.Source, Source: "not here yet", Pinned: m.Pin}, m, nil
		}
		if err == nil {
			r.screen.Note("No server answers; this is what the settings say.")
			in.Settings, err = p.explain(fleet.Status{Entry: e, Pinned: e.Pinned})
		}
	}
	if err != nil {
		return err
	}
	return printValues(r.screen, in.Settings, r.json)
}

// explainFrom asks the server. For a program, the record stays as it is, to be saved.
func explainFrom(cmd *cobra.Command, r *remote, id string) error {
	resp, err := r.Open(cmd.Context(), http.MethodGet, "/debug/requests/"+url.PathEscape(id), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if r.json {
		if _, err := io.Copy(cmd.OutOrStdout(), resp.Body); err != nil {
			return fmt.Errorf("read the record: %w", err)
		}
		return nil
	}
	kept, err := decodeRecord(resp.Body, "the server's answer")
	if err != nil {
		return err
	}
	return printRecord(cmd.OutOrStdout(), kept)
}

// printRecord writes a record for people.
func printRecord(w io.Writer, r *record.Record) error {
	p := &explainer{w: w}
	p.printf("%s %s  %s  %d  %s\n", r.Method, r.Path, r.ID, r.Status, r.At.Format(time.RFC3339))
	for i, t := range r.Turns {
		if len(r.Turns) > 1 {
			p.printf("\n===== turn %d of %d\n", i+1, len(r.Turns))
		}
		p.turn(t)
	}
	return p.err
}

// explainer prints until something cannot be written.
type explainer struct {
	w   io.Writer
	err error
}

func (p *explainer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *explainer) heading(title string) { p.printf("\n--- %s\n", title) }

func (p *explainer) turn(t *record.Trace) {
	p.printf("model %s, dialect %s, context %d\n", t.Model, t.Source.Dialect, t.Source.Context)
	p.prompt(t.Prompt)
	p.requests(t)
	p.heading("grammar")
	p.printf("%s\n", strings.TrimSpace(t.Grammar))
	for i, s := range t.Sessions {
		p.heading(fmt.Sprintf("raw output, session %d", i))
		p.session(s)
	}
	p.heading("events")
	for _, e := range t.Events {
		p.event(e)
	}
	if f := t.Failure; f != nil {
		p.printf("failed: %s %s %s\n", f.Kind, f.Field, f.Message)
	}
	m := t.Timings
	p.heading("milliseconds")
	p.printf("total %.1f, first token %.1f; queue %.1f, prompt %.1f, decode %.1f, masks %.1f\n", m.Total, m.FirstToken, m.Queue, m.Prompt, m.Decode, m.Mask)
}

func (p *explainer) prompt(t record.PromptTrace) {
	p.heading("prompt, by who wrote it")
	for _, s := range t.Segments {
		origin := s.Kind
		if s.Message != nil {
			origin = fmt.Sprintf("%s %d %s", s.Kind, *s.Message, s.Field)
		}
		if len(s.Tokens) > 0 {
			p.printf("%-20s %v\n", origin, s.Tokens)
			continue
		}
		p.printf("%-20s %q\n", origin, s.Text)
	}
	if t.Kept > 0 {
		p.printf("%d tokens went in as they were sampled earlier\n", t.Kept)
	}
	p.heals(t.Heals)
}

func (p *explainer) heals(all []templates.Heal) {
	for _, h := range all {
		p.printf("healed: message %d, %s %s\n", h.Message, h.Rule, h.Detail)
	}
}

// requests tells what of the request has no effect or not the whole one.
func (p *explainer) requests(t *record.Trace) {
	for _, name := range slices.Sorted(maps.Keys(t.Sampling)) {
		p.printf("in force: %s %s\n", name, t.Sampling[name])
	}
	if len(t.Request.Ignored) > 0 {
		p.printf("ignored: %s\n", strings.Join(t.Request.Ignored, ", "))
	}
	for _, i := range t.Issues {
		p.printf("not enforced by the mask: %s#%s/%s, %s: %s\n", i.Tool, i.Pointer, i.Keyword, i.Action, i.Why)
	}
}

func (p *explainer) session(s *record.SessionTrace) {
	if s.Refused != nil {
		p.printf("refused: %s\n", s.Refused.Message)
	}
	for _, step := range s.Steps {
		for _, t := range step.Tokens {
			p.token(t)
		}
		switch {
		case step.Progress != nil:
			p.printf("prompt: %d tokens, %d from the cache, %d evaluated\n", step.Progress.Total, step.Progress.Cached, step.Progress.Evaluated)
			p.miss(step.Progress)
		case step.Check != nil:
			p.printf("check of %s from token %d\n", step.Check.Capture, step.Check.Offset)
		case step.Verdict != nil:
			p.printf("verdict: rewind %t to %d\n", step.Verdict.Rewind, step.Verdict.Offset)
		case step.Concluded:
			p.printf("told to end\n")
		case step.Finish != nil:
			f := step.Finish
			p.printf("finish: %s; %d generated, %d of them drafted, %d taken back; %d of the prompt's %d from the cache\n",
				f.Reason, f.Usage.Generated, f.Usage.Accepted, f.Usage.Rewound, f.Usage.Cached, f.Usage.Prompt)
		case step.Error != nil:
			p.printf("error: %s\n", step.Error.Message)
		}
	}
}

// miss says why no more of a prompt was cached, once it has been read.
func (p *explainer) miss(of *engine.Progress) {
	if m := of.Miss; m != nil && of.Cached+of.Evaluated == of.Total {
		p.printf("cache: an earlier prompt is the same for %d tokens, up to %q; there it had %q, this one has %q\n", m.Tokens, m.Before, m.Was, m.Is)
	}
}

func (p *explainer) token(t record.TokenTrace) {
	text := t.Text
	if t.Raw != nil {
		text = string(t.Raw)
	}
	kind := ""
	if t.Kind != "sampled" {
		kind = "  " + t.Kind
	}
	p.printf("%8d %q%s\n", t.ID, text, kind)
}

func (p *explainer) event(e chat.Event) {
	switch e.Kind {
	case chat.CallStart, chat.CallArguments, chat.CallEnd:
		p.printf("%d %s %s %q\n", e.Choice, e.Kind, e.Call.Name, e.Text+string(e.Call.Arguments)+e.Call.Input)
	case chat.Finished:
		f, use := e.Finish, e.Finish.Usage
		p.printf("%d %s %s; prompt %d (cached %d), completion %d (thinking %d)\n", e.Choice, e.Kind, f.Reason, use.Prompt, use.Cached, use.Completion, use.Reasoning)
		for _, r := range f.Repairs {
			p.printf("  mended: %s in %s%s %s\n", r.Rule, r.Tool, r.Pointer, r.Detail)
		}
		for _, n := range f.Notes {
			p.printf("  note: at byte %d: %s\n", n.Offset, n.Text)
		}
	default:
		p.printf("%d %s %q\n", e.Choice, e.Kind, e.Text)
	}
}
