package placement

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/mem"
)

// FreeMemory is what this process may still take, in bytes: the machine's available memory, or what its container leaves.
func FreeMemory() (int64, error) {
	m, err := mem.VirtualMemory()
	if err != nil {
		return 0, fmt.Errorf("read the machine's memory: %w", err)
	}
	free := int64(m.Available)
	limit, ok1 := cgroupBytes("memory.max")
	used, ok2 := cgroupBytes("memory.current")
	if ok1 && ok2 {
		free = min(free, max(limit-used, 0))
	}
	return free, nil
}

// cgroupBytes reads a figure of the container's memory control (cgroup v2), where there is one.
func cgroupBytes(name string) (int64, bool) {
	b, err := os.ReadFile("/sys/fs/cgroup/" + name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64) // "max" is no limit
	return n, err == nil
}
