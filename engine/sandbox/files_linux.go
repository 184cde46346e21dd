package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	"/opt/cuda", "/opt/rocm*", "/opt/intel", "/nix/store", "/gnu/store",
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

// libraryFolders are where the libraries lie that this program has in memory, and those that it
// was told to look in. ggml finds its own kernels and GPUs beside it, or in a folder bin beside
// that.
func libraryFolders() []string {
	folders := filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))
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

// tooWide refuses folders that hold more than libraries.
func tooWide(dir string) bool {
	home, _ := os.UserHomeDir()
	return !filepath.IsAbs(dir) || dir == "/" || dir == home || strings.Count(filepath.Clean(dir), "/") < 2 && dir != "/lib" && dir != "/lib64"
}
