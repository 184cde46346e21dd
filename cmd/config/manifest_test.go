package config

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The settings in Kubernetes' manifest are ones that the server takes.
func TestLoad_theManifestsSettings(t *testing.T) {
	file, err := os.Open("../deploy/kubernetes/tenon.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it was read
	var first struct {
		Data map[string]string
	}
	if err := yaml.NewDecoder(file).Decode(&first); err != nil {
		t.Fatal(err)
	}
	l, err := load(t, nil, nil, first.Data["tenon.yaml"])
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Models) != 1 || len(l.Models[0].Remote.URLs) != 1 || !strings.HasPrefix(l.Models[0].Remote.URLs[0], "http://") {
		t.Errorf("the models are %+v", l.Models)
	}
}
