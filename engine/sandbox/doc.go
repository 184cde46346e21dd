// Package sandbox takes from a worker what it does not need, before it reads a file that a
// stranger wrote.
//
// The parent starts a child with few of its own environment variables ([Environment]): keys and
// tokens stay behind. The child begins its life with
//
//	todo, confinement, err := sandbox.Confined(os.Stdin, Options.needs)
//
// On Linux [Confined] restricts the calling thread and then runs the same program again on it. A
// new program has no other thread, so nothing runs without the restrictions:
//
//   - no_new_privs: no program that it runs has more rights than it has.
//   - Landlock: of the file system only the program, its libraries, what [Needs] names and the
//     devices of GPUs. No TCP, no signals and no abstract sockets to processes outside.
//   - seccomp: no system call that makes sockets, looks into other processes, mounts or loads code
//     into the kernel.
//
// A question that a hostile file may answer with a crash, such as what memory it needs, is put to
// a process of its own: [Ask], and [Answer] there.
//
// A command that a model wrote runs below a process that confines its one thread first: the server
// starts its own program with [CommandName], and that calls [Become]. It may use the system's
// programs and the folders that its [Command] names. It cannot leave the process group, so that
// [EndGroup] ends all that it started, and so does the death of the server, even by SIGKILL.
//
// Files: sandbox.go (what a program needs), sandbox_linux.go, files_linux.go, landlock_linux.go
// and seccomp_linux.go (how the rest is taken), ask.go, command.go (starting one that confines
// itself and then runs a command), system_unix.go (process groups, which file a path leads to,
// whom a command runs as), output.go (of a command, bounded). *_other.go stand for them elsewhere.
//
// Where the kernel lacks one of them the others hold, and the [engine.Confinement] says what is
// missing; a command does not run then. Other systems have no sandbox here.
//
// The library go-landlock is not used: it restricts all threads of a running program, which in a
// program with C in it takes signal handlers. One thread before exec needs three system calls.
package sandbox
