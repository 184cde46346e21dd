package config

import (
	_ "embed"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"tenon/server/agent/builtin"
	"tenon/server/agent/mcp"
)

// reference writes the reference page of all settings, in Markdown.
func reference(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Settings of `tenon serve`\n\n" +
		"Each setting is a flag, an environment variable and a key of the YAML file (`--config FILE`), which win in this order.\n" +
		"Lists are repeated flags, commas in the environment, and YAML lists. Text of the file is taken as it stands: 0123 is a key of four digits.\n" +
		"An unknown key is an error, and so is one without a value; an empty variable counts as unset.\n" +
		"`tenon config` prints what is in force and where each value came from. This page is printed from the source.\n" +
		"Paths in the file are sought beside the file. Settings marked M may also stand under `models:`, see the end.\n")
	group := ""
	for _, s := range settings() {
		if s.group != group {
			group = s.group
			fmt.Fprintf(&b, "\n## %s\n\n| flag | environment | default | | meaning |\n|---|---|---|---|---|\n", group)
		}
		def := s.defaultValue
		if def == "" {
			def = "–"
		}
		mark := ""
		if s.perModel {
			mark = "M"
		}
		fmt.Fprintf(&b, "| `--%s` | `%s` | %s | %s | %s |\n", s.name, s.env(), def, mark, s.help)
	}
	referModels(&b)
	referExecuted(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// referModels explains the entries under models:.
func referModels(b *strings.Builder) {
	b.WriteString("\n## One model\n\n" +
		"An entry under `models:` in the file is for one model alone, and wins over flags and the environment. Its name is what clients call\n" +
		"the model. Where it has no source, its name says which of the models at hand is meant.\n\n" +
		"```yaml\n" + exampleModels + "```\n\n| key | meaning |\n|---|---|\n")
	for _, k := range modelKeys {
		fmt.Fprintf(b, "| `%s` | %s |\n", k.name, k.help)
	}
	b.WriteString("| settings marked M | as above, without the dashes |\n\n" +
		"`tenon explain --model NAME` shows what is in force for a model and where each value came from. SIGHUP and `tenon reload` read the\n" +
		"file and the adapters again, and look for models as at the start. Names, pins, times to live and what is served change at once,\n" +
		"sampling and how tools are called from the next request on; what is loaded stays as it was loaded until it next is, and what\n" +
		"needs a restart is said. A running request is not touched.\n")
}

// referExecuted explains the entries under tools: and mcp:.
func referExecuted(b *strings.Builder) {
	b.WriteString("\n## Tools that the server executes\n\n" +
		"An entry under `tools:` names a tool; one that is not named does not exist. [TOOLS.md](../../server/agent/TOOLS.md) shows how to\n" +
		"write them. In `env` and `headers`, `${NAME}` stands for a variable of the server's environment.\n")
	entries := func(title string, settings any, but []sectionKey) {
		fmt.Fprintf(b, "\n%s:\n\n| key | meaning |\n|---|---|\n", title)
		for _, k := range sectionKeys(reflect.TypeOf(settings).Elem()) {
			if !slices.ContainsFunc(but, func(c sectionKey) bool { return c.name == k.name }) {
				fmt.Fprintf(b, "| `%s` | %s |\n", k.name, k.help)
			}
		}
	}
	common := sectionKeys(reflect.TypeFor[builtin.Common]())
	entries("Each tool", &builtin.Common{}, nil)
	for _, name := range builtin.Names() {
		entries("`"+name+"`", builtin.New(name), common)
	}
	entries("A tool of your own, under any other name", builtin.New(""), common)
	entries("An entry under `mcp:` is an MCP server", &mcp.Server{}, nil)
}

// exampleModels is read by a test.
//
//go:embed example.yaml
var exampleModels string
