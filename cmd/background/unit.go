package background

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"text/template"
)

// Unit is a file that lets the system run the server from the login or the boot on.
type Unit struct {
	Path string   `json:"path"`
	Text string   `json:"text"`
	Next []string `json:"next"` // commands that put it in force
}

// files are the texts of units.
//
//go:embed *.tmpl
var files embed.FS

var units = template.Must(template.New("").Funcs(template.FuncMap{"quoted": quoted}).ParseFS(files, "*.tmpl"))

// NewUnit writes one for this system: systemd's on Linux (of the user; of the machine for root),
// launchd's on macOS.
func NewUnit(system, home string, root bool, c Command, log string) (Unit, error) {
	var u Unit
	target, control, name := "default.target", "systemctl --user ", "tenon.service.tmpl"
	switch {
	case system == "linux" && root:
		target, control, u.Path = "multi-user.target", "systemctl ", "/etc/systemd/system/tenon.service"
	case system == "linux":
		u.Path = filepath.Join(home, ".config/systemd/user/tenon.service")
	case system == "darwin":
		name, u.Path = "dev.tenon.plist.tmpl", filepath.Join(home, "Library/LaunchAgents/dev.tenon.plist")
		u.Next = []string{"launchctl bootstrap gui/" + strconv.Itoa(os.Getuid()) + " " + u.Path}
	default:
		return Unit{}, fmt.Errorf("units are written for systemd and launchd; on %s use 'tenon start'", system)
	}
	if system == "linux" {
		u.Next = []string{control + "daemon-reload", control + "enable --now tenon", "journalctl " + strings.TrimPrefix(control, "systemctl ") + "-u tenon -f"}
	}
	if system == "linux" && !root {
		u.Next = append(u.Next, "loginctl enable-linger   # to start it at boot, not at login")
	}
	var text strings.Builder
	err := units.ExecuteTemplate(&text, name, map[string]any{"Args": append([]string{c.Program}, c.Args...), "Target": target, "Log": log})
	u.Text = text.String()
	return u, err
}

// Write puts the unit where the system looks for it.
func (u Unit) Write() error {
	if err := os.MkdirAll(filepath.Dir(u.Path), 0o755); err != nil {
		return fmt.Errorf("write the unit: %w", err)
	}
	if err := os.WriteFile(u.Path, []byte(u.Text), 0o644); err != nil {
		return fmt.Errorf("write the unit: %w", err)
	}
	return nil
}

// quoted is an argument as systemd reads it.
func quoted(arg string) string {
	arg = strings.NewReplacer("%", "%%", "$", "$$", `\`, `\\`, `"`, `\"`).Replace(arg)
	if arg == "" || strings.ContainsAny(arg, " \t'\"\\;") {
		return `"` + arg + `"`
	}
	return arg
}

// System is where this program runs.
func System() (system, home string, root bool) {
	home, _ = os.UserHomeDir() // without one, writing the unit fails and says where
	return runtime.GOOS, home, os.Getuid() == 0
}
