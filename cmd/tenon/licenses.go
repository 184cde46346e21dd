package main

import (
	"embed"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"
)

// notices holds README and, in a binary that make built, linked.txt with the licences of the
// linked code.
//
//go:embed notices
var notices embed.FS

func newLicensesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Print the licences of the code in this binary",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return fs.WalkDir(notices, ".", func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := notices.ReadFile(path)
				if err != nil {
					return fmt.Errorf("read the notices: %w", err)
				}
				_, err = cmd.OutOrStdout().Write(text)
				return err
			})
		},
	}
}
