package main

import (
	"strconv"
	"strings"

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
			all, screen := tools.Families(), screenOf(cmd)
			switch {
			case asJSON:
				return screen.JSON(familiesFound(all))
			case markers:
				var rows [][]string
				for _, d := range all {
					for _, m := range d.Markers() {
						rows = append(rows, []string{d.Name(), visible(m)})
					}
				}
				return screen.Table([]string{"family", "marker"}, rows)
			}
			var rows [][]string
			for _, d := range all {
				rows = append(rows, []string{d.Name(), d.About, recognised(d)})
			}
			return screen.Table([]string{"family", "models", "recognised by"}, rows)
		},
	}
	cmd.Flags().BoolVar(&markers, "markers", false, "list the markers of each family")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array with everything")
	return cmd
}

func recognised(d *tools.Dialect) string {
	if len(d.Signature) == 0 {
		return "chosen by name"
	}
	var signs []string
	for _, s := range d.Signature {
		signs = append(signs, strconv.Quote(s))
	}
	all := "template has " + strings.Join(signs, ", ")
	for _, s := range d.Telltales {
		all += " or " + strconv.Quote(s)
	}
	return all
}

// visible spells the line breaks of a marker, so that each stands on one line.
func visible(marker string) string { return strings.ReplaceAll(marker, "\n", `\n`) }

// familyFound is a family for programs.
type familyFound struct {
	Name     string   `json:"name"`
	Models   string   `json:"models"`
	Scaffold bool     `json:"scaffold"`
	Signs    []string `json:"signs"`
	Markers  []string `json:"markers"`
}

func familiesFound(all []*tools.Dialect) []familyFound {
	found := make([]familyFound, len(all))
	for i, d := range all {
		found[i] = familyFound{d.Name(), d.About, d.Ours, d.Signature, d.Markers()}
	}
	return found
}
