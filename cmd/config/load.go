package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// Source says where a setting's value came from.
type Source string

const (
	FromDefault Source = "default"
	FromFile    Source = "file"
	FromEnv     Source = "environment"
	FromFlag    Source = "flag"
)

// envPrefix begins the environment variable of every setting.
const envPrefix = "TENON_"

// otherVariables are TENON_ variables that are no settings of the server.
var otherVariables = []string{"TENON_MODELS", "TENON_CONFIG"}

// Loader reads settings from flags, the environment and a file.
type Loader struct {
	Settings Settings
	Sources  map[string]Source // by setting

	flags *pflag.FlagSet
	file  string
}

// Register adds a flag for every setting, and --config.
func Register(flags *pflag.FlagSet) *Loader {
	l := &Loader{Sources: map[string]Source{}, flags: flags}
	for _, s := range settings() {
		l.add(s)
	}
	flags.StringVar(&l.file, "config", "", "YAML file with settings (or TENON_CONFIG)")
	return l
}

// Load fills Settings once the flags are parsed. environ is os.Environ().
func (l *Loader) Load(environ []string) error {
	for _, s := range settings() {
		l.Sources[s.name] = FromDefault
		if l.flags.Changed(s.name) {
			l.Sources[s.name] = FromFlag
		}
	}
	env, err := fromEnviron(environ)
	if err != nil {
		return err
	}
	if err := l.take(FromEnv, env); err != nil {
		return err
	}
	path := l.file
	if path == "" {
		path = variable(environ, "TENON_CONFIG")
	}
	if path == "" {
		return l.check()
	}
	values, err := fromFile(path)
	if err != nil {
		return err
	}
	if err := l.take(FromFile, values); err != nil {
		return fmt.Errorf("configuration file %s: %w", path, err)
	}
	return l.check()
}

// check holds values against their bounds and choices.
func (l *Loader) check() error {
	for _, s := range settings() {
		v := reflect.ValueOf(l.Settings).Field(s.index)
		if want := s.wanted(v); want != "" {
			return fmt.Errorf("%s from the %s is %s; expected %s", s.name, l.Sources[s.name], shown(v), want)
		}
	}
	return nil
}

// wanted says what was expected in the place of v, "" if v will do.
func (s setting) wanted(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Float64 && !(math.Abs(v.Float()) <= math.MaxFloat32): // so that a NaN is out, too
		return "a number"
	case s.min != "" && compare(v, s.min) < 0:
		return s.min + " or more"
	case s.over != "" && compare(v, s.over) <= 0:
		return "more than " + s.over
	case s.max != "" && compare(v, s.max) > 0:
		return s.max + " or less"
	case s.choices != nil && !s.chosen(v.String()):
		return strings.Join(s.choices[:len(s.choices)-1], ", ") + " or " + s.choices[len(s.choices)-1]
	}
	return ""
}

// anyNumber is the choice that stands for every whole number that is not negative.
const anyNumber = "a number"

// chosen tells whether v is the default or one of the choices.
func (s setting) chosen(v string) bool {
	n, err := strconv.Atoi(v)
	count := err == nil && n >= 0
	return v == s.defaultValue || slices.Contains(s.choices, v) || count && slices.Contains(s.choices, anyNumber)
}

// shown is a value as a message shows it: a text in quotes, so that an empty one is seen.
func shown(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return strconv.Quote(v.String())
	}
	return fmt.Sprint(v)
}

// compare orders a number of a setting and a bound. A bound that does not parse is a wrong tag of ours, which a test would find.
func compare(v reflect.Value, bound string) int {
	if d, ok := v.Interface().(time.Duration); ok {
		b, _ := time.ParseDuration(bound)
		return cmp.Compare(d, b)
	}
	b, _ := strconv.ParseFloat(bound, 64)
	if v.CanInt() {
		return cmp.Compare(float64(v.Int()), b)
	}
	return cmp.Compare(v.Float(), b)
}

// take sets what no stronger source has set.
func (l *Loader) take(from Source, values map[string][]string) error {
	for _, s := range settings() {
		v, ok := values[s.name]
		if !ok || l.Sources[s.name] != FromDefault {
			continue
		}
		if err := set(l.flags.Lookup(s.name), v); err != nil {
			return fmt.Errorf("%s from the %s: %w", s.name, from, err)
		}
		l.Sources[s.name] = from
	}
	return nil
}

// set gives a flag its value; a list replaces what was there.
func set(f *pflag.Flag, values []string) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.Replace(values)
	}
	if len(values) != 1 {
		return errors.New("takes one value, not a list")
	}
	return f.Value.Set(values[0])
}

