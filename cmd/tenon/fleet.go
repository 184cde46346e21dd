package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenon/cmd/client"
	"tenon/cmd/terminal"
	"tenon/engine/shards"
	"tenon/models/catalog"
	models "tenon/models/fleet"
	"tenon/models/store"
	"tenon/server/fleet"
)

func newListCommand() *cobra.Command {
	return withServer(&cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Args: cobra.NoArgs,
		Short: "List the models at hand",
		Long:  "List the models at hand: those that the server knows, or where none runs, those that one would serve.",
	}, func(cmd *cobra.Command, r *remote, _ []string) error {
		list, err := r.models(cmd.Context(), cmd)
		if err != nil {
			return err
		}
		return r.answer(list, func() error {
			rows := make([][]string, len(list))
			for i, m := range list {
				state := m.State
				if m.Pinned {
					state += ", pinned"
				}
				rows[i] = []string{m.ID, terminal.Size(m.Size), m.Architecture, m.Quantization, strconv.Itoa(cmp.Or(m.ContextLength, m.ContextTrained)), state, strings.Join(m.Aliases, ", ")}
			}
			return r.screen.Table([]string{"name", "size", "architecture", "quantization", "context", "state", "aliases"}, rows)
		})
	})
}

// models are those that the server knows, or where none runs, those that one would serve.
func (r *remote) models(ctx context.Context, cmd *cobra.Command) ([]fleet.Model, error) {
	list, err := r.Fleet(ctx)
	if !errors.Is(err, client.ErrNoServer) {
		return list, err
	}
	list = []fleet.Model{}
	return list, r.alone(cmd, func(f *models.Fleet) error {
		for _, s := range f.Status() {
			list = append(list, fleet.Describe(s))
		}
		return nil
	})
}

func newPSCommand() *cobra.Command {
	return withServer(&cobra.Command{
		Use: "ps", Args: cobra.NoArgs,
		Short: "List the models that are loaded",
		Long:  "List the models that are loaded or about to be: what they take, who uses them, when they go.",
	}, func(cmd *cobra.Command, r *remote, _ []string) error {
		list, err := r.Instances(cmd.Context())
		if err != nil {
			return err
		}
		return r.answer(list, func() error {
			rows := make([][]string, len(list))
			for i, m := range list {
				state := m.State
				if state == "loading" {
					state = fmt.Sprintf("loading %.0f %%", 100*m.Progress)
				}
				rows[i] = []string{m.ID, state, terminal.Size(m.Bytes.Total()), strconv.Itoa(m.ContextLength), strconv.Itoa(m.Busy), strconv.Itoa(m.Waiting), idle(m), leaves(m)}
			}
			return r.screen.Table([]string{"name", "state", "memory", "context", "busy", "waiting", "idle", "leaves"}, rows)
		})
	})
}

func idle(m fleet.Instance) string {
	if m.Busy > 0 {
		return "-"
	}
	return terminal.Span(time.Duration(m.IdleSeconds * float64(time.Second)))
}

// leaves tells when a model goes that nobody asks for.
func leaves(m fleet.Instance) string {
	switch {
	case m.Pinned:
		return "never (pinned)"
	case m.TTLSeconds == nil:
		return "for room"
	}
	return "in " + terminal.Span(time.Duration(max(*m.TTLSeconds-m.IdleSeconds, 0)*float64(time.Second)))
}

