package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenon/cmd/background"
	"tenon/cmd/client"
	"tenon/cmd/terminal"
	"tenon/server/lmstudio"
)

// lmsName is the command of LM Studio that editors and scripts call. A link of this name to this
// program answers them.
const lmsName = "lms"

// asLMS is the arguments of a program that was called by the name: those of lms.
func asLMS(args []string) []string {
	if strings.TrimSuffix(filepath.Base(args[0]), ".exe") == lmsName {
		return append([]string{lmsName}, args[1:]...)
	}
	return args[1:]
}

// offerLMS tells how the link is made where there is none.
func offerLMS(s *terminal.Screen, program string) {
	if _, err := exec.LookPath(lmsName); err != nil {
		s.Printf("Editors and scripts that call LM Studio's lms find it with\n  ln -s %s ~/.local/bin/%s\n", program, lmsName)
	}
}

func newLMSCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   lmsName,
		Short: "Answer as LM Studio's lms does",
		Long: `The commands of LM Studio's lms that editors and scripts call, with its flags and the JSON that it prints: a link named lms to
this program is that command. Flags that mean nothing here are accepted.`,
	}
	server := &cobra.Command{Use: "server", Short: "Start, stop, and ask for the server"}
	server.AddCommand(newLMSStartCommand(), newStopCommand(), newLMSStatusCommand())
	log := &cobra.Command{Use: "log", Short: "Show what models read and write"}
	log.AddCommand(newLMSLogCommand())
	cmd.AddCommand(
		newLMSListCommand("ps", "List the models that are loaded", [][2]string{{"llm", "listLoaded"}, {"embedding", "listLoaded"}}),
		newLMSListCommand("ls", "List the models at hand", [][2]string{{"system", "listDownloadedModels"}}),
		newLMSLoadCommand(), newLMSUnloadCommand(), newLMSGetCommand(), server, log,
	)
	return cmd
}

// withLMS is withServer for commands of lms, whose further flags are accepted.
func withLMS(cmd *cobra.Command, run func(cmd *cobra.Command, r *remote, args []string) error) *cobra.Command {
	cmd.FParseErrWhitelist.UnknownFlags = true
	cmd.Flags().BoolP("yes", "y", false, "accepted: nothing is asked")
	// what is not known takes the next argument for its value
	for _, name := range []string{"exact", "gguf", "quiet", "verbose"} {
		cmd.Flags().Bool(name, false, "accepted")
	}
	return withServer(cmd, run)
}

// newLMSListCommand prints what the SDKs' calls answer, as lms does.
func newLMSListCommand(use, short string, calls [][2]string) *cobra.Command {
	var llm, embedding bool
	cmd := withLMS(&cobra.Command{Use: use, Short: short, Args: cobra.NoArgs}, func(cmd *cobra.Command, r *remote, _ []string) error {
		all := []json.RawMessage{}
		for _, c := range calls {
			raw, err := r.Ask(cmd.Context(), c[0], c[1], nil)
			if err != nil {
				return err
			}
			var list []json.RawMessage
			if err := json.Unmarshal(raw, &list); err != nil {
				return fmt.Errorf("read the list of models: %w", err)
			}
			all = append(all, list...)
		}
		if llm != embedding { // one kind alone
			all = slices.DeleteFunc(all, func(raw json.RawMessage) bool {
				var m struct {
					Type string `json:"type"`
				}
				return json.Unmarshal(raw, &m) != nil || (m.Type == "llm") != llm
			})
		}
		return r.answer(all, func() error {
			for _, raw := range all {
				var m struct {
					Identifier string `json:"identifier"`
					Key        string `json:"modelKey"`
				}
				if err := json.Unmarshal(raw, &m); err != nil {
					return fmt.Errorf("read the list of models: %w", err)
				}
				r.screen.Printf("%s\n", cmp.Or(m.Identifier, m.Key))
			}
			return nil
		})
	})
	cmd.Flags().BoolVar(&llm, "llm", false, "those that write alone")
	cmd.Flags().BoolVar(&embedding, "embedding", false, "embedding models alone")
	return cmd
}