// fromEnviron returns the settings that the environment sets. Lists are separated by commas.
func fromEnviron(environ []string) (map[string][]string, error) {
	values := map[string][]string{}
	for _, pair := range environ {
		key, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(key, envPrefix) || slices.Contains(otherVariables, key) {
			continue
		}
		i := slices.IndexFunc(settings(), func(s setting) bool { return s.env() == key })
		if i < 0 {
			return nil, fmt.Errorf("environment variable %s: there is no such setting; see tenon serve --help", key)
		}
		s := settings()[i]
		values[s.name] = []string{value}
		if s.list() {
			values[s.name] = strings.Split(value, ",")
		}
	}
	return values, nil
}

func variable(environ []string, name string) string {
	for _, pair := range environ {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			return v
		}
	}
	return ""
}

// fromFile returns the settings that a YAML file sets.
func fromFile(path string) (map[string][]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration file: %w", err)
	}
	var nodes map[string]yaml.Node
	if err := yaml.Unmarshal(text, &nodes); err != nil {
		return nil, fmt.Errorf("configuration file %s: %w", path, err)
	}
	values := map[string][]string{}
	for _, key := range slices.Sorted(maps.Keys(nodes)) {
		if !slices.ContainsFunc(settings(), func(s setting) bool { return s.name == key }) {
			return nil, fmt.Errorf("configuration file %s: there is no setting %q; see tenon serve --help", path, key)
		}
		node := nodes[key]
		if values[key], err = written(&node); err != nil {
			return nil, fmt.Errorf("configuration file %s, line %d: %s: %w", path, node.Line, key, err)
		}
	}
	return values, nil
}

// written is the text of a value, or of a list's elements, as it stands in the file: what YAML would make of a key of digits or
// of a date is another text.
func written(n *yaml.Node) ([]string, error) {
	switch n.Kind {
	case yaml.AliasNode:
		return written(n.Alias)
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return nil, errors.New("has no value; leave the line out for the default")
		}
		return []string{n.Value}, nil
	case yaml.SequenceNode:
		values := []string{}
		for _, e := range n.Content {
			v, err := written(e)
			if err != nil {
				return nil, err
			}
			if len(v) != 1 || e.Kind == yaml.SequenceNode {
				return nil, errors.New("takes a list of values, not of lists")
			}
			values = append(values, v[0])
		}
		return values, nil
	}
	return nil, errors.New("takes a value or a list of them")
}

// add registers the flag of one setting, bound to its field.
func (l *Loader) add(s setting) {
	field := reflect.ValueOf(&l.Settings).Elem().Field(s.index).Addr().Interface()
	switch p := field.(type) {
	case *string:
		l.flags.StringVar(p, s.name, "", s.help)
	case *int:
		l.flags.IntVar(p, s.name, 0, s.help)
	case *float64:
		l.flags.Float64Var(p, s.name, 0, s.help)
	case *bool:
		l.flags.BoolVar(p, s.name, false, s.help)
	case *[]string:
		l.flags.StringArrayVar(p, s.name, nil, s.help)
	case *time.Duration:
		l.flags.DurationVar(p, s.name, 0, s.help)
	}
	f := l.flags.Lookup(s.name)
	if s.defaultValue != "" {
		if err := f.Value.Set(s.defaultValue); err != nil {
			panic("config: the default of " + s.name + " does not parse") // a tag of ours is wrong
		}
		f.DefValue = f.Value.String()
	}
	f.Changed = false
}

// setting is one field of Settings by its tags.
type setting struct {
	index              int
	name, defaultValue string
	help, group        string
	min, max, over     string   // "": no bound
	choices            []string // nil: any text
	kind               reflect.Type
	secret             bool
}

func settings() []setting {
	t := reflect.TypeFor[Settings]()
	all := make([]setting, t.NumField())
	group := ""
	for i := range all {
		tag := t.Field(i).Tag
		if g := tag.Get("group"); g != "" {
			group = g
		}
		all[i] = setting{
			index: i, name: tag.Get("flag"), defaultValue: tag.Get("default"), help: tag.Get("help"),
			min: tag.Get("min"), max: tag.Get("max"), over: tag.Get("over"), group: group, kind: t.Field(i).Type, secret: tag.Get("secret") != "",
		}
		if c, ok := tag.Lookup("choices"); ok {
			all[i].choices = strings.Split(c, ",")
		}
	}
	return all
}

func (s setting) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

func (s setting) list() bool { return s.kind.Kind() == reflect.Slice }
