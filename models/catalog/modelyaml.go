package catalog

import (
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// modelYAML is LM Studio's model.yaml, as far as it means something here: a name of its own for a
// file, and how it is used.
type modelYAML struct {
	Model  string `yaml:"model"`
	Base   any    `yaml:"base"` // a key, or a list of {key, sources}
	Config struct {
		Operation yamlFields `yaml:"operation"`
		Load      yamlFields `yaml:"load"`
	} `yaml:"config"`
}

type yamlFields struct {
	Fields []struct {
		Key   string `yaml:"key"`
		Value any    `yaml:"value"`
	} `yaml:"fields"`
}

// applyModelYAML gives models the names and settings of the model.yaml files below a folder. A
// name that would go to several files goes to none.
func applyModelYAML(dir string, all []Entry) {
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*", "model.yaml"))
	for _, file := range files {
		var m modelYAML
		b, err := os.ReadFile(file)
		if err != nil || yaml.Unmarshal(b, &m) != nil || m.Model == "" {
			continue // LM Studio says what is wrong with it
		}
		var based []*Entry
		for i := range all {
			for _, key := range m.keys() {
				if strings.EqualFold(all[i].Repo, key) || (wantedName{base: strings.ToLower(key)}).isFile(all[i]) {
					based = append(based, &all[i])
				}
			}
		}
		if len(based) == 1 {
			m.apply(based[0])
		}
	}
}

// keys are the files that it is about, as LM Studio names them.
func (m modelYAML) keys() []string {
	if key, ok := m.Base.(string); ok {
		return []string{key}
	}
	var keys []string
	list, _ := m.Base.([]any)
	for _, b := range list {
		if one, ok := b.(map[string]any); ok {
			if key, ok := one["key"].(string); ok {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func (m modelYAML) apply(e *Entry) {
	e.Aliases = append(e.Aliases, strings.ToLower(m.Model))
	for _, f := range append(m.Config.Load.Fields, m.Config.Operation.Fields...) {
		n, ok := number(f.Value)
		if !ok {
			continue
		}
		value, whole := float32(n), int(n)
		switch f.Key {
		case "llm.load.contextLength":
			e.Context = whole
		case "llm.prediction.temperature":
			e.Sampling.Temperature = &value
		case "llm.prediction.topKSampling":
			e.Sampling.TopK = &whole
		case "llm.prediction.topPSampling":
			e.Sampling.TopP = &value
		case "llm.prediction.minPSampling":
			e.Sampling.MinP = &value
		case "llm.prediction.repeatPenalty":
			e.Sampling.RepeatPenalty = &value
		}
	}
}

// number reads a value that may be wrapped in {checked, value}.
func number(v any) (float64, bool) {
	if box, ok := v.(map[string]any); ok {
		if on, ok := box["checked"].(bool); ok && !on {
			return 0, false
		}
		v = box["value"]
	}
	switch n := v.(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}
