package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"tenon/cmd/client"
	"tenon/cmd/terminal"
	"tenon/server/wire"
)

func newRunCommand() *cobra.Command {
	c := conversation{}
	var system, tools string
	var noThink bool
	var use []string
	cmd := &cobra.Command{
		Use:   "run MODEL [PROMPT…]",
		Short: "Chat with a model in the terminal, or have it answer one prompt",
		Long: `Chat with a model. With a PROMPT, or one piped in, the answer alone is printed. Where no server answers, one is started in the
background with MODEL.

While a model answers, Ctrl-C stops the turn. At the prompt Ctrl-C clears the line and Ctrl-D leaves; the arrows bring earlier
lines back. /clear begins anew, /system TEXT changes the instructions, /stats tells how fast the last turn was, /bye leaves.
Where the model calls one of --tools, its call is shown and you are asked for the result. Tools of --use are executed by the
server; where its settings say ask, you are shown the arguments and asked first.`,
		Args: cobra.MinimumNArgs(1),
	}
	withServer(cmd, func(cmd *cobra.Command, r *remote, args []string) error {
		ctx := context.WithoutCancel(cmd.Context()) // Ctrl-C stops a turn, not the program
		if err := r.orStart(cmd.Context(), args[0]); err != nil {
			return err
		}
		c.remote, c.request.Model, c.prefix = r, args[0], nil
		if noThink {
			c.request.Template = map[string]any{"enable_thinking": false}
		}
		if err := c.declare(tools, use); err != nil {
			return err
		}
		c.instruct(system)
		prompt, err := c.prompt(args[1:])
		if err != nil {
			return err
		}
		if prompt != "" {
			return c.once(ctx, prompt)
		}
		return c.chat(ctx)
	})
	f := cmd.Flags()
	f.StringVar(&system, "system", "", "instructions for the model")
	f.StringVar(&tools, "tools", "", "file with an OpenAI tools array")
	f.StringArrayVar(&use, "use", nil, "have the server execute the tools of a source of its configuration: builtin, or an MCP server's label; repeat for several")
	f.BoolVar(&noThink, "no-think", false, "ask a model that thinks not to")
	f.IntVar(&c.request.MaxTokens, "max-tokens", 0, "most tokens of an answer; 0: no limit")
	f.BoolVar(&c.stats, "stats", false, "tell after each turn how fast it was")
	return cmd
}

// conversation is a chat in the terminal.
type conversation struct {
	*remote
	request client.ChatRequest
	prefix  []client.Message // instructions, which /clear keeps
	last    client.Turn
	stats   bool
	lines   *terminal.Lines
}

// declare reads the tools that a file declares, and adds those of the server's sources.
func (c *conversation) declare(file string, use []string) error {
	declared := []json.RawMessage{}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read tools: %w", err)
		}
		array, err := toolsArray(text)
		if err == nil {
			err = json.Unmarshal(array, &declared)
		}
		if err != nil {
			return err
		}
	}
	for _, source := range use {
		// beyond what the settings say; texts always marshal
		entry, _ := json.Marshal(map[string]string{"type": "mcp", "server_label": source, "require_approval": "never"})
		declared = append(declared, entry)
	}
	if len(declared) == 0 {
		return nil
	}
	c.request.Tools, _ = json.Marshal(declared) // it was JSON before
	return nil
}

func (c *conversation) instruct(system string) {
	if system != "" {
		c.prefix = []client.Message{{Role: "system", Content: system}}
	}
	c.request.Messages = append([]client.Message{}, c.prefix...)
}

// prompt is what is to be answered at once: the arguments, and what is piped in.
func (c *conversation) prompt(args []string) (string, error) {
	prompt := strings.Join(args, " ")
	if c.screen.Typing() {
		return prompt, nil
	}
	piped, err := io.ReadAll(c.screen.In)
	if err != nil {
		return "", fmt.Errorf("read the prompt: %w", err)
	}
	return strings.TrimSpace(prompt + "\n" + string(piped)), nil
}

