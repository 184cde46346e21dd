package builtin

import (
	"os"
	"strings"
	"testing"
)

// A root inside the folder of commands: one puts a link in its place.
func TestFiles_aRootStaysTheFolderThatItWas(t *testing.T) {
	p := newPlace(t)
	read, write, list := made(t, "read_file", in(p.root+"/sub")), made(t, "write_file", in(p.root+"/sub")), made(t, "list_directory", in(p.root+"/sub"))
	_ = os.Chmod(p.secret+"/key", 0o600)
	if r := run(t, shell(t, p), map[string]any{"command": "mv sub sub2 && ln -s ../secret sub"}); r.Failed {
		t.Fatal(r)
	}
	if r := run(t, read, map[string]any{"path": "key"}); strings.Contains(r.Text, sesame) {
		t.Errorf("read outside: %q", r.Text)
	}
	if r := run(t, list, map[string]any{}); strings.Contains(r.Text, "key") {
		t.Errorf("listed outside: %q", r.Text)
	}
	run(t, write, map[string]any{"path": "planted", "content": "x"})
	p.untouched(t, "a root that was moved")
}
