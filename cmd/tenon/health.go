package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenon/cmd/config"
)

func newHealthCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask a running server whether it is ready; the exit status says",
		Long: `Ask the server on --port of this machine whether every model named at start answers. Exit status 0: ready.
It needs no API key. Containers use it as their health check.`,
		Args: cobra.NoArgs,
	}
	loader := config.Register(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := loader.Load(os.Environ()); err != nil {
			return err
		}
		return health(cmd.OutOrStdout(), loader.Settings)
	}
	return cmd
}

func health(w io.Writer, s config.Settings) error {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		// The certificate names the host that clients know, or is signed by itself; nothing secret is sent to the server here.
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true},
	}}
	defer client.CloseIdleConnections()
	resp, err := client.Get(serverURL(s) + "/health")
	if err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	if err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", strings.TrimSpace(string(body)))
	}
	_, err = w.Write(body)
	return err
}

// serverURL is where the server with these settings listens, as seen from this machine.
func serverURL(s config.Settings) string {
	scheme := "http://"
	if s.TLSCert != "" {
		scheme = "https://"
	}
	host := s.Host
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1" // what a server on every address also listens on
	}
	return scheme + net.JoinHostPort(host, strconv.Itoa(s.Port))
}
