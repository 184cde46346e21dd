package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"tenon/engine"
)

// Needs are what a program may have beside itself and its libraries. A missing file is left out.
type Needs struct {
	Files  []string
	Folder string `json:",omitempty"` // in which it may keep files; it must be there
	// bytes that it may take at most, beside files that it maps; 0: no limit. Linux only
	Memory  uint64
	Command *Command `json:",omitempty"` // set: it is somebody else's program, see [Become]
}

// Command is what a command needs that a model wrote. It may run the system's programs, and it
// cannot leave its process group.
type Command struct {
	Args    []string
	Read    []string // folders and files that it may read and run
	Write   []string // folders in which it may do anything
	Network bool
	User    *User             `json:",omitempty"` // whom to become first; only root can
	Were    map[string]FileID // what its files must still be; another one is refused
	Server  int               // the process that the command ends with; [Prepare] sets it
}

// FileID is what a file is, by whatever path.
type FileID struct{ Device, Inode uint64 }

// User is whom a command runs as.
type User struct{ ID, Group int }

// Confined is how a program begins that confines itself: it reads what it is to do from the first
// line of in, gives up all but what that needs, and returns it. On Linux the program runs twice
// for that: what it read before is handed to it.
func Confined[T any](in io.Reader, needs func(T) Needs) (todo T, c engine.Confinement, err error) {
	line, c, done, err := resume()
	if !done {
		// no more than this line is written
		line, err = bufio.NewReader(in).ReadBytes('\n')
	}
	if err != nil {
		return todo, c, fmt.Errorf("read what is to be done: %w (this command is started by the server, not by hand)", err)
	}
	if err := json.Unmarshal(line, &todo); err != nil {
		return todo, c, fmt.Errorf("decode what is to be done: %w", err)
	}
	if !done {
		c, err = enter(needs(todo), line)
	}
	if err != nil {
		return todo, c, fmt.Errorf("confine the process: %w", err)
	}
	return todo, c, nil
}

// variable tells a program that it is confined, and how. [Environment] never passes it on.
const variable = "TENON_CONFINED"

// variables of the environment that a child gets: what ends in _ begins several names, those of
// settings of ggml, of thread libraries and of GPU drivers. All others stay behind: some hold
// keys.
var variables = []string{
	"PATH", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD", "GLIBC_TUNABLES",
	"GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG", "GORACE", "GOTRACEBACK", "GOCOVERDIR",
	"SYSTEMROOT", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES",
	"LC_", "MALLOC_", "GGML_", "OMP_", "GOMP_", "KMP_", "OPENBLAS_", "MKL_", "CUDA_", "HIP_", "ROCR_",
	"HSA_", "GPU_", "VK_", "ZE_", "ONEAPI_", "SYCL_", "DYLD_", "MTL_",
}

// Environment is what of a process's environment its child may have.
func Environment(all []string) []string { return Select(all, variables) }

// Select is what of an environment has one of the names, or begins with one that ends in _.
func Select(all, names []string) []string {
	var kept []string
	for _, entry := range all {
		name, _, _ := strings.Cut(entry, "=")
		if slices.ContainsFunc(names, func(n string) bool { return name == n || strings.HasSuffix(n, "_") && strings.HasPrefix(name, n) }) {
			kept = append(kept, entry)
		}
	}
	return kept
}
