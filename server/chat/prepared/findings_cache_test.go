package prepared

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/templates"
)

// holding is an engine whose file has a chat template.
type holding struct {
	*enginetest.Scripted
	template string
}

func (h holding) Model() engine.Model {
	return engine.Model{Vocab: engine.Vocab{BOS: "<s>", EOS: "</s>"}, Template: h.template}
}

// shared are the published templates, by name.
func shared(t testing.TB) map[string]string {
	t.Helper()
	paths, _ := filepath.Glob("../../../../shared/data/templates/*.jinja")
	if len(paths) == 0 {
		t.Skip("../shared/data/templates is absent")
	}
	all := map[string]string{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".jinja")] = string(b)
	}
	return all
}

func prepare(t testing.TB, dir, template string) Model {
	t.Helper()
	m, err := Prepare(catalog.Entry{ID: "m"}, holding{enginetest.Script(), template}, Options{StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A template that was tried out is not tried out again, and is bound to the same dialect.
func TestFindingsCache_theNextTimeNothingIsTriedOut(t *testing.T) {
	for name, source := range shared(t) {
		dir := t.TempDir()
		cold := prepare(t, dir, source)
		k := loadFindings(dir, source, "<s>", "</s>", []string{})
		if !k.hit {
			t.Errorf("%s: nothing is kept", name)
			continue
		}
		found, err := k.findings(func() (templates.Findings, error) {
			t.Errorf("%s: it is tried out again", name)
			return templates.Findings{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		warm := prepare(t, dir, source)
		a, b := probeOf(t, cold), probeOf(t, warm)
		if diff := cmp.Diff(a, b, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(templates.Probe{})); diff != "" {
			t.Errorf("%s: (-cold +warm)\n%s", name, diff)
		}
		if !reflect.DeepEqual(cold.Dialect, warm.Dialect) || found.Probe.TurnEnd != a.TurnEnd {
			t.Errorf("%s: bound to %s, then to %s", name, cold.Dialect.Name(), warm.Dialect.Name())
		}
	}
}

func probeOf(t testing.TB, m Model) templates.Probe {
	t.Helper()
	p, ok := m.Renderer.(*templates.Template)
	if !ok {
		t.Fatalf("%T is no template", m.Renderer)
	}
	return p.Probe()
}

// A file that cannot be read is written anew. Another vocabulary is another file. Beyond the most
// that are kept, the oldest go.
func TestFindingsCache_filesThatAreBrokenAndTooMany(t *testing.T) {
	const source = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
	dir := t.TempDir()
	prepare(t, dir, source)
	files := func() []string {
		all, _ := filepath.Glob(filepath.Join(dir, "templates", "*"))
		return all
	}
	if len(files()) != 1 {
		t.Fatalf("%q are kept", files())
	}
	path := files()[0]
	for _, broken := range []string{"", "no gob", strings.Repeat("\xff", 1000)} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if k := loadFindings(dir, source, "<s>", "</s>", []string{}); k.hit {
			t.Errorf("%.10q is read", broken)
		}
		prepare(t, dir, source)
		if k := loadFindings(dir, source, "<s>", "</s>", []string{}); !k.hit {
			t.Errorf("%.10q stays", broken)
		}
	}
	if loadFindings(dir, source, "<s>", "<eos>", nil).hit || loadFindings(dir, source+" ", "<s>", "</s>", nil).hit {
		t.Error("another's findings are read")
	}
	for i := range mostCached + 40 {
		at := filepath.Join(dir, "templates", fmt.Sprint("old", i))
		if err := os.WriteFile(at, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if written := time.Unix(int64(1000+i), 0); os.Chtimes(at, written, written) != nil {
			t.Fatalf("%s has no time", at)
		}
	}
	prepare(t, dir, source+"x")
	if got := len(files()); got != mostCached {
		t.Errorf("%d files are kept", got)
	}
	for _, s := range []string{source, source + "x"} {
		if !loadFindings(dir, s, "<s>", "</s>", []string{}).hit {
			t.Error("one that was written lately is gone")
		}
	}
	_, oldest := os.Stat(filepath.Join(dir, "templates", "old0"))
	_, youngest := os.Stat(filepath.Join(dir, "templates", fmt.Sprint("old", mostCached+39)))
	if oldest == nil || youngest != nil {
		t.Errorf("not the oldest went: %v, %v", oldest, youngest)
	}
	prepare(t, "", source)
	// a folder that cannot be
	if prepare(t, filepath.Join(path, "below"), source).Dialect == nil {
		t.Error("a model is not served because nothing can be kept")
	}
}

// BenchmarkPrepare prepares each published template as a load does, the first time and later. It
// reports the template in the middle and the slowest one, each by the median of its times.
func BenchmarkPrepare(b *testing.B) {
	all := shared(b)
	for _, warm := range []bool{false, true} {
		b.Run(map[bool]string{false: "cold", true: "warm"}[warm], func(b *testing.B) {
			times := map[string][]time.Duration{}
			for b.Loop() {
				for name, source := range all {
					dir := b.TempDir()
					if warm {
						prepare(b, dir, source)
					}
					start := time.Now()
					prepare(b, dir, source)
					times[name] = append(times[name], time.Since(start))
				}
			}
			var medians []time.Duration
			for _, t := range times {
				slices.Sort(t)
				medians = append(medians, t[len(t)/2])
			}
			slices.Sort(medians)
			b.ReportMetric(float64(medians[len(medians)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(medians[len(medians)-1].Microseconds())/1000, "max-ms")
		})
	}
}
