package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tenon/grammar"
	"tenon/grammar/schema"
	"tenon/tools"
	"tenon/tools/conform"
)

// checkedTool is what tenon will do about one tool.
type checkedTool struct {
	Name     string `json:"name"`
	Callable bool   `json:"callable"`
	// no tool of the model's: requests may name it, and nothing calls it
	Hosted bool `json:"hosted,omitempty"`
	// why it is not, or why the schema is no schema
	Error  string         `json:"error,omitempty"`
	Issues []checkedIssue `json:"issues"`
	Bytes  int            `json:"bytes"`
	Tokens int            `json:"tokens,omitempty"` // in the prompt; only with --model
}

// checkedIssue is a keyword that is not simply enforced as written.
type checkedIssue struct {
	Pointer string         `json:"pointer"`
	Keyword string         `json:"keyword"`
	Action  grammar.Action `json:"action"` // checked, dropped or enforced
	Why     string         `json:"why"`
}

func newCheckCommand() *cobra.Command {
	var model string
	var asJSON bool
	c := &cobra.Command{
		Use:   "check TOOLS.json [--model MODEL.gguf]",
		Short: "Say what of a set of tools is enforced",
		Long: `Say, for each tool of an OpenAI tools array, what of its schema is enforced while a call is generated, what is checked afterwards,
and what is dropped, with a JSON pointer to each.

  enforced   while a call is generated nothing else can be written; an issue says so where a keyword was read in another way than it stands
  checked    the arguments are validated when they are complete, before any of them is sent
  dropped    the keyword has no effect
  size       bytes of the definition as compact JSON; with --model its tokens, as the model cuts them in a prompt

The exit status is 1 if some tool cannot be called at all.`,
		Args: oneFile("tools"),
		RunE: func(c *cobra.Command, args []string) error {
			text, err := read(c, args[0])
			if err != nil {
				return fmt.Errorf("read tools: %w", err)
			}
			list, err := checkTools(c.Context(), text, model)
			if err != nil {
				return err
			}
			return printChecked(c, list, asJSON)
		},
	}
	c.Flags().StringVar(&model, "model", "", "GGUF file whose tokenizer counts the tokens")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return c
}

func checkTools(ctx context.Context, text []byte, model string) ([]checkedTool, error) {
	declared, err := decodeTools(text)
	if err != nil {
		return nil, err
	}
	if len(declared) == 0 {
		return nil, errors.New("read tools: the array is empty")
	}
	list, texts := make([]checkedTool, len(declared)), make([]string, len(declared))
	places := map[string]int{}
	for i, t := range declared {
		var compact bytes.Buffer
		_ = json.Compact(&compact, t.Raw) // it was decoded
		list[i] = checkTool(t)
		if other, twice := places[t.Name]; twice && t.Hosted == "" {
			list[i].Callable, list[i].Error = false, fmt.Sprintf("element %d has the same name, and a request with both is refused", other)
		}
		places[t.Name] = i
		list[i].Bytes, texts[i] = compact.Len(), compact.String()
	}
	if model == "" {
		return list, nil
	}
	counts, err := askTokens(ctx, tokenQuestion{Model: model, Texts: texts})
	if err != nil {
		return nil, err
	}
	for i, n := range counts {
		list[i].Tokens = n
	}
	return list, nil
}

func checkTool(t declaredTool) checkedTool {
	out := checkedTool{Name: t.Name, Callable: true, Issues: []checkedIssue{}}
	if t.Hosted != "" {
		out.Name, out.Hosted = t.Hosted, true
		return out
	}
	arguments, narrowed := tools.Arguments(t.Parameters)
	if narrowed {
		out.Issues = append(out.Issues, checkedIssue{"", "type", grammar.Enforced, "arguments are always an object; other values that the schema allows are never written"})
	}
	if out.Error = conform.Compile(arguments).Beyond(); out.Error != "" {
		out.Callable = false
		return out
	}
	g, err := grammar.FromSchema(arguments, grammar.SchemaOptions{Tool: t.Name, Lenient: true})
	if err != nil {
		out.Callable, out.Error = false, err.Error()
		var invalid *schema.InvalidError
		if errors.As(err, &invalid) {
			out.Error = invalid.Error()
		}
		return out
	}
	for _, i := range g.Issues() {
		out.Issues = append(out.Issues, checkedIssue{i.Pointer, i.Keyword, i.Action, i.Why})
	}
	return out
}

func printChecked(c *cobra.Command, list []checkedTool, asJSON bool) error {
	bad := 0
	for _, t := range list {
		if !t.Callable {
			bad++
		}
	}
	var err error
	if asJSON {
		err = json.NewEncoder(c.OutOrStdout()).Encode(list)
	} else {
		_, err = fmt.Fprint(c.OutOrStdout(), describeChecked(list))
	}
	if err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d tools cannot be called", bad, len(list))
	}
	return nil
}

func describeChecked(list []checkedTool) string {
	var b strings.Builder
	for _, t := range list {
		size := fmt.Sprintf("%d bytes", t.Bytes)
		if t.Tokens > 0 {
			size = fmt.Sprintf("%d tokens", t.Tokens)
		}
		switch {
		case t.Hosted:
			fmt.Fprintf(&b, "%s: hosted: accepted, and never called here\n", t.Name)
		case !t.Callable:
			fmt.Fprintf(&b, "%s: cannot be called: %s\n", t.Name, t.Error)
		case len(t.Issues) == 0:
			fmt.Fprintf(&b, "%s: enforced (%s)\n", t.Name, size)
		default:
			fmt.Fprintf(&b, "%s: enforced but for (%s)\n", t.Name, size)
		}
		for _, i := range t.Issues {
			fmt.Fprintf(&b, "  %s %s at %s: %s\n", i.Action, i.Keyword, orRoot(i.Pointer), i.Why)
		}
	}
	return b.String()
}

func orRoot(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return pointer
}
