package config

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
)

// Print writes every setting that is in force and where its value came from. Keys are not shown.
func (l *Loader) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	values := reflect.ValueOf(l.Settings)
	for _, s := range settings() {
		shown := fmt.Sprint(values.Field(s.index).Interface())
		if list, ok := values.Field(s.index).Interface().([]string); ok {
			shown = strings.Join(list, ",")
			if s.secret && len(list) > 0 {
				shown = fmt.Sprintf("(%d hidden)", len(list))
			}
		}
		if _, err := fmt.Fprintf(t, "%s\t%s\t%s\n", s.name, shown, l.Sources[s.name]); err != nil {
			return fmt.Errorf("print settings: %w", err)
		}
	}
	return t.Flush()
}

// Reference writes the reference page of all settings, in Markdown.
func Reference(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Settings of `tenon serve`\n\n" +
		"Each setting is a flag, an environment variable and a key of the YAML file (`--config FILE`), which win in this order.\n" +
		"Lists are repeated flags, commas in the environment, and YAML lists. Text of the file is taken as it stands: 0123 is a key of four digits.\n" +
		"An unknown key is an error, and so is one without a value.\n" +
		"`tenon config` prints what is in force and where each value came from. This page is printed from the source.\n")
	group := ""
	for _, s := range settings() {
		if s.group != group {
			group = s.group
			fmt.Fprintf(&b, "\n## %s\n\n| flag | environment | default | meaning |\n|---|---|---|---|\n", group)
		}
		def := s.defaultValue
		if def == "" {
			def = "–"
		}
		fmt.Fprintf(&b, "| `--%s` | `%s` | %s | %s |\n", s.name, s.env(), def, s.help)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