func newLMSLoadCommand() *cobra.Command {
	var identifier, gpu string
	var context, ttl, parallel int
	var estimate bool
	cmd := withLMS(&cobra.Command{Use: "load MODEL", Short: "Load a model", Args: cobra.ExactArgs(1)}, func(cmd *cobra.Command, r *remote, args []string) error {
		if estimate {
			return estimateLoad(cmd, r, args[0], map[string]any{"contextLength": context, "numParallelSessions": parallel, "llama.acceleration.offloadRatio": share(gpu)})
		}
		in := map[string]any{"model": args[0]}
		for key, n := range map[string]int{"context_length": context, "ttl": ttl, "parallel": parallel} {
			if n > 0 {
				in[key] = n
			}
		}
		if identifier != "" {
			in["identifier"] = identifier
		}
		if gpu != "" {
			in["gpu"] = share(gpu)
		}
		var out map[string]any
		if err := r.Post(cmd.Context(), "/api/v1/models/load", in, &out); err != nil {
			return err
		}
		return r.answer(out, func() error {
			r.screen.Printf("Model loaded: %v. To use it by the API, name it %q.\n", out["instance_id"], out["instance_id"])
			return nil
		})
	})
	cmd.Flags().StringVar(&identifier, "identifier", "", "what the loaded model is called")
	cmd.Flags().IntVarP(&context, "context-length", "c", 0, "most tokens one request may use")
	cmd.Flags().StringVar(&gpu, "gpu", "", "layers on the GPU: max, off, or a share of them, such as 0.5")
	cmd.Flags().IntVar(&ttl, "ttl", 0, "seconds that it stays when nobody asks for it")
	cmd.Flags().IntVar(&parallel, "parallel", 0, "requests that run at once")
	cmd.Flags().BoolVar(&estimate, "estimate-only", false, "tell what memory the load would take, and load nothing")
	return cmd
}

func newLMSUnloadCommand() *cobra.Command {
	var all bool
	cmd := withLMS(&cobra.Command{Use: "unload (IDENTIFIER | --all)", Short: "Put a loaded model away", Args: cobra.MaximumNArgs(1)}, func(cmd *cobra.Command, r *remote, args []string) error {
		if all == (len(args) == 1) {
			return fmt.Errorf("expected %s", cmd.UseLine())
		}
		if all {
			loaded, err := r.Instances(cmd.Context())
			if err != nil {
				return err
			}
			for _, i := range loaded {
				args = append(args, i.ID)
			}
		}
		for _, id := range args {
			if err := r.Post(cmd.Context(), "/api/v1/models/unload", map[string]any{"instance_id": id}, nil); err != nil {
				return err
			}
		}
		return r.answer(args, func() error { r.screen.Printf("Unloaded: %s\n", strings.Join(args, ", ")); return nil })
	})
	cmd.Flags().BoolVarP(&all, "all", "a", false, "every one that is loaded")
	return cmd
}

// share is a word of --gpu, or its number.
func share(gpu string) any {
	if json.Valid([]byte(gpu)) {
		return json.Number(gpu)
	}
	return gpu
}

// estimateLoad tells what a load with settings would take.
func estimateLoad(cmd *cobra.Command, r *remote, model string, settings map[string]any) error {
	fields := []map[string]any{}
	for key, v := range settings {
		if v != 0 && v != "" {
			fields = append(fields, map[string]any{"key": "llm.load." + key, "value": v})
		}
	}
	layer := map[string]any{"layerName": "apiOverride", "config": map[string]any{"fields": fields}}
	raw, err := r.Ask(cmd.Context(), "llm", "estimateModelUsage", map[string]any{"modelKey": model, "loadConfigStack": map[string]any{"layers": []any{layer}}})
	if err != nil {
		return err
	}
	var out struct {
		Memory struct {
			VRAM  int64 `json:"totalVramBytes"`
			Total int64 `json:"totalBytes"`
		} `json:"memory"`
		Context int  `json:"contextLength"`
		Fits    bool `json:"passesGuardrails"`
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return fmt.Errorf("read the estimate: %w", err)
	}
	return r.answer(raw, func() error {
		r.screen.Printf("Model: %s\nContext Length: %d\nEstimated GPU Memory: %s\nEstimated Total Memory: %s\n",
			model, out.Context, terminal.Size(out.Memory.VRAM), terminal.Size(out.Memory.Total))
		verdict := map[bool]string{true: "it can be loaded", false: "there is no room for it"}[out.Fits]
		r.screen.Printf("\nEstimate: %s.\n", verdict)
		return nil
	})
}

