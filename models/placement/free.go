package placement

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/mem"
)

// FreeMemory is what this process may still take, in bytes: the machine's available memory, or
// what its container leaves.
func FreeMemory() (int64, error) {
	m, err := mem.VirtualMemory()
	if err != nil {
		return 0, fmt.Errorf("read the machine's memory: %w", err)
	}
	return min(int64(m.Available), controlled(os.DirFS("/"))), nil
}

// control is how a version of Linux's control groups names what it counts.
type control struct {
	mount, limit, used string
	cache              []string // entries of memory.stat
}

// https://docs.kernel.org/admin-guide/cgroup-v2.html#memory
// https://docs.kernel.org/admin-guide/cgroup-v1/memory.html
var (
	version1 = control{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", []string{"total_active_file", "total_inactive_file"}}
	version2 = control{"sys/fs/cgroup", "memory.max", "memory.current", []string{"active_file", "inactive_file"}}
)

// controlled is what the control group and those above it leave, MaxInt64 where none has a limit.
// The root is that of the file system, or what a test puts in its place.
func controlled(root fs.FS) int64 {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return math.MaxInt64
	}
	least := int64(math.MaxInt64)
	for line := range strings.Lines(string(groups)) {
		// number:controllers:path
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		var c control
		switch fields[1] {
		case "":
			c = version2
		case "memory":
			c = version1
		default:
			continue
		}
		// In a container the path may be the host's: then the container's own group is at
		// the mount.
		for dir := strings.Trim(fields[2], "/"); ; dir = path.Dir(dir) {
			least = min(least, c.left(root, path.Join(c.mount, dir)))
			if dir == "." || dir == "" {
				break
			}
		}
	}
	return least
}

// left is what one group leaves. What it holds of files counts as free: the kernel drops it when
// memory runs short.
func (c control) left(root fs.FS, dir string) int64 {
	limit, ok1 := number(root, path.Join(dir, c.limit))
	used, ok2 := number(root, path.Join(dir, c.used))
	if !ok1 || !ok2 {
		return math.MaxInt64
	}
	return max(limit-max(used-c.cached(root, dir), 0), 0)
}

func (c control) cached(root fs.FS, dir string) int64 {
	// without it nothing is known of a cache
	stat, _ := fs.ReadFile(root, path.Join(dir, "memory.stat"))
	var sum int64
	for lines := bufio.NewScanner(bytes.NewReader(stat)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && (name == c.cache[0] || name == c.cache[1]) {
			sum += n
		}
	}
	return sum
}

// number reads a file that holds one; "max" is none.
func number(root fs.FS, name string) (int64, bool) {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil
}