func newLoadCommand() *cobra.Command {
	var size, parallel int
	var keep time.Duration
	cmd := withServer(&cobra.Command{
		Use: "load MODEL", Args: cobra.ExactArgs(1),
		Short: "Load a model before it is asked for",
		Long:  "Load a model, with settings other than its own if they are given, and wait until it answers.",
	}, func(cmd *cobra.Command, r *remote, args []string) error {
		in := map[string]any{"model": args[0], "context_length": size, "parallel": parallel, "ttl": keep.Seconds()}
		var m fleet.Instance
		began := time.Now()
		if err := r.work(cmd, "load", args[0], terminal.Percent, in, &m); err != nil {
			return err
		}
		return r.answer(m, func() error {
			r.screen.Printf("%s is loaded: %d tokens of context, %s, in %s\n", m.ID, m.ContextLength, terminal.Size(m.Bytes.Total()), terminal.Span(time.Since(began)))
			return nil
		})
	})
	cmd.Flags().IntVar(&size, "ctx-size", 0, "most tokens one request may use")
	cmd.Flags().IntVar(&parallel, "parallel", 0, "requests that run at once")
	cmd.Flags().DurationVar(&keep, "keep-alive", 0, "how long it stays when nobody asks for it")
	return cmd
}

// work does something that takes long on the server, and shows how far it is.
func (r *remote) work(cmd *cobra.Command, route, label string, unit terminal.Unit, in map[string]any, out any) error {
	bar := r.screen.Bar(label, unit)
	err := r.Work(cmd.Context(), "/tenon/v1/"+route, in, func(p client.Progress) {
		if p.Total > 0 {
			bar.Say("%s", p.File)
			bar.Set(p.Done, p.Total)
			return
		}
		bar.Say("%s %s", p.State, label)
		bar.Set(int64(100*p.Share), 100)
	}, out)
	bar.End(err)
	return err
}

// tell tells the server one thing and says that it is done. Where none runs, alone does it, if
// that can be.
func (r *remote) tell(cmd *cobra.Command, route, model, done string, in map[string]any, alone func(*models.Fleet) error) error {
	out := map[string]any{"ok": true}
	err := r.Post(cmd.Context(), "/tenon/v1/"+route, in, &out)
	if errors.Is(err, client.ErrNoServer) && alone != nil {
		err = r.alone(cmd, alone)
	}
	if err != nil {
		return err
	}
	return r.answer(out, func() error { r.screen.Printf(done+"\n", model); return nil })
}

func newUnloadCommand() *cobra.Command {
	return withServer(&cobra.Command{
		Use: "unload MODEL", Args: cobra.ExactArgs(1), Short: "Put a loaded model away",
		Long: "Put a loaded model away, unless a request uses it. It is loaded again when it is next asked for.",
	}, func(cmd *cobra.Command, r *remote, args []string) error {
		return r.tell(cmd, "unload", args[0], "%s is unloaded", map[string]any{"model": args[0]}, nil)
	})
}

func newPinCommand() *cobra.Command {
	off := false
	cmd := withServer(&cobra.Command{
		Use: "pin MODEL", Args: cobra.ExactArgs(1), Short: "Keep a model loaded, whatever else asks for room",
		Long: "Keep a model from the time that it is loaded until it is unpinned, with --off.",
	}, func(cmd *cobra.Command, r *remote, args []string) error {
		done := map[bool]string{false: "%s is pinned", true: "%s is not pinned"}[off]
		return r.tell(cmd, "pin", args[0], done, map[string]any{"model": args[0], "pinned": !off}, nil)
	})
	cmd.Flags().BoolVar(&off, "off", false, "let it go again when its room is needed")
	return cmd
}

func newAliasCommand() *cobra.Command {
	remove := false
	cmd := withServer(&cobra.Command{
		Use: "alias (MODEL NAME | --rm NAME)", Args: cobra.RangeArgs(1, 2), Short: "Give a model another name",
		Long: `Give a model another name, such as one that a client insists on, or take one away that was given so. The name outlasts the
server: it is kept in the store, and can be given where none runs. Names under models: in the settings file win over it.`,
	}, func(cmd *cobra.Command, r *remote, args []string) error {
		if remove != (len(args) == 1) {
			return fmt.Errorf("expected %s", cmd.UseLine())
		}
		model, name, done := args[0], args[len(args)-1], "%s has another name"
		if remove {
			model, done = "", "%s is no name any more"
		}
		return r.tell(cmd, "alias", args[0], done, map[string]any{"model": model, "alias": name}, func(f *models.Fleet) error { return f.Alias(name, model) })
	})
	cmd.Flags().BoolVar(&remove, "rm", false, "take the name away")
	return cmd
}

