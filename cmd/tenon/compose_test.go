package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// What the compose file says is what the server and its container get: on this machine alone,
// with nothing to write to but the volume, without rights, and with the time to end its turns.
func TestCompose_settingsAreThoseOfTheServer(t *testing.T) {
	text, err := os.ReadFile("../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Command     []string
			Ports       []string
			Volumes     []string
			ReadOnly    bool     `yaml:"read_only"`
			CapDrop     []string `yaml:"cap_drop"`
			SecurityOpt []string `yaml:"security_opt"`
			Stop        string   `yaml:"stop_grace_period"`
			Privileged  bool
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	s := file.Services["tenon"]
	for _, port := range s.Ports {
		if !strings.HasPrefix(port, "127.0.0.1:") {
			t.Errorf("port %s is published beyond this machine", port)
		}
	}
	if len(s.Ports) == 0 || !s.ReadOnly || s.Privileged || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
		t.Errorf("the container may do more than it needs: %+v", s)
	}
	command := newServeCommand()
	if err := command.ParseFlags(s.Command[1:]); err != nil || s.Command[0] != command.Name() {
		t.Fatalf("%q: %v", s.Command, err)
	}
	if models := command.Flags().Args(); len(models) != 1 || !strings.HasPrefix(models[0], "hf:") {
		t.Errorf("it serves %q", models)
	}
	grace, err1 := time.ParseDuration(s.Stop)
	drain, err2 := time.ParseDuration(command.Flags().Lookup("drain-timeout").DefValue)
	if err1 != nil || err2 != nil || grace <= drain {
		t.Errorf("stopped after %s (%v), while turns have %s to end (%v)", s.Stop, err1, drain, err2)
	}
}
