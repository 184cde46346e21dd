package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights to files, by Landlock's names.
// https://docs.kernel.org/userspace-api/landlock.html#filesystem-flags
const (
	mayRead    = unix.LANDLOCK_ACCESS_FS_READ_FILE
	mayRun     = mayRead | unix.LANDLOCK_ACCESS_FS_EXECUTE
	mayBrowse  = mayRead | unix.LANDLOCK_ACCESS_FS_READ_DIR
	mayLink    = mayRun | unix.LANDLOCK_ACCESS_FS_READ_DIR
	mayUse     = mayBrowse | unix.LANDLOCK_ACCESS_FS_WRITE_FILE // of a device
	mayControl = mayUse | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	mayKeep = mayBrowse | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR

	mayChange = (unix.LANDLOCK_ACCESS_FS_IOCTL_DEV - 1) &^ (unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK)

	ofFiles = mayRun | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// Versions of Landlock: truncates is the first that keeps files from being cut to nothing,
// scopedSignals the first under which signals reach no process outside.
const (
	truncates     = 3
	scopedSignals = 6
)

// rulesets are what each version of Landlock can forbid; all of it is.
var rulesets = []struct {
	since int
	add   unix.LandlockRulesetAttr
}{
	{1, unix.LandlockRulesetAttr{Access_fs: unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1}},
	{2, unix.LandlockRulesetAttr{Access_fs: unix.LANDLOCK_ACCESS_FS_REFER}},
	{truncates, unix.LandlockRulesetAttr{Access_fs: unix.LANDLOCK_ACCESS_FS_TRUNCATE}},
	{4, unix.LandlockRulesetAttr{Access_net: unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP}},
	{5, unix.LandlockRulesetAttr{Access_fs: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}},
	{scopedSignals, unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL}},
}

func ruleset(version int) unix.LandlockRulesetAttr {
	var all unix.LandlockRulesetAttr
	for _, r := range rulesets {
		if version >= r.since {
			all.Access_fs |= r.add.Access_fs
			all.Access_net |= r.add.Access_net
			all.Scoped |= r.add.Scoped
		}
	}
	return all
}

// restrictFiles puts the calling thread under Landlock and returns the version in force, 0 with
// an error.
func restrictFiles(n Needs) (version int, err error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	attr := ruleset(int(v))
	if n.Command != nil && n.Command.Network {
		attr.Access_net = 0
	}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return 0, fmt.Errorf("make a set of rules: %w", errno)
	}
	defer func() { _ = unix.Close(int(set)) }()
	for _, p := range permissions(n) {
		if err := permit(int(set), p, attr.Access_fs); err != nil {
			return 0, err
		}
	}
	if _, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return 0, fmt.Errorf("hold to the rules: %w", errno)
	}
	return int(v), nil
}

// permit adds the rule for one path. A path that is not there needs none.
func permit(set int, p permission, handled uint64) error {
	fd, err := unix.Open(p.path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // what cannot be opened now is not permitted later either
	}
	defer func() { _ = unix.Close(fd) }()
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return fmt.Errorf("look at %s: %w", p.path, err)
	}
	if p.was != (FileID{}) && p.was != (FileID{uint64(info.Dev), info.Ino}) { //nolint:unconvert // another type elsewhere
		return fmt.Errorf("%s is another file or folder than when the settings were read", p.path)
	}
	rights := p.rights & handled
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFiles
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("permit %s: %w", p.path, errno)
	}
	return nil
}
