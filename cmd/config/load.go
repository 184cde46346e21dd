package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
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

// check holds numbers against their bounds.
func (l *Loader) check() error {
	for _, s := range settings() {
		v := reflect.ValueOf(l.Settings).Field(s.index)
		if s.min != "" && compare(v, s.min) < 0 {
			return fmt.Errorf("%s from the %s is %v; expected %s or more", s.name, l.Sources[s.name], v, s.min)
		}
		if s.max != "" && compare(v, s.max) > 0 {
			return fmt.Errorf("%s from the %s is %v; expected %s or less", s.name, l.Sources[s.name], v, s.max)
		}
	}
	return nil
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
	k := koanf.New("\x00") // no key is split
	if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("configuration file: %w", err)
		}
		return nil, fmt.Errorf("configuration file %s: %w", path, err)
	}
	values := map[string][]string{}
	for key, v := range k.All() {
		if !slices.ContainsFunc(settings(), func(s setting) bool { return s.name == key }) {
			return nil, fmt.Errorf("configuration file %s: there is no setting %q; see tenon serve --help", path, strings.ReplaceAll(key, "\x00", "."))
		}
		if list, ok := v.([]any); ok {
			values[key] = []string{}
			for _, e := range list {
				values[key] = append(values[key], fmt.Sprint(e))
			}
			continue
		}
		values[key] = []string{fmt.Sprint(v)}
	}
	return values, nil
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
	min, max           string // "": no bound
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
			min: tag.Get("min"), max: tag.Get("max"), group: group, kind: t.Field(i).Type, secret: tag.Get("secret") != "",
		}
	}
	return all
}

func (s setting) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

func (s setting) list() bool { return s.kind.Kind() == reflect.Slice }
