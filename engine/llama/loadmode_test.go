package llama

import (
	"testing"
	"testing/fstest"
)

func TestModelOptions_fileIsReadOnlyWhereThatHelps(t *testing.T) {
	for _, c := range []struct {
		name      string
		options   ModelOptions
		gpu, huge bool
		want      bool // mapped
	}{
		{"roomy", ModelOptions{Roomy: true}, false, true, false},
		{"roomy, by name", ModelOptions{LoadMode: LoadAuto, Roomy: true}, false, true, false},
		{"memory is short", ModelOptions{}, false, true, true},
		{"the weights go to a GPU", ModelOptions{Roomy: true}, true, true, true},
		{"no huge pages", ModelOptions{Roomy: true}, false, false, true},
		{"asked to map", ModelOptions{LoadMode: LoadMmap, Roomy: true}, false, true, true},
		{"asked to read", ModelOptions{LoadMode: LoadNone}, true, false, false},
	} {
		if got := c.options.mapped(c.gpu, c.huge); got != c.want {
			t.Errorf("%s: mapped %v", c.name, got)
		}
	}
}

func TestHugePages_asTheKernelSays(t *testing.T) {
	const file = "sys/kernel/mm/transparent_hugepage/enabled"
	for setting, want := range map[string]bool{
		"always [madvise] never": true, "[always] madvise never": true, "always madvise [never]": false,
	} {
		if got := hugePages(fstest.MapFS{file: {Data: []byte(setting + "\n")}}); got != want {
			t.Errorf("%s: %v", setting, got)
		}
	}
	if hugePages(fstest.MapFS{}) {
		t.Error("without the file")
	}
}