// once answers one prompt.
func (c *conversation) once(ctx context.Context, prompt string) error {
	c.say("user", prompt)
	err := c.turn(ctx)
	if c.json && err == nil {
		return c.screen.JSON(c.last)
	}
	return err
}

func (c *conversation) say(role, text string) {
	c.request.Messages = append(c.request.Messages, client.Message{Role: role, Content: text})
}

// chat reads what is typed and answers it until the input ends.
func (c *conversation) chat(ctx context.Context) error {
	c.lines = c.screen.Lines()
	c.screen.Note("%s", c.screen.Dim("Chatting with "+c.request.Model+". Ctrl-D leaves, /help tells more."))
	for {
		line, err := c.lines.Read("> ")
		if errors.Is(err, io.EOF) {
			c.screen.Note("") // what the shell writes begins a line
			return nil
		}
		if err != nil {
			return err
		}
		if strings.HasPrefix(line, "/") {
			if !c.command(line) {
				return nil
			}
			continue
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		c.say("user", line)
		if err := c.turn(ctx); err != nil {
			c.screen.Note("%s", c.screen.Bad(err.Error()))
		}
	}
}

// command does what a line that begins with a slash says; false means that the chat is over.
func (c *conversation) command(line string) bool {
	name, rest, _ := strings.Cut(line, " ")
	switch name {
	case "/bye", "/exit", "/quit":
		return false
	case "/clear":
		c.instruct("")
	case "/system":
		c.instruct(rest)
	case "/stats":
		c.tell(c.last.Timings)
	default:
		c.screen.Note("/clear begins anew; /system TEXT does, with other instructions; /stats tells how fast the last turn was; /bye leaves")
	}
	return true
}

// turn has the model answer, and go on where its calls get results. Ctrl-C ends it.
func (c *conversation) turn(ctx context.Context) error {
	for {
		if err := c.answer(ctx); err != nil {
			return err
		}
		asked, err := c.approve()
		if err != nil || !asked && (len(c.last.Message.Calls) == 0 || c.lines == nil) {
			return err
		}
		for _, call := range c.last.Message.Calls {
			result, err := c.lines.Read("result of " + call.Function.Name + "> ")
			if err != nil {
				return err
			}
			c.request.Messages = append(c.request.Messages, client.Message{Role: "tool", CallID: call.ID, Content: result})
		}
	}
}

// approve asks about the calls that wait for it. Without a terminal to ask in none is approved.
func (c *conversation) approve() (asked bool, err error) {
	c.request.Approvals = nil
	for _, call := range c.last.Message.Served {
		if call.Type != "approval_request" {
			continue
		}
		// a server may call its tool anything
		name := strings.Map(harmless, call.Label+"/"+call.Name)
		if !c.screen.Asking() {
			return false, fmt.Errorf("%s waits for an approval, which can be given in a terminal only", name)
		}
		if c.lines == nil {
			c.lines = c.screen.Lines()
		}
		c.screen.Printf("%s %s\n", c.screen.Bold(name), strings.Map(harmless, call.Arguments))
		line, err := c.lines.Read("execute it? (y/N) ")
		if err != nil {
			return false, err
		}
		yes := strings.EqualFold(line, "y") || strings.EqualFold(line, "yes")
		c.request.Approvals = append(c.request.Approvals, client.Approval{ID: call.ID, Approve: yes})
	}
	return len(c.request.Approvals) > 0, nil
}

// told is what a model or a tool wrote, for people without what a terminal takes for a command.
func told(screen *terminal.Screen, s string) string {
	if screen.People() {
		return plain(s)
	}
	return s
}

// plain is a text without what a terminal takes for a command: it could hide what is asked to be
// approved.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// served shows a call that the server executes, and what came of it.
func (c *conversation) served(call client.ServerCall) {
	switch {
	case call.Type == "approval_request":
	case call.Error != nil:
		c.screen.Note("%s", c.screen.Bad("  "+strings.Map(harmless, *call.Error)))
	case call.Output != nil:
		c.screen.Note("%s", c.screen.Dim(fmt.Sprintf("  %d bytes", len(*call.Output))))
	default:
		c.screen.Note("%s", c.screen.Dim(strings.Map(harmless, call.Label+"/"+call.Name+" "+call.Arguments)))
	}
}

// answer shows one answer while it comes. What was stopped stays in the conversation as far as it
// came.
func (c *conversation) answer(ctx context.Context) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	thought, begun := false, c.loading(ctx)
	defer begun()
	show := client.Shower{Text: func(s string) {
		begun()
		if thought {
			c.screen.Printf("\n\n")
			thought = false
		}
		c.screen.Printf("%s", told(c.screen, s))
	}}
	if c.screen.People() {
		show.Thinking = func(s string) { begun(); thought = true; c.screen.Printf("%s", c.screen.Dim(told(c.screen, s))) }
		show.Served = func(call client.ServerCall) { begun(); c.served(call) }
	}
	if c.json {
		show = client.Shower{}
	}
	if c.request.Elicits = c.screen.Asking(); c.request.Elicits {
		show.Asked = func(q client.Question) { begun(); c.elicit(ctx, q) }
	}
	turn, err := c.Chat(ctx, c.request, show)
	begun()
	stopped := err != nil && ctx.Err() != nil
	if stopped {
		turn.Message.Calls, turn.Finish, err = nil, "stopped", nil // half a call is none
	}
	c.last = turn
	if err != nil {
		return err
	}
	if turn.Message.Content != "" || len(turn.Message.Calls)+len(turn.Message.Served) > 0 {
		kept := turn.Message
		c.request.Messages = append(c.request.Messages, kept)
	}
	if !c.json {
		c.close(turn, stopped)
	}
	return nil
}

