package main

import (
	"context"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tenon/cmd/config"
	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/worker"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/models/placement"
)

func TestListen_portInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }() // it was only held
	port := taken.Addr().(*net.TCPAddr).Port
	l, err := listen(config.Settings{Host: "127.0.0.1", Port: port})
	if err == nil {
		_ = l.Close()
		t.Fatal("two servers share a port")
	}
	for _, want := range []string{taken.Addr().String(), "is another server running there?", "--port"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// The error names smaller types of the KV cache as a way out, so they must be one.
func TestContext_smallerCacheTypesNeedLessMemory(t *testing.T) {
	e := catalog.Entry{ID: "tiny", Path: tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}), ContextTrained: 1 << 17}
	const free = 110 << 20
	longest, err := granted(t, free, config.Settings{}, e)
	if err != nil || longest.Context >= e.ContextTrained {
		t.Fatalf("%+v, %v: too much is free for this test", longest, err)
	}
	small := config.Settings{CacheTypeK: "q8_0", CacheTypeV: "q4_0"}
	if longer, err := granted(t, free, small, e); err != nil || longer.Context <= longest.Context {
		t.Errorf("a context of %d with a cache of 16 bits, of %d with one of 8 and 4, %v", longest.Context, longer.Context, err)
	}
	small.CtxSize = longest.Context + 256
	if _, err := granted(t, free, small, e); err != nil {
		t.Error(err)
	}
}

// A draft model is a file or a model at hand; a client can name only the latter. The model's
// memory counts.
func TestDraftFile_isAFileOrAModelAtHand(t *testing.T) {
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	known := &catalog.Catalog{Entries: []catalog.Entry{{ID: "small", Path: path}, {ID: "far", Remote: &catalog.Remote{}}}}
	big := catalog.Entry{ID: "big", Path: tinymodel.File(t, tinymodel.Options{Kind: tinymodel.SlidingWindow}), ContextTrained: 4096}
	for _, c := range []struct {
		of           catalog.Entry
		set, chosen  string
		drafts, want string // or a part of the error
	}{
		{big, "", "", "auto", ""},
		{big, path, "", "auto", path},
		{big, "small", "", "auto", path},
		{big, "small", "", "off", ""},
		{known.Entries[0], "small", "", "auto", ""},
		{big, "", "small", "auto", path},
		{big, "", big.Path, "auto", "there is no model"},
		{big, "other", "", "auto", "the draft model other of big: there is no model"},
		{big, "far", "", "auto", "not loaded here"},
	} {
		got, err := draftFile(known, c.of, config.Settings{Draft: c.set, Drafts: c.drafts}, c.chosen)
		if err != nil && c.want != "" && strings.Contains(err.Error(), c.want) {
			continue
		}
		if got != c.want || err != nil {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	need := func(s config.Settings) int64 {
		d, err := estimator(known, settingsFor(s).of, freeVRAM)(big, fleet.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		n, _ := d.Need(4096)
		return n.Total()
	}
	if alone, both := need(config.Settings{Parallel: 4}), need(config.Settings{Parallel: 4, Draft: "small"}); both <= alone {
		t.Errorf("with a draft model %d bytes, without %d", both, alone)
	}
}

// Where only --models-dir names models, a server began and every load failed.
func settingsOf(s config.Settings) *config.Loader { return &config.Loader{Settings: s} }

func TestCatalogue_refusesAMissingLoRABeforeAnyLoad(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.gguf")
	if _, _, _, err := catalogue(fetchFor(&cobra.Command{}), settingsOf(config.Settings{LoRA: []string{missing}}), nil); err == nil || !strings.Contains(err.Error(), missing) {
		t.Error(err)
	}
}

func TestSupported_systems(t *testing.T) {
	for system, want := range map[string]bool{"linux": true, "darwin": true, "windows": false} {
		if err := supported(system); (err == nil) != want || err != nil && !strings.Contains(err.Error(), "not supported yet") {
			t.Errorf("%s: %v", system, err)
		}
	}
}

func TestCatalogue_aFolderWithoutModelsIsNamed(t *testing.T) {
	dir := t.TempDir()
	if _, _, _, err := catalogue(fetchFor(&cobra.Command{}), settingsOf(config.Settings{}), []string{dir}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v does not name %s", err, dir)
	}
}

func TestListen_sayWhatIsWrongWithTheAddress(t *testing.T) {
	for _, c := range []struct {
		settings config.Settings
		want     string
	}{
		{config.Settings{Host: "256.0.0.1"}, "--host"},
		{config.Settings{Host: "127.0.0.1", TLSKey: "key.pem"}, "--ssl-cert-file"},
		{config.Settings{Host: "127.0.0.1", TLSCert: "cert.pem"}, "--ssl-key-file"},
	} {
		l, err := listen(c.settings)
		if err == nil {
			_ = l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "another server") {
			t.Errorf("%+v: %v", c.settings, err)
		}
	}
}

// An address of IPv6 in a URL needs its brackets.
func TestAnnounce_addressCanBePasted(t *testing.T) {
	var b strings.Builder
	s := config.Settings{Host: "::1", Port: 1234}
	announce(&b, s, []string{"m"})
	showExample(&b, s, "m", true)
	for _, want := range []string{"ready: http://[::1]:1234 serves [m]\n", "curl -s http://[::1]:1234/v1/chat/completions -H \"Authorization: Bearer $TENON_API_KEY\" -H"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %s", b.String(), want)
		}
	}
}

func TestAdapters_scales(t *testing.T) {
	path := tinymodel.AdapterFile(t, tinymodel.FullAttention)
	for given, want := range map[string][]worker.Adapter{
		path:          {{Path: path}},
		path + "=0.5": {{Path: path, Scale: 0.5}},
		path + "=-1":  {{Path: path, Scale: -1}},
		path + "=0":   nil,
	} {
		if got, err := adapters([]string{given}); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", given, got, err)
		}
	}
	for _, given := range []string{path + "=much", path + "=NaN", path + "=", "absent"} {
		if got, err := adapters([]string{given}); err == nil {
			t.Errorf("%s: %v", given, got)
		}
	}
}

func TestContext_modelTooLargeForMemory(t *testing.T) {
	e := catalog.Entry{ID: "tiny", Path: tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}), ContextTrained: 1 << 17}
	estimator, err := placement.NewEstimator(e.Path)
	if err != nil {
		t.Fatal(err)
	}
	total := func(context int) int64 {
		need, err := estimator.Need(context)
		if err != nil {
			t.Fatal(err)
		}
		return need.Total()
	}
	for _, c := range []struct {
		name  string
		asked int
		free  int64
		want  int // 0: refused
	}{
		{"all that it was trained for", 0, total(1 << 17), 1 << 17},
		{"less than that", 0, total(1<<16) + 1, 1 << 16},
		{"not even the least", 0, total(engine.LeastContext) - 1, 0},
		{"what was asked for", 8192, total(8192), 8192},
		{"less than was asked for", 8192, total(8192) - 1, 0},
	} {
		p, err := granted(t, c.free, config.Settings{CtxSize: c.asked}, e)
		if got := p.Context; got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%s: %d, %v; want %d", c.name, p.Context, err, c.want)
		}
		if err != nil && (!strings.Contains(err.Error(), "MiB can be had") || !strings.Contains(err.Error(), "--ctx-size")) {
			t.Errorf("%s: %v does not say what is missing and what helps", c.name, err)
		}
	}
}

