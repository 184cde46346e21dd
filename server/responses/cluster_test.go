package responses

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// cluster is a real PostgreSQL: a cluster of its own in a temporary folder, on a Unix socket. Its
// methods may not be called at once.
type cluster struct {
	bin, dir string
	as       *syscall.SysProcAttr
	schemas  int
}

// startCluster makes a cluster and starts it. end must be called. Where there is no PostgreSQL,
// the test skips and says which package brings it.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	bin := pgPrograms()
	if bin == "" {
		t.Skip("there is no PostgreSQL here; Debian's package postgresql brings it")
	}
	dir, err := os.MkdirTemp("", "pg") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	s := &cluster{bin: bin, dir: dir}
	s.leaveRoot(t)
	s.run(t, "initdb", "-D", filepath.Join(dir, "data"), "-U", "tenon", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	s.resume(t)
	return s
}

// end stops the cluster and removes it.
func (s *cluster) end() {
	_ = s.stop() // it may be down
	_ = os.RemoveAll(s.dir)
}

// pgPrograms is the folder of the newest server, "" if there is none.
func pgPrograms() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is right
	if len(found) == 0 {
		path, err := exec.LookPath("initdb")
		if err != nil {
			return ""
		}
		return filepath.Dir(path)
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return pgVersion(a) - pgVersion(b) })
	return filepath.Dir(newest)
}

func pgVersion(initdb string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb)))) // 0 comes last
	return n
}

// leaveRoot has the server run as nobody: PostgreSQL refuses to be root.
func (s *cluster) leaveRoot(t *testing.T) {
	if os.Getuid() != 0 {
		return
	}
	who, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("PostgreSQL refuses to run as root, and there is no user nobody: ", err)
	}
	uid, _ := strconv.Atoi(who.Uid) // numbers, on Unix
	gid, _ := strconv.Atoi(who.Gid)
	if err := os.Chown(s.dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	s.as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

// url is that of an empty schema of the database.
func (s *cluster) url(t *testing.T) string {
	t.Helper()
	s.schemas++
	name := fmt.Sprint("test", s.schemas)
	s.run(t, "psql", "-q", "-h", s.dir, "-U", "tenon", "-d", "postgres", "-c", "create schema "+name)
	return "postgres:///postgres?user=tenon&host=" + s.dir + "&search_path=" + name
}

// kill ends the server as a crash of it does, not of the machine: what was not committed is lost.
func (s *cluster) kill(t *testing.T) {
	t.Helper()
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
}

// resume starts the server again, and waits until it answers.
func (s *cluster) resume(t *testing.T) {
	t.Helper()
	s.run(t, "pg_ctl", "-D", filepath.Join(s.dir, "data"), "-l", filepath.Join(s.dir, "log"), "-w", "-o", "-c listen_addresses= -c fsync=off -k "+s.dir, "start")
}

func (s *cluster) stop() error {
	return s.command("pg_ctl", "-D", filepath.Join(s.dir, "data"), "-m", "immediate", "-w", "stop").Run()
}

func (s *cluster) run(t *testing.T, program string, args ...string) {
	t.Helper()
	// a pipe would stay open with the server
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	cmd := s.command(program, args...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(out.Name())
		t.Fatalf("%s: %v\n%s", program, err, text)
	}
}

func (s *cluster) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.SysProcAttr = s.dir, s.as
	return cmd
}
