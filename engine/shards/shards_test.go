package shards

import (
	"strings"
	"testing"
)

func TestFiles_areAllParts(t *testing.T) {
	if got := Files("/m/a.gguf"); len(got) != 1 || got[0] != "/m/a.gguf" {
		t.Errorf("%q", got)
	}
	got := strings.Join(Files("/m/a-00001-of-00003.gguf"), " ")
	if want := "/m/a-00001-of-00003.gguf /m/a-00002-of-00003.gguf /m/a-00003-of-00003.gguf"; got != want {
		t.Errorf("%s", got)
	}
}
