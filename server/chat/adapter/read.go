package adapter

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"tenon/server/chat/prepared"

	"go.yaml.in/yaml/v3"
)

// readFile reads an adapter's file.
func readFile(path, name string) (Adapter, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Adapter{}, fmt.Errorf("read an adapter: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return Adapter{}, fmt.Errorf("adapter %s: %w", path, err)
	}
	if len(document.Content) == 0 {
		return Adapter{Name: name, From: path}, nil
	}
	return Read(name, path, document.Content[0])
}

// Read reads an adapter from a mapping, of a file or of a model's entry in the settings. An error
// names the file, the line and the key.
func Read(name, from string, n *yaml.Node) (Adapter, error) {
	a := Adapter{Name: name, From: from}
	if n.Kind != yaml.MappingNode {
		return a, fmt.Errorf("adapter %s, line %d: expected keys with values", from, n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if err := a.read(key.Value, value); err != nil {
			return a, fmt.Errorf("adapter %s, line %d: %s: %w", from, key.Line, key.Value, err)
		}
	}
	return a, nil
}

// keys are what an adapter may say.
var keys = []string{"match", "simplify", "guidance", "routing-thought", "retries", "repeats", "guess", "leaked-calls", "wording"}

func (a *Adapter) read(key string, value *yaml.Node) error {
	switch key {
	case "match":
		return decode(value, &a.Match, "a list of parts of names")
	case "simplify":
		var options []string
		if err := value.Decode(&options); err != nil {
			return errors.New("expected a list of options")
		}
		s, err := Simplification(options)
		a.Simplify = &s
		return err
	case "guidance":
		return decode(value, &a.Guidance, "true or false")
	case "routing-thought":
		return count(value, &a.Routing)
	case "retries":
		return count(value, &a.Retries)
	case "repeats":
		a.Repeats = prepared.Repeats(value.Value)
		if a.Repeats != prepared.AllowRepeats && a.Repeats != prepared.DropRepeats {
			return fmt.Errorf("is %q; expected allow or drop", value.Value)
		}
		return nil
	case "guess":
		return decode(value, &a.Guess, "a list of names of tools")
	case "leaked-calls":
		return decode(value, &a.Leaked, "true or false")
	case "wording":
		return a.words(value)
	}
	return fmt.Errorf("there is no such key; expected one of %s", strings.Join(keys, ", "))
}

func (a *Adapter) words(value *yaml.Node) error {
	var words map[string]string
	if err := decode(value, &words, "texts under guidance, json and react"); err != nil {
		return err
	}
	for name, text := range words {
		switch name {
		case "guidance":
			a.Wording.Guidance = text
		case "json":
			a.Wording.JSON = text
		case "react":
			a.Wording.ReAct = text
		default:
			return fmt.Errorf("there are no words for %q; expected guidance, json or react", name)
		}
	}
	return nil
}

func count(value *yaml.Node, to **int) error {
	n, err := strconv.Atoi(value.Value)
	if err != nil || n < 0 {
		return fmt.Errorf("is %s; expected a number of 0 or more", value.Value)
	}
	*to = &n
	return nil
}

func decode(value *yaml.Node, to any, want string) error {
	if err := value.Decode(to); err != nil {
		return fmt.Errorf("is %q; expected %s", value.Value, want)
	}
	return nil
}