// Weights that are read leave the file's pages in memory, too, until others need it.
func TestPlace_roomyIsRoomForTheWeightsTwice(t *testing.T) {
	e := catalog.Entry{ID: "tiny", Path: tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}), ContextTrained: 4096}
	estimator, err := placement.NewEstimator(e.Path)
	if err != nil {
		t.Fatal(err)
	}
	need, err := estimator.Need(4096)
	if err != nil {
		t.Fatal(err)
	}
	for free, want := range map[int64]bool{need.Total() + need.Weights: true, need.Total() + need.Weights - 1: false} {
		if p, err := granted(t, free, config.Settings{}, e); err != nil || p.Roomy != want {
			t.Errorf("%d bytes are free, %+v are needed: %+v, %v", free, need, p, err)
		}
	}
}

// What is named in place of the model's own template must be usable: the built-in rendering would
// be a third thing.
func TestCatalogue_namedTemplateThatIsNone(t *testing.T) {
	model := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	broken := filepath.Join(t.TempDir(), "broken.jinja")
	if err := os.WriteFile(broken, []byte("{% for m in messages %}{{ m.content }}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, why := range map[string]string{broken: "for", filepath.Join(t.TempDir(), "absent"): "no such file"} {
		_, _, _, err := catalogue(fetchFor(newServeCommand()), settingsOf(config.Settings{ChatTemplateFile: file}), []string{model})
		if err == nil || !strings.Contains(err.Error(), "chat-template-file: ") || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// What a GPU holds is not asked of the machine's memory, so a model may be larger than that.
func TestEstimator_layersOnAGPUAreLeftOut(t *testing.T) {
	estimator, err := placement.NewEstimator(tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}))
	if err != nil {
		t.Fatal(err)
	}
	last := placement.Need{Weights: math.MaxInt64, Cache: math.MaxInt64}
	for _, layers := range []int{-1, 99} {
		estimator.GPULayers = layers
		need, err := estimator.Need(4096)
		if err != nil || need.Weights >= last.Weights || need.Cache >= last.Cache {
			t.Errorf("%d layers: %+v, %v; fewer need %+v", layers, need, err, last)
		}
		last = need
	}
}

// granted is what a fleet grants a model where so many bytes are free.
func granted(t *testing.T, free int64, s config.Settings, e catalog.Entry) (fleet.Grant, error) {
	t.Helper()
	var got fleet.Grant
	f := fleet.New(fleet.Options{
		Catalog:  &catalog.Catalog{Entries: []catalog.Entry{e}},
		Estimate: estimator(&catalog.Catalog{}, settingsFor(s).of, freeVRAM),
		Free:     func() (placement.Memory, error) { return placement.Memory{RAM: free}, nil },
		Start: func(_ context.Context, _ catalog.Entry, g fleet.Grant, _ func(float64)) (engine.Engine, error) {
			got = g
			return enginetest.Script(), nil
		},
	})
	defer func() { _ = f.Close() }() // scripted engines close well
	_, err := f.Load(t.Context(), fleet.Request{Name: e.ID})
	return got, err
}

func settingsFor(s config.Settings) perModel { return perModel{loader: settingsOf(s)} }
