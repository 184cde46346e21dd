package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// permission is a file or a folder with all below it, and the rights to it.
type permission struct {
	path   string
	rights uint64
	was    FileID // none: whatever it is now
}

// libraries are the folders of shared libraries: the system's, and those of GPU drivers and
// package managers.
var libraries = []string{
	"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64", "/usr/local/cuda*",
	"/usr/local/nvidia", "/opt/cuda", "/opt/rocm*", "/opt/intel", "/nix/store", "/gnu/store",
}

// readable is what the loader, the C library, Go and GPU drivers look up. None of it is anybody's
// secret. Of other processes nothing is: /proc/self alone.
var readable = []string{
	"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
	"/etc/OpenCL", "/etc/vulkan", "/usr/share/zoneinfo", "/usr/share/vulkan", "/usr/share/nvidia",
	"/usr/share/libdrm", "/usr/share/drirc.d",
	"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/devices", "/proc/modules",
	"/proc/driver/nvidia", "/proc/sys/vm", "/proc/sys/kernel",
	"/sys/devices", "/sys/fs/cgroup", "/sys/kernel/mm", "/sys/bus/pci", "/sys/class/drm", "/sys/class/kfd",
	"/sys/dev", "/sys/module",
}

// system is what commands may read and run: the system's programs, and what they look up that is
// no secret.
var system = []string{
	"/usr", "/bin", "/sbin", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/alternatives", "/etc/ssl/certs",
	"/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/pki/tls/certs", "/etc/hosts", "/etc/resolv.conf", "/etc/services",
	"/etc/mime.types", "/etc/os-release", "/etc/gitconfig",
}

var (
	devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
	gpus    = []string{"/dev/nvidia*", "/dev/dri", "/dev/kfd", "/dev/dxg"}
)

// permissions lists all that is left of the file system.
func permissions(n Needs) []permission {
	var all []permission
	add := func(rights uint64, patterns ...string) {
		for _, p := range patterns {
			found, err := filepath.Glob(p)
			if err != nil || len(found) == 0 {
				found = []string{p}
			}
			for _, f := range found {
				all = append(all, permission{path: f, rights: rights})
			}
		}
	}
	add(mayRun, "/proc/self/exe")
	add(mayLink, libraries...)
	for _, dir := range libraryFolders() {
		all = append(all, permission{path: dir, rights: mayLink})
	}
	add(mayBrowse, readable...)
	add(mayUse, devices...)
	add(mayControl, gpus...)
	if n.Command == nil && hasNVIDIA() {
		// CUDA names its threads
		add(mayBrowse|unix.LANDLOCK_ACCESS_FS_WRITE_FILE|unix.LANDLOCK_ACCESS_FS_TRUNCATE, "/proc/self/task")
	}
	for _, f := range n.Files {
		all = append(all, permission{path: f, rights: mayRead})
	}
	if n.Folder != "" {
		all = append(all, permission{path: n.Folder, rights: mayKeep})
	}
	if c := n.Command; c != nil {
		add(mayLink, system...)
		for _, p := range c.Read {
			all = append(all, permission{p, mayLink, c.Were[p]})
		}
		for _, p := range c.Write {
			all = append(all, permission{p, mayChange, c.Were[p]})
		}
	}
	return all
}

// hasNVIDIA tells whether there is a GPU whose driver needs more than others to start: CUDA writes
// the names of its threads, and hands its memory's descriptor to who connects to a socket of its
// own.
func hasNVIDIA() bool {
	_, err := os.Stat("/dev/nvidiactl")
	return err == nil
}

// libraryFolders are where the libraries lie that this program has in memory, and those that it
// or the system's loader was told to look in. ggml finds its own kernels and GPUs beside it, or in
// a folder bin beside that.
func libraryFolders() []string {
	folders := append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")), loaderFolders("/etc/ld.so.conf", 0)...)
	maps, _ := os.ReadFile("/proc/self/maps") // without it the system's folders are left
	for line := range strings.Lines(string(maps)) {
		_, path, found := strings.Cut(line, " /")
		if path = "/" + strings.TrimSpace(path); found && strings.Contains(filepath.Base(path), ".so") {
			dir := filepath.Dir(path)
			folders = append(folders, dir, filepath.Join(dir, "../bin"))
		}
	}
	slices.Sort(folders)
	return slices.DeleteFunc(slices.Compact(folders), tooWide)
}

// loaderFolders are the folders that a file of the loader's settings names, with those of the
// files that it includes: a GPU's driver may be anywhere. See ldconfig(8).
func loaderFolders(file string, depth int) (folders []string) {
	text, _ := os.ReadFile(file) // without it the system's folders are left
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		pattern, include := strings.CutPrefix(strings.TrimSpace(line), "include ")
		if !include {
			folders = append(folders, strings.TrimSpace(line))
			continue
		}
		if pattern = strings.TrimSpace(pattern); !filepath.IsAbs(pattern) {
			pattern = filepath.Join(filepath.Dir(file), pattern)
		}
		included, _ := filepath.Glob(pattern) // a bad pattern names nothing
		for _, f := range included {
			if depth < mostIncludes {
				folders = append(folders, loaderFolders(f, depth+1)...)
			}
		}
	}
	return folders
}

// mostIncludes is how deep the loader's settings may include each other: they could name
// themselves.
const mostIncludes = 4

// tooWide refuses folders that hold more than libraries.
func tooWide(dir string) bool {
	home, _ := os.UserHomeDir()
	return !filepath.IsAbs(dir) || dir == "/" || dir == home || strings.Count(filepath.Clean(dir), "/") < 2 && dir != "/lib" && dir != "/lib64"
}
