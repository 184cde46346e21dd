package llama

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
)

// GrantedThreads is how many threads can really run at once: the physical cores that this process
// may use, or its cgroup's CPU quota if that is less. At least 1.
func GrantedThreads() int {
	return grantedThreads(os.DirFS("/"), runtime.NumCPU())
}

// grantedThreads reads Linux's /proc and /sys, or what a test puts in their place. Where they are
// missing or make no sense, the given number of CPUs holds.
func grantedThreads(root fs.FS, cpus int) int {
	n := cpus
	if cores := physicalCores(root); cores > 0 {
		n = min(n, cores)
	} else if cores := performanceCores(); cores > 0 {
		n = min(n, cores)
	}
	if quota := cpuQuota(root); quota > 0 {
		// a thread more would be stopped for a part of each period, and all others with it
		n = min(n, int(quota))
	}
	return max(n, 1)
}

// physicalCores counts the cores that the allowed CPUs belong to: two hyper-threads of a core
// share its vector units.
func physicalCores(root fs.FS) int {
	cores := map[string]bool{}
	for _, cpu := range allowedCPUs(root) {
		siblings, err := fs.ReadFile(root, path.Join("sys/devices/system/cpu", "cpu"+strconv.Itoa(cpu), "topology/thread_siblings_list"))
		if err != nil {
			return 0
		}
		cores[strings.TrimSpace(string(siblings))] = true
	}
	return len(cores)
}

func allowedCPUs(root fs.FS) []int {
	status, err := fs.ReadFile(root, "proc/self/status")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(status)) {
		if list, found := strings.CutPrefix(line, "Cpus_allowed_list:"); found {
			return cpuList(strings.TrimSpace(list))
		}
	}
	return nil
}

// cpuList reads the kernel's lists, such as 0-3,8.
func cpuList(s string) []int {
	const most = 1 << 14
	var cpus []int
	for part := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		to := from
		if isRange && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err != nil || to-from > most {
			return nil
		}
		for cpu := from; cpu <= to; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// cpuQuota is the number of CPUs that the cgroup, or one above it, may use; 0 without a limit.
func cpuQuota(root fs.FS) float64 {
	data, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := math.Inf(1)
	for line := range strings.Lines(string(data)) {
		// number:controllers:path
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		for dir := strings.Trim(fields[2], "/"); ; dir = path.Dir(dir) {
			if quota := groupQuota(root, fields[1], dir); quota > 0 {
				least = min(least, quota)
			}
			if dir == "." || dir == "" {
				break
			}
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// groupQuota reads one cgroup's limit: cpu.max in version 2, cpu.cfs_quota_us in version 1.
// https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu
func groupQuota(root fs.FS, controllers, dir string) float64 {
	if controllers == "" {
		data, _ := fs.ReadFile(root, path.Join("sys/fs/cgroup", dir, "cpu.max"))
		quota, period, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
		return ratio(quota, period)
	}
	if !strings.Contains(controllers, "cpu") {
		return 0
	}
	quota, _ := fs.ReadFile(root, path.Join("sys/fs/cgroup/cpu", dir, "cpu.cfs_quota_us"))
	period, _ := fs.ReadFile(root, path.Join("sys/fs/cgroup/cpu", dir, "cpu.cfs_period_us"))
	return ratio(strings.TrimSpace(string(quota)), strings.TrimSpace(string(period)))
}

func ratio(quota, period string) float64 {
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0
	}
	return q / p
}

// processor names the CPU, as far as the kernel does.
func processor() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(data)) {
		if key, name, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(name)
		}
	}
	return runtime.GOARCH
}
