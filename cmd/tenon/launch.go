package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenon/cmd/client"
	"tenon/cmd/config"
)

// launched is a client that 'tenon launch' starts: its program, where that comes from, and what
// leads it to this server.
type launched struct {
	program, install string
	setUp            func(at place) (env, args []string)
}

// place is a model of a server, for a client.
type place struct {
	base, key string
	model     client.Model
}

// patience is how long clients are to wait for a model, in ms: they give up after some minutes by
// themselves, which a small machine needs to read an agent's prompt.
const patience = "3600000"

var agents = map[string]launched{
	"claude": {"claude", "npm install -g @anthropic-ai/claude-code", func(p place) ([]string, []string) {
		id := p.model.ID
		return []string{
			"ANTHROPIC_BASE_URL=" + p.base, "ANTHROPIC_AUTH_TOKEN=" + p.key, "ANTHROPIC_MODEL=" + id,
			"ANTHROPIC_DEFAULT_HAIKU_MODEL=" + id, "ANTHROPIC_SMALL_FAST_MODEL=" + id,
			"API_TIMEOUT_MS=" + patience, "CLAUDE_STREAM_FIRST_BYTE_TIMEOUT_MS=" + patience, "CLAUDE_STREAM_IDLE_TIMEOUT_MS=" + patience,
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		}, nil
	}},
	"codex": {"codex", "npm install -g @openai/codex", func(p place) ([]string, []string) {
		provider := fmt.Sprintf(`model_providers.tenon={name="tenon",base_url="%s/v1",wire_api="responses",env_key="TENON_KEY",stream_idle_timeout_ms=%s}`, p.base, patience)
		return []string{"TENON_KEY=" + p.key}, []string{
			"-m", p.model.ID, "-c", "model_provider=tenon", "-c", provider, "-c", fmt.Sprintf("model_context_window=%d", p.model.Context),
		}
	}},
	"opencode": {"opencode", "npm install -g opencode-ai", func(p place) ([]string, []string) {
		settings := fmt.Sprintf(`{"provider":{"tenon":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"%s/v1","apiKey":"%s","timeout":%s},`+
			`"models":{"%s":{"tool_call":true,"limit":{"context":%d,"output":%d}}}}}}`, p.base, p.key, patience, p.model.ID, p.model.Context, p.model.Context/4)
		return []string{"OPENCODE_CONFIG_CONTENT=" + settings}, []string{"-m", "tenon/" + p.model.ID}
	}},
	"qwen": {"qwen", "npm install -g @qwen-code/qwen-code", func(p place) ([]string, []string) {
		return []string{
			"OPENAI_BASE_URL=" + p.base + "/v1", "OPENAI_API_KEY=" + p.key, "OPENAI_MODEL=" + p.model.ID, "QWEN_CODE_API_TIMEOUT_MS=" + patience,
			"QWEN_STREAM_IDLE_TIMEOUT_MS=" + patience,
		}, []string{"--auth-type", "openai"}
	}},
}

func newLaunchCommand() *cobra.Command {
	var model string
	var print bool
	names := slices.Sorted(maps.Keys(agents))
	cmd := withServer(&cobra.Command{
		Use: "launch " + strings.Join(names, "|") + " [-- ARGUMENTS]", Args: cobra.MinimumNArgs(1), ValidArgs: names,
		Short: "Start a coding agent on a model of this server",
		Long: `Start a coding agent with the environment and arguments that lead it to this server, and a model that can: one with tools and
16,384 tokens of context or more, a loaded one first. What stands after -- is handed on. With --print the command is printed.`,
	}, func(cmd *cobra.Command, r *remote, args []string) error {
		a, ok := agents[args[0]]
		if !ok {
			return fmt.Errorf("there is no agent %q%s; there is: %s", args[0], config.DidYouMean(args[0], names), strings.Join(names, ", "))
		}
		list, err := r.Models(cmd.Context())
		if model != "" {
			list = make([]client.Model, 1)
			err = r.Get(cmd.Context(), "/v1/models/"+url.PathEscape(model), &list[0])
		}
		if err != nil {
			return err
		}
		m, err := able(list)
		if err != nil {
			return err
		}
		env, given := a.setUp(place{r.Base, cmp.Or(r.Key, "none"), m})
		given = append(append([]string{}, given...), args[1:]...)
		if print && r.json {
			return r.screen.JSON(map[string]any{"program": a.program, "arguments": given, "environment": env})
		}
		if print {
			for _, e := range env {
				name, value, _ := strings.Cut(e, "=")
				r.screen.Printf("export %s=%s\n", name, shellQuoted(value))
			}
			for i, arg := range given {
				given[i] = shellQuoted(arg)
			}
			r.screen.Printf("%s\n", strings.Join(append([]string{a.program}, given...), " "))
			return nil
		}
		program := exec.CommandContext(cmd.Context(), a.program, given...)
		program.Env = append(os.Environ(), env...)
		program.Stdin, program.Stdout, program.Stderr = r.screen.In, r.screen.Out, r.screen.Err
		// Ctrl-C is the agent's: the terminal has sent it there, too
		program.Cancel = func() error { return nil }
		err = program.Run()
		var status *exec.ExitError
		switch {
		case errors.Is(err, exec.ErrNotFound):
			return fmt.Errorf("%s is not installed: %s", a.program, a.install)
		case errors.As(err, &status):
			return &exitError{status.ExitCode(), fmt.Errorf("%s ended: %w", a.program, err)}
		}
		return err
	})
	cmd.Flags().StringVar(&model, "model", "", "the model; without it, the first that can")
	cmd.Flags().BoolVar(&print, "print", false, "print the command and its environment")
	return cmd
}

// able chooses a model that an agent can work with, or tells why none can.
func able(list []client.Model) (client.Model, error) {
	const least = 16384 // tokens: an agent's own prompt takes most of that
	var can []client.Model
	var known []string
	for _, m := range list {
		known = append(append(known, m.ID), m.Aliases...)
		switch {
		case slices.Contains(m.Capabilities, "embeddings"):
			// tools are given to every other
			known[len(known)-1] += " (writes nothing)"
		case m.Context < least:
			known[len(known)-1] += fmt.Sprintf(" (context of %d tokens)", m.Context)
		default:
			can = append(can, m)
		}
	}
	if len(can) == 0 {
		return client.Model{}, fmt.Errorf("no model can work as an agent: one with a context of %d tokens is needed (--model, --ctx-size); there is: %s", least, orNone(strings.Join(known, ", ")))
	}
	slices.SortStableFunc(can, func(a, b client.Model) int {
		first := map[bool]int{true: 0, false: 1}
		taught := func(m client.Model) int { return first[slices.Contains(m.Capabilities, "tools")] }
		return cmp.Or(cmp.Compare(first[a.State == "loaded"], first[b.State == "loaded"]), cmp.Compare(taught(a), taught(b)))
	})
	return can[0], nil
}

func shellQuoted(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@", r)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
