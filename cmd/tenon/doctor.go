package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"
	"github.com/spf13/cobra"

	"tenon/cmd/client"
	"tenon/cmd/terminal"
	"tenon/engine/worker/native"
	"tenon/models/catalog"
	"tenon/models/placement"
	"tenon/models/store"
)

// finding is what the doctor sees at one place, and what to do about it.
type finding struct {
	About string `json:"about"`
	State string `json:"state"` // ok, note, bad
	Found string `json:"found"`
	Do    string `json:"do,omitempty"`
}

func newDoctorCommand() *cobra.Command {
	return withServer(&cobra.Command{
		Use: "doctor", Args: cobra.NoArgs,
		Short: "Look at this machine and say what keeps tenon from running well",
		Long: `Look at the processor, the GPU, the engine, memory, ports and stores, and measure how fast memory is. Each finding says what to do
about it. Exit status 1: something is bad.`,
	}, func(cmd *cobra.Command, r *remote, _ []string) error {
		all := []finding{processor(), graphics(), engineLinked(), memoryFound(), r.port(cmd.Context()), storeFound(), modelsFound(), speed(bandwidth())}
		bad := 0
		for _, f := range all {
			if f.State == "bad" {
				bad++
			}
		}
		if err := r.answer(all, func() error { return r.findings(all) }); err != nil {
			return err
		}
		if bad > 0 {
			return fmt.Errorf("%d of %d findings are bad", bad, len(all))
		}
		return nil
	})
}

func (r *remote) findings(all []finding) error {
	colour := map[string]func(string) string{"ok": r.screen.Good, "note": r.screen.Warn, "bad": r.screen.Bad}
	rows := make([][]string, len(all))
	for i, f := range all {
		rows[i] = []string{colour[f.State](f.State), f.About, f.Found, f.Do}
	}
	return r.screen.Table([]string{"", "about", "found", "what to do"}, rows)
}

func processor() finding {
	f := finding{"processor", "ok", fmt.Sprintf("%s, %d threads granted of %d", cpuid.CPU.BrandName, runtime.GOMAXPROCS(0), cpuid.CPU.LogicalCores), ""}
	if runtime.GOARCH != "amd64" {
		return f
	}
	var has []string
	for name, id := range map[string]cpuid.FeatureID{"AVX2": cpuid.AVX2, "AVX-512": cpuid.AVX512F, "VNNI": cpuid.AVX512VNNI} {
		if cpuid.CPU.Supports(id) {
			has = append(has, name)
		}
	}
	f.Found += "; " + orNone(strings.Join(slices.Sorted(slices.Values(has)), ", "))
	if !cpuid.CPU.Supports(cpuid.AVX2) {
		f.State, f.Do = "note", "without AVX2 models are slow here: choose small ones, or another machine"
	}
	return f
}

// graphics looks for GPUs by the devices that their drivers make.
func graphics() finding {
	if runtime.GOOS == "darwin" {
		return finding{"GPU", "ok", "Metal", ""}
	}
	var found []string
	for pattern, name := range map[string]string{"/dev/nvidia[0-9]*": "NVIDIA", "/dev/kfd": "AMD", "/dev/dri/renderD*": "one that Vulkan may reach"} {
		// the patterns are right
		if devices, _ := filepath.Glob(pattern); len(devices) > 0 {
			found = append(found, name)
		}
	}
	switch {
	case len(found) == 0:
		return finding{"GPU", "ok", "none; the processor computes", ""}
	case !native.SeparateGPU:
		return finding{"GPU", "note", strings.Join(slices.Sorted(slices.Values(found)), ", ") + "; this build does not use it",
			"build with a shared libllama that does: make libllama, then make run ENGINE=libllama"}
	}
	return finding{"GPU", "ok", strings.Join(slices.Sorted(slices.Values(found)), ", "), ""}
}

// engineLinked tells which llama.cpp is in this program.
func engineLinked() finding {
	switch {
	case buildSetting("CGO_ENABLED") != "1":
		return finding{"engine", "bad", "none: tenon was built without cgo", "install a C++ compiler and build with 'make build'"}
	case native.SeparateGPU:
		return finding{"engine", "ok", "llama.cpp, from a shared libllama", ""}
	}
	return finding{"engine", "ok", "llama.cpp, compiled in", ""}
}

func memoryFound() finding {
	f := finding{About: "memory", State: "ok"}
	m, err := mem.VirtualMemory()
	free, freeErr := placement.FreeMemory()
	if err := errors.Join(err, freeErr); err != nil {
		return finding{"memory", "note", err.Error(), "set --ctx-size, since no context can be fitted"}
	}
	f.Found = fmt.Sprintf("%s free for tenon of %s", terminal.Size(free), terminal.Size(int64(m.Total)))
	if free < 2<<30 {
		f.State, f.Do = "note", "less than 2 GiB hold only the smallest models; end other programs, or raise the container's limit"
	}
	return f
}

// port tells who listens where clients look for a server.
func (r *remote) port(ctx context.Context) finding {
	where := fmt.Sprintf("port %d", r.loader.Settings.Port)
	if h, err := r.Health(ctx); err == nil {
		return finding{where, "ok", "a server answers at " + r.Base + ": " + h.Status, ""}
	} else if !errors.Is(err, client.ErrNoServer) {
		return finding{where, "bad", "something answers at " + r.Base + " that is not tenon: " + err.Error(), "end it, or choose another --port"}
	}
	l, err := net.Listen("tcp", strings.TrimPrefix(strings.TrimPrefix(r.Base, "http://"), "https://"))
	if err != nil {
		return finding{where, "bad", err.Error(), "choose another --port, or an address of this machine for --host"}
	}
	_ = l.Close()
	return finding{where, "ok", "free", ""}
}

// storeFound tells whether models can be kept.
func storeFound() finding {
	dir, err := store.DefaultDir()
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".doctor-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return finding{"model store", "bad", err.Error(), "choose a folder that can be written with TENON_MODELS"}
	}
	f := finding{"model store", "ok", dir, ""}
	if usage, err := disk.Usage(dir); err == nil {
		f.Found += ", " + terminal.Size(int64(usage.Free)) + " free"
		if usage.Free < 5<<30 {
			f.State, f.Do = "note", "a model of 7B parameters takes about 5 GiB: make room, or choose another disk with TENON_MODELS"
		}
	}
	return f
}

// modelsFound tells how many models are at hand, and what of their folders cannot be served.
func modelsFound() finding {
	c, where := &catalog.Catalog{}, places()
	skipped := c.Look(where...)
	folders := make([]string, len(where))
	for i, p := range where {
		folders[i] = p.Dir
	}
	f := finding{"models", "ok", fmt.Sprintf("%d in %s", len(c.Entries), strings.Join(folders, ", ")), ""}
	switch {
	case len(skipped) > 0:
		f.State, f.Do = "note", fmt.Sprintf("%d files cannot be served, the first: %v", len(skipped), skipped[0])
	case len(c.Entries) == 0:
		f.State, f.Do = "note", "bring one: 'tenon pull' fetches it, 'tenon import' takes a file"
	}
	return f
}

func speed(bytes float64) finding {
	const model = 4 << 30 // bytes: 7B parameters in 4 bits
	f := finding{"memory speed", "ok", fmt.Sprintf("%s/s: at best %.0f tokens/s of a model of 4 GiB, %.0f of one of 1 GiB", terminal.Size(int64(bytes)), bytes/model, 4*bytes/model), ""}
	if bytes/model < 5 {
		f.State, f.Do = "note", "choose small models or mixtures of experts; 'tenon bench MODEL' tells what one reaches"
	}
	return f
}
