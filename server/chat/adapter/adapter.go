package adapter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tenon/server/chat/prepared"
	"tenon/templates"
	"tenon/templates/schema"
)

// Adapter is how a model is helped. What is nil or "" is as the server has it.
type Adapter struct {
	Name     string
	From     string   // where it stands: "preset", a file, a line of the settings
	Match    []string // parts of models' names; case does not count
	Simplify *schema.Simplification
	Guidance *bool
	Routing  *int
	Retries  *int
	Repeats  prepared.Repeats
	Guess    []string
	Leaked   *bool
	Wording  templates.Wording
}

// Over returns what is in force for a model of the adapter, on a server that teaches so.
func (a Adapter) Over(server prepared.Teaching) prepared.Teaching {
	t := server
	if a.Simplify != nil {
		t.Simplify = *a.Simplify
	}
	if a.Guidance != nil {
		t.Guidance = *a.Guidance
	}
	if a.Routing != nil {
		t.Routing = *a.Routing
	}
	if a.Retries != nil {
		t.Retries = a.Retries
	}
	if a.Repeats != "" {
		t.Repeats = a.Repeats
	}
	if a.Guess != nil {
		t.Guess = a.Guess
	}
	if a.Leaked != nil {
		t.Leaked = a.Leaked
	}
	if a.Wording != (templates.Wording{}) {
		t.Wording = a.Wording
	}
	return t
}

// Names of the adapters that are always there beside the presets.
const (
	Off     = "off"     // nothing is helped, whatever the server's settings say
	Default = "default" // of models that no other fits
)

func presets() []Adapter {
	yes, no, none := true, false, 0
	two := 2
	flat := func(most int, requiredOnly bool) *schema.Simplification {
		return &schema.Simplification{RequiredOnly: requiredOnly, EnumText: true, HideOthers: true, Flatten: true, MaxDescription: most}
	}
	return []Adapter{
		{Name: Default, From: "preset"},
		{Name: Off, From: "preset", Simplify: &schema.Simplification{}, Guidance: &no, Routing: &none},
		{Name: "qwen3-coder-30b", From: "preset", Simplify: flat(80, false), Guidance: &yes, Retries: &two},
		{Name: "gpt-oss-20b", From: "preset", Simplify: flat(50, true), Guidance: &yes, Retries: &two},
	}
}

// Set is the adapters there are. The zero value has none.
type Set struct{ all []Adapter }

// Open reads the adapters of a folder, one a file (NAME.yaml), over the presets; "" is the presets
// alone. A file that cannot be read is left out and returned as a fault, which names file, line
// and key; the others serve.
func Open(dir string) (Set, []error) {
	s := Set{presets()}
	if dir == "" {
		return s, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return s, []error{fmt.Errorf("read the adapters: %w", err)}
	}
	var faults []error
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if e.Type()&fs.ModeDir != 0 || ext != ".yaml" && ext != ".yml" {
			continue
		}
		a, err := readFile(filepath.Join(dir, e.Name()), strings.TrimSuffix(e.Name(), ext))
		if err != nil {
			faults = append(faults, err)
			continue
		}
		s.put(a)
	}
	return s, faults
}

// put adds an adapter; one of the same name is replaced.
func (s *Set) put(a Adapter) {
	i := slices.IndexFunc(s.all, func(o Adapter) bool { return strings.EqualFold(o.Name, a.Name) })
	if i < 0 {
		s.all = append(s.all, a)
		return
	}
	s.all[i] = a
}

// Names are those of all adapters, in order.
func (s Set) Names() []string {
	var names []string
	for _, a := range s.all {
		names = append(names, a.Name)
	}
	return names
}

// ErrUnknown is why a named adapter is not found.
var ErrUnknown = errors.New("there is no such adapter")

// For returns the adapter of a model, and why it is that one. named is what the model's entry
// says; "": the model's name decides.
func (s Set) For(model, named string) (a Adapter, why string, err error) {
	if named != "" {
		for _, a := range s.all {
			if strings.EqualFold(a.Name, named) {
				return a, "the model's entry names it", nil
			}
		}
		return Adapter{}, "", fmt.Errorf("adapter %q: %w; there is: %s", named, ErrUnknown, strings.Join(s.Names(), ", "))
	}
	model = strings.ToLower(model)
	longest := ""
	for _, candidate := range s.all {
		for _, part := range candidate.Match {
			if part = strings.ToLower(part); len(part) > len(longest) && strings.Contains(model, part) {
				a, longest = candidate, part
			}
		}
	}
	if longest != "" {
		return a, fmt.Sprintf("the model's name holds %q", longest), nil
	}
	for _, a := range s.all {
		if a.Name == Default {
			return a, "no other fits the model's name", nil
		}
	}
	return Adapter{Name: Default}, "there are no adapters", nil
}

// Simplification reads options, several in one text or in several.
func Simplification(options []string) (s schema.Simplification, err error) {
	if len(options) == 0 {
		return s, nil
	}
	for option := range strings.SplitSeq(strings.Join(options, ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(option), ":")
		switch name {
		case "required-only":
			s.RequiredOnly = true
		case "keep":
			s.RequiredOnly, s.Keep = true, append(s.Keep, value)
		case "enum-text":
			s.EnumText = true
		case "hide-others":
			s.HideOthers = true
		case "flatten":
			s.Flatten = true
		case "describe":
			if s.MaxDescription, err = strconv.Atoi(value); err != nil || s.MaxDescription < 1 {
				return s, fmt.Errorf("describe:%s: expected a number of characters", value)
			}
		default:
			return s, fmt.Errorf("%q: expected required-only, keep:NAME, describe:N, enum-text, hide-others or flatten", option)
		}
	}
	return s, nil
}
