package placement

import (
	"math"
	"testing"
	"testing/fstest"
)

// In a container the page cache counts as free, in both versions of control groups; the narrowest
// group counts.
func TestFreeMemory_ofAContainer(t *testing.T) {
	const gib = "1073741824"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no groups": {nil, math.MaxInt64},
		"version 2, half of what is used is cache": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": gib, "sys/fs/cgroup/memory.current": "1000000000",
			"sys/fs/cgroup/memory.stat": "anon 500000000\nfile 500000000\nshmem 0\ninactive_file 300000000\nactive_file 200000000\n",
		}, 1<<30 - 500000000},
		"version 2 without a limit": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.current": "5\n",
		}, math.MaxInt64},
		"version 2, a service's own limit": {map[string]string{
			"proc/self/cgroup":                                        "0::/system.slice/tenon.service\n",
			"sys/fs/cgroup/system.slice/memory.max":                   "900\n",
			"sys/fs/cgroup/system.slice/memory.current":               "700\n",
			"sys/fs/cgroup/system.slice/tenon.service/memory.max":     "800\n",
			"sys/fs/cgroup/system.slice/tenon.service/memory.current": "100\n",
		}, 200},
		"version 1": {map[string]string{
			"proc/self/cgroup":                           "5:cpu,cpuacct:/docker/ab\n4:memory:/docker/ab\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": gib,
			"sys/fs/cgroup/memory/memory.usage_in_bytes": gib,
			"sys/fs/cgroup/memory/memory.stat":           "inactive_file 7\ntotal_inactive_file 1000\ntotal_active_file 24\n",
		}, 1024},
		"more cache than use": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "100", "sys/fs/cgroup/memory.current": "10",
			"sys/fs/cgroup/memory.stat": "inactive_file 20\n",
		}, 100},
		"over its limit": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "100", "sys/fs/cgroup/memory.current": "110",
		}, 0},
	} {
		root := fstest.MapFS{}
		for path, text := range c.files {
			root[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := controlled(root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if free, err := FreeMemory(); err != nil || free <= 0 {
		t.Errorf("here: %d, %v", free, err)
	}
}