func newRemoveCommand() *cobra.Command {
	yes := false
	cmd := withServer(&cobra.Command{
		Use: "rm MODEL", Args: cobra.ExactArgs(1),
		Short: "Delete a model from the store",
		Long:  "Delete a model's files from tenon's own store, whether a server runs or not. Models that are elsewhere are not touched.",
	}, func(cmd *cobra.Command, r *remote, args []string) error {
		if !yes && r.screen.Typing() {
			answer, err := r.screen.Lines().Read("delete " + args[0] + "? [y/N] ")
			if err != nil || !strings.HasPrefix(strings.ToLower(answer), "y") {
				return errors.New("nothing was deleted")
			}
		}
		return r.tell(cmd, "remove", args[0], "%s is deleted", map[string]any{"model": args[0]}, func(f *models.Fleet) error { return f.Remove(cmd.Context(), args[0]) })
	})
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func newImportCommand() *cobra.Command {
	var copied bool
	var name string
	var r remote
	cmd := &cobra.Command{
		Use: "import (FILE | FOLDER)…", Args: cobra.MinimumNArgs(1),
		Short: "Put GGUF files into the store without fetching them",
		Long: `Put GGUF files that are on this machine, or all models in a folder, into tenon's store: linked where the file system can, else
copied. Of a split model name the first part. Each model's path in the store is printed.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.screen = screenOf(cmd)
			c, paths := &catalog.Catalog{}, []string{}
			for _, arg := range args {
				skipped, err := c.Add(arg)
				if err != nil {
					return err
				}
				for _, err := range skipped {
					r.screen.Note("passed over: %v", err)
				}
			}
			if name != "" && len(c.Entries) != 1 {
				return fmt.Errorf("--as names one model, and there are %d", len(c.Entries))
			}
			for _, e := range c.Entries {
				path, err := importModel(e, name, copied)
				if err != nil {
					return fmt.Errorf("import %s: %w", e.Path, err)
				}
				if paths = append(paths, path); !r.json {
					r.screen.Printf("%s\n", path)
				}
			}
			return r.answer(map[string]any{"paths": paths}, func() error { return nil })
		},
	}
	r.offerJSON(cmd)
	cmd.Flags().BoolVar(&copied, "copy", false, "copy even where it could be linked")
	cmd.Flags().StringVar(&name, "as", "", "what a single model is called in the store")
	return cmd
}

// importModel puts a model's files into the store, each whole or not at all, and returns where it
// is found there.
func importModel(e catalog.Entry, name string, copied bool) (string, error) {
	if strings.ContainsAny(name, `/\`) {
		return "", fmt.Errorf("%q: expected a name without slashes", name)
	}
	parts := shards.Files(e.Path)
	if name != "" && len(parts) > 1 {
		return "", fmt.Errorf("its %d parts keep their names", len(parts))
	}
	root, err := store.DefaultDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(root, "local"), 0o755); err != nil {
		return "", err
	}
	to := ""
	for _, part := range slices.Backward(parts) { // it is by the first that the model is found
		to = filepath.Join(root, "local", cmp.Or(name, strings.TrimSuffix(filepath.Base(part), ".gguf"))+".gguf")
		if err := importFile(part, to, copied); err != nil {
			return "", err
		}
	}
	return to, nil
}

func importFile(from, to string, copied bool) error {
	if _, err := os.Stat(to); err == nil {
		return fmt.Errorf("there is %s already", to)
	}
	if !copied && os.Link(from, to) == nil {
		return nil
	}
	if err := copyWhole(from, to+".part"); err != nil {
		return errors.Join(err, os.Remove(to+".part"))
	}
	return os.Rename(to+".part", to)
}

func copyWhole(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = out.ReadFrom(in)
	return errors.Join(err, out.Sync(), out.Close())
}
