package background

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Unit is a file that lets the system run the server from the login or the boot on.
type Unit struct {
	Path string
	Text string
	Next []string // commands that put it in force
}

// NewUnit writes one for this system: systemd's on Linux (of the user; of the machine for root), launchd's on macOS.
func NewUnit(system, home string, root bool, c Command, log string) (Unit, error) {
	switch system {
	case "linux":
		u := Unit{Path: filepath.Join(home, ".config/systemd/user/tenon.service"), Text: systemd(c, "default.target")}
		control := "systemctl --user "
		if root {
			u.Path, u.Text, control = "/etc/systemd/system/tenon.service", systemd(c, "multi-user.target"), "systemctl "
		}
		u.Next = []string{control + "daemon-reload", control + "enable --now tenon", "journalctl " + strings.TrimPrefix(control, "systemctl ") + "-u tenon -f"}
		if !root {
			u.Next = append(u.Next, "loginctl enable-linger   # to start it at boot, not at login")
		}
		return u, nil
	case "darwin":
		path := filepath.Join(home, "Library/LaunchAgents/dev.tenon.plist")
		return Unit{Path: path, Text: launchd(c, log), Next: []string{"launchctl bootstrap gui/" + strconv.Itoa(os.Getuid()) + " " + path}}, nil
	}
	return Unit{}, fmt.Errorf("units are written for systemd and launchd; on %s use 'tenon start'", system)
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

func systemd(c Command, target string) string {
	args := make([]string, len(c.Args)+1)
	for i, a := range append([]string{c.Program}, c.Args...) {
		args[i] = quoted(a)
	}
	return `[Unit]
Description=tenon model server
After=network-online.target

[Service]
ExecStart=` + strings.Join(args, " ") + `
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=3
# Running requests are finished first (--drain-timeout).
TimeoutStopSec=40
# A worker that takes all memory ends, not the server.
OOMPolicy=continue

[Install]
WantedBy=` + target + "\n"
}

// quoted is an argument as systemd reads it.
func quoted(arg string) string {
	arg = strings.NewReplacer("%", "%%", "$", "$$", `\`, `\\`, `"`, `\"`).Replace(arg)
	if arg == "" || strings.ContainsAny(arg, " \t'\"\\;") {
		return `"` + arg + `"`
	}
	return arg
}

func launchd(c Command, log string) string {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key><string>dev.tenon</string>
	<key>RunAtLoad</key><true/>
	<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
	<key>ProgramArguments</key>
	<array>
`)
	for _, a := range append([]string{c.Program}, c.Args...) {
		b.WriteString("\t\t<string>")
		_ = xml.EscapeText(&b, []byte(a)) // a buffer takes everything
		b.WriteString("</string>\n")
	}
	b.WriteString("\t</array>\n\t<key>StandardOutPath</key><string>" + log + "</string>\n\t<key>StandardErrorPath</key><string>" + log + "</string>\n</dict>\n</plist>\n")
	return b.String()
}

// System is where this program runs.
func System() (system, home string, root bool) {
	home, _ = os.UserHomeDir() // without one, writing the unit fails and says where
	return runtime.GOOS, home, os.Getuid() == 0
}
