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