// loading shows whoever watches how far the load is that the turn waits for, until the answer
// begins.
func (c *conversation) loading(ctx context.Context) (begun func()) {
	if !c.screen.Watched() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var bar *terminal.Bar
		for tick := time.NewTicker(lookEvery); ; {
			select {
			case <-tick.C:
			case <-ctx.Done():
				tick.Stop()
				if bar != nil {
					bar.End(nil)
				}
				return
			}
			// a server that cannot say will say so in the turn
			list, _ := c.Instances(ctx)
			for _, i := range list {
				if i.Waiting == 0 {
					continue
				}
				if bar == nil {
					bar = c.screen.Bar("", terminal.Percent)
				}
				bar.Say("%s %s", i.State, i.ID)
				bar.Set(int64(100*i.Progress), 100)
			}
		}
	}()
	return func() { cancel(); <-ended }
}

const lookEvery = 200 * time.Millisecond // how far a load is

// close ends what an answer has shown.
func (c *conversation) close(turn client.Turn, stopped bool) {
	if turn.Message.Content != "" || turn.Message.Reasoning != "" && c.screen.People() {
		c.screen.Printf("\n")
	}
	for _, call := range turn.Message.Calls {
		c.screen.Printf("%s%s\n", c.screen.Bold(call.Function.Name), call.Function.Arguments)
	}
	switch {
	case stopped:
		c.screen.Note("%s", c.screen.Dim("(stopped)"))
	case turn.Finish == "length":
		c.screen.Note("%s", c.screen.Warn("(cut off: --max-tokens or the context is full)"))
	}
	if c.stats {
		c.tell(turn.Timings)
	}
}

func (c *conversation) tell(t wire.Timings) {
	c.screen.Note("%s", c.screen.Dim(fmt.Sprintf("prompt %d tokens (%d from the cache) at %.0f/s, answer %d tokens at %.1f/s",
		t.PromptN+t.CacheN, t.CacheN, t.PromptPerSecond, t.PredictedN, t.PredictedPerSecond)))
}
