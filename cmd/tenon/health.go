package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func newHealthCommand() *cobra.Command {
	return withServer(&cobra.Command{
		Use:   "health",
		Short: "Ask a running server whether it is ready; the exit status says",
		Long: `Ask the server whether every model named at start answers. Exit status 0: ready. It needs no API key. Containers use it as
their health check.`,
		Args: cobra.NoArgs,
	}, func(cmd *cobra.Command, r *remote, _ []string) error {
		ctx, cancel := context.WithTimeout(cmd.Context(), 5*time.Second)
		defer cancel()
		h, err := r.Health(ctx)
		if err != nil {
			return err
		}
		if h.Status != "ok" {
			return fmt.Errorf("not ready: %s", strings.TrimSpace(fmt.Sprintf("%s %s %s", h.Status, h.Model, h.Error)))
		}
		return r.answer(h, func() error { r.screen.Printf("%s\n", h.Status); return nil })
	})
}
