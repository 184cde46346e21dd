package sandbox

import (
	"fmt"
	"maps"
	"os"
	"slices"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// forbidden calls answer EPERM. A name that this architecture does not have does no harm.
var forbidden = []string{
	// they do what the other calls may not
	"io_uring_setup", "io_uring_enter", "io_uring_register",
	// other processes
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp",
	"pidfd_open", "pidfd_getfd", "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
	"migrate_pages", "move_pages", "msgget", "semget", "shmget", "mq_open",
	// the kernel and its memory of who may do what
	"bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "init_module",
	"finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "syslog", "acct", "iopl",
	"ioperm", "modify_ldt", "personality", "quotactl", "quotactl_fd", "swapon", "swapoff", "settimeofday",
	"clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "vhangup",
	// the file system's shape
	"mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree", "open_tree_attr",
	"move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_by_handle_at",
	"name_to_handle_at", "fanotify_init", "mknod", "mknodat",
}

var (
	// what is inherited stays
	network = []string{"socket", "connect", "bind", "listen", "accept", "accept4"}
	// ways out of a process group
	newSession = []string{"setsid", "setpgid"}
)

// barred are the calls that are forbidden to a program with these needs.
func barred(n Needs, cuda bool) []string {
	all := slices.Clone(forbidden)
	if n.Command == nil || !n.Command.Network {
		all = append(all, network...)
	}
	if n.Command != nil {
		return append(all, newSession...)
	}
	if cuda { // see sockets
		all = slices.DeleteFunc(all, func(name string) bool { return name == "bind" || name == "listen" })
	}
	return append(all, "tkill")
}

// toItself are calls whose first argument is a process: they are allowed only for this one, which
// 0 means for prlimit64. A command may signal its children where Landlock keeps it from others;
// this process is then its watcher, see [Become].
func toItself(signals bool) []seccomp.NameWithConditions {
	self := seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.Equal, Value: uint64(os.Getpid())}}
	zero := seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.Equal, Value: 0}}
	only := []seccomp.NameWithConditions{{Name: "prlimit64", Conditions: zero}}
	if !signals {
		only = append(only, seccomp.NameWithConditions{Name: "prlimit64", Conditions: self}, seccomp.NameWithConditions{Name: "kill", Conditions: self}, seccomp.NameWithConditions{Name: "tgkill", Conditions: self})
	}
	return only
}

// sockets are the calls that make sockets, with what they may make. A socket of AF_UNIX reaches
// the servers of this machine, such as Docker's or an agent with keys, and Landlock does not watch
// its path. A pair may not be of datagrams: these are sent to any address. What is allowed is
// named, as the kernel reads only half of each argument.
//
// CUDA does not start without a socket of AF_UNIX on which it listens. It is of packets in order:
// that kind reaches nobody before it is connected, and here no call connects one or accepts a
// connection.
func sockets(network, cuda bool) []seccomp.NameWithConditions {
	allow := func(name string, argument uint32, value uint64) seccomp.NameWithConditions {
		equal := seccomp.Condition{Argument: argument, Operation: seccomp.Equal, Value: value}
		return seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{equal}}
	}
	var only []seccomp.NameWithConditions
	for _, kind := range []uint64{unix.SOCK_STREAM, unix.SOCK_SEQPACKET} {
		for _, flags := range []uint64{0, unix.SOCK_CLOEXEC, unix.SOCK_NONBLOCK, unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK} {
			only = append(only, allow("socketpair", 1, kind|flags))
		}
	}
	if cuda {
		unixSocket := seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: unix.AF_UNIX}
		inOrder := seccomp.Condition{Argument: 1, Operation: seccomp.Equal, Value: unix.SOCK_SEQPACKET | unix.SOCK_CLOEXEC}
		only = append(only, seccomp.NameWithConditions{Name: "socket", Conditions: seccomp.ArgumentConditions{unixSocket, inOrder}})
	}
	if network {
		// the last tells a resolver of interfaces
		for _, family := range []uint64{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
			only = append(only, allow("socket", 0, family))
		}
	}
	return only
}

// restrictCalls puts the calling thread under a filter of system calls.
//
// All known calls but the forbidden ones are named as allowed, and the rest is refused: the
// library's filter treats calls by way of another architecture, such as 32-bit ones, as the rest.
// There is one group alone, with what has conditions at its end: behind conditions the library
// compares an argument with the next numbers.
func restrictCalls(n Needs, landlock int, cuda bool) error {
	machine, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	if !seccomp.Supported() {
		return unix.ENOSYS
	}
	conditional, forbidden := toItself(n.Command != nil && landlock >= scopedSignals), barred(n, cuda)
	conditional = append(conditional, sockets(n.Command != nil && n.Command.Network, cuda)...)
	var allowed []string
	for _, number := range slices.Sorted(maps.Keys(machine.SyscallNumbers)) {
		name := machine.SyscallNumbers[number]
		same := func(c seccomp.NameWithConditions) bool { return c.Name == name }
		if !slices.Contains(forbidden, name) && !slices.ContainsFunc(conditional, same) {
			allowed = append(allowed, name)
		}
	}
	group := seccomp.SyscallGroup{Action: seccomp.ActionAllow, Names: allowed, NamesWithCondtions: conditional}
	err = seccomp.LoadFilter(seccomp.Filter{
		Policy: seccomp.Policy{DefaultAction: seccomp.ActionErrno, Syscalls: []seccomp.SyscallGroup{group}},
	})
	if err != nil {
		return fmt.Errorf("filter system calls: %w", err)
	}
	return nil
}