func newLMSGetCommand() *cobra.Command {
	return withLMS(&cobra.Command{Use: "get MODEL", Short: "Fetch a model: owner/repo[@quant], or its page on the hub", Args: cobra.ExactArgs(1)}, func(cmd *cobra.Command, r *remote, args []string) error {
		source, err := lmstudio.Source(args[0], "")
		if err != nil {
			return err
		}
		var got struct{ Model, Path string }
		if err := r.work(cmd, "pull", source, terminal.Bytes, map[string]any{"source": source}, &got); err != nil {
			return err
		}
		return r.answer(got, func() error { r.screen.Printf("Download completed: %s\n", got.Model); return nil })
	})
}

func newLMSStartCommand() *cobra.Command {
	var port int
	cmd := &cobra.Command{Use: "start", Short: "Start a server in the background that serves every model at hand", Args: cobra.NoArgs, FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true}}
	cmd.Flags().IntVarP(&port, "port", "p", 0, "the port to listen on (default: 1234)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		where, err := background.Default()
		if err != nil {
			return err
		}
		if r, ok := where.Running(); ok {
			screenOf(cmd).Printf("Success! Server is now running at %s\n", r.Address)
			return nil
		}
		start := newStartCommand()
		// who runs this command tells the error
		start.SilenceUsage, start.SilenceErrors = true, true
		args := []string{"--find-models"}
		if port > 0 {
			args = append(args, "--port", strconv.Itoa(port))
		}
		start.SetArgs(args)
		start.SetOut(cmd.OutOrStdout())
		start.SetErr(cmd.ErrOrStderr())
		err = start.ExecuteContext(cmd.Context())
		if other := (*foreignServer)(nil); errors.As(err, &other) {
			screenOf(cmd).Printf("Success! Server is now running at %s\n", other.at)
			return nil
		}
		return err
	}
	return cmd
}

func newLMSStatusCommand() *cobra.Command {
	return withLMS(&cobra.Command{Use: "status", Short: "Tell whether a server runs, and at which port", Args: cobra.NoArgs}, func(cmd *cobra.Command, r *remote, _ []string) error {
		_, err := r.Health(cmd.Context())
		if err != nil && !errors.Is(err, client.ErrNoServer) {
			return err
		}
		out := struct {
			Running bool `json:"running"`
			Port    *int `json:"port"` // null where none runs
		}{Running: err == nil}
		if out.Running {
			out.Port = new(portOf(r.Base))
		}
		return r.answer(out, func() error {
			if out.Running {
				r.screen.Printf("The server is running on port %d.\n", *out.Port)
			} else {
				r.screen.Printf("The server is not running.\n")
			}
			return nil
		})
	})
}

// portOf is the port of an address, or its scheme's.
func portOf(base string) int {
	at, err := url.Parse(base)
	if err != nil {
		return 0 // nothing has answered there
	}
	// url.Parse takes numbers alone
	port, _ := strconv.Atoi(cmp.Or(at.Port(), map[string]string{"https": "443"}[at.Scheme], "80"))
	return port
}

func newLMSLogCommand() *cobra.Command {
	return withLMS(&cobra.Command{Use: "stream", Short: "Show what models read and write, until Ctrl-C", Args: cobra.NoArgs}, func(cmd *cobra.Command, r *remote, _ []string) error {
		return r.Watch(cmd.Context(), "diagnostics", "streamLogs", func(packet json.RawMessage) error {
			var p struct {
				Log struct {
					Timestamp int64           `json:"timestamp"`
					Data      json.RawMessage `json:"data"`
				} `json:"log"`
			}
			if err := json.Unmarshal(packet, &p); err != nil {
				return fmt.Errorf("read the log: %w", err)
			}
			if r.json { // a line each
				r.screen.Printf("{\"timestamp\":%d,\"data\":%s}\n", p.Log.Timestamp, p.Log.Data)
			} else {
				r.screen.Printf("%s %s\n", time.UnixMilli(p.Log.Timestamp).UTC().Format(time.RFC3339), p.Log.Data)
			}
			return nil
		})
	})
}
