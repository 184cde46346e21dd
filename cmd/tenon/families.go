package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tenon/tools"
)

func newFamiliesCommand() *cobra.Command {
	var markers, asJSON bool
	cmd := &cobra.Command{
		Use:   "families",
		Short: "List the formats of calls that tenon knows and how each is recognised",
		Long: `Lists every format by the name that tool_format and --family take. A model's format is found by strings in its chat
template; formats without such strings are chosen by name, or are what models without a format of their own get.

With --markers: the strings that text and thinking lose in a turn with tools.
One that ends with = or =" begins a tag, which leaves up to its end if a name stands in it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := cmd.OutOrStdout()
			switch {
			case asJSON:
				return familiesJSON(w)
			case markers:
				return familiesMarkers(w)
			}
			return familiesTable(w)
		},
	}
	cmd.Flags().BoolVar(&markers, "markers", false, "list the markers of each family")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array with everything")
	return cmd
}

func familiesTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, d := range tools.Families() {
		if _, err := fmt.Fprintf(t, "%s\t%s\t%s\n", d.Name(), d.Models(), recognised(d)); err != nil {
			return err
		}
	}
	return t.Flush()
}

func recognised(d *tools.Dialect) string {
	signs := d.Signs()
	if len(signs) == 0 {
		return "chosen by name"
	}
	for i, s := range signs {
		signs[i] = strconv.Quote(s)
	}
	all := "template has " + strings.Join(signs, ", ")
	for _, s := range d.Named() {
		all += " or " + strconv.Quote(s)
	}
	return all
}

func familiesMarkers(w io.Writer) error {
	for _, d := range tools.Families() {
		for _, m := range d.Markers() {
			if _, err := fmt.Fprintf(w, "%s\t%s\n", d.Name(), visible(m)); err != nil {
				return err
			}
		}
	}
	return nil
}

// visible spells the line breaks of a marker, so that each stands on one line.
func visible(marker string) string { return strings.ReplaceAll(marker, "\n", `\n`) }

func familiesJSON(w io.Writer) error {
	type entry struct {
		Name     string   `json:"name"`
		Models   string   `json:"models"`
		Scaffold bool     `json:"scaffold"`
		Signs    []string `json:"signs"`
		Markers  []string `json:"markers"`
	}
	var all []entry
	for _, d := range tools.Families() {
		all = append(all, entry{d.Name(), d.Models(), d.Scaffold(), d.Signs(), d.Markers()})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(all)
}
