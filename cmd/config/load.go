package config

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

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
var otherVariables = []string{"TENON_MODELS", "TENON_CONFIG", "TENON_STATE"}

// Loader reads settings from flags, the environment and a file.
type Loader struct {
	Settings Settings
	Sources  map[string]Source // by setting
	Models   []Model           // what the file sets for single models, in its order
	Grants   []Grant           // who gets which of the tools that the server executes
	Executed Executed          // what the file has the server execute

	flags *pflag.FlagSet
	file  string
	lines map[string]int // of the file, by setting
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

// RegisterOnly adds the flags of the named settings alone, and --config. The others still come
// from the environment and the file: a command that talks to a server must know where that
// listens, and takes no --ctx-size.
func RegisterOnly(flags *pflag.FlagSet, names ...string) *Loader {
	l := Register(pflag.NewFlagSet("", pflag.ContinueOnError))
	for _, name := range append(names, "config") {
		flags.AddFlag(l.flags.Lookup(name))
	}
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
	if l.file == "" {
		l.file = variable(environ, "TENON_CONFIG")
	}
	if l.file == "" {
		return l.check()
	}
	f, err := readFile(l.file)
	if err != nil {
		return err
	}
	l.lines, l.Models, l.Grants, l.Executed = f.lines, f.models, f.grants, f.executed
	if err := l.take(FromFile, f.values); err != nil {
		return err
	}
	if err := l.check(); err != nil {
		return err
	}
	return l.checkModels()
}

// Flags are the flags that were given, to be given again elsewhere: their paths do not depend on
// where that is.
func (l *Loader) Flags() []string {
	var given []string
	l.flags.Visit(func(f *pflag.Flag) {
		i := slices.IndexFunc(settings(), func(s setting) bool { return s.name == f.Name })
		if i < 0 && f.Name != "config" {
			return // a flag of the command's own
		}
		for _, v := range flagValues(f) {
			if path := i < 0 || settings()[i].isPath(v); path && v != "" {
				// it fails only where there is no working directory
				v, _ = filepath.Abs(v)
			}
			given = append(given, "--"+f.Name+"="+v)
		}
	})
	return given
}

func flagValues(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

// Again reads the environment and the file anew, for the same flags.
func (l *Loader) Again(environ []string) (*Loader, error) {
	again := Register(pflag.NewFlagSet("", pflag.ContinueOnError))
	var err error
	l.flags.Visit(func(f *pflag.Flag) {
		if again.flags.Lookup(f.Name) == nil {
			return // a flag of the command's own
		}
		for _, v := range flagValues(f) {
			err = errors.Join(err, again.flags.Set(f.Name, v))
		}
	})
	if err != nil {
		return nil, err // both have the same flags
	}
	return again, again.Load(environ)
}

// File is the settings file that is in force, "" if there is none.
func (l *Loader) File() string { return l.file }

// check holds values against their bounds and choices.
func (l *Loader) check() error {
	for _, s := range settings() {
		v := reflect.ValueOf(l.Settings).FieldByIndex(s.index)
		if want := s.wanted(v); want != "" {
			return fmt.Errorf("%s from the %s is %s%s; expected %s", s.name, l.origin(s.name), shown(v), DidYouMean(v.String(), s.choices), want)
		}
	}
	return nil
}

// origin is where a setting's value came from, to the line.
func (l *Loader) origin(name string) string {
	from := string(l.Sources[name])
	if l.Sources[name] == FromFile {
		from = fmt.Sprintf("file %s, line %d,", l.file, l.lines[name])
	}
	return from
}

// wanted says what was expected in the place of v, "" if v will do.
func (s setting) wanted(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Float64 && !(math.Abs(v.Float()) <= math.MaxFloat32):
		// so that a NaN is out, too
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

// compare orders a number of a setting and a bound. A bound that does not parse is a wrong tag of
// ours, which a test would find.
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
			l.Sources[s.name] = from
			return fmt.Errorf("%s from the %s: %w", s.name, strings.TrimSuffix(l.origin(s.name), ","), err)
		}
		l.Sources[s.name] = from
	}
	return nil
}

var errNoList = errors.New("takes one value, not a list")

// set gives a flag its value; a list replaces what was there.
func set(f *pflag.Flag, values []string) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.Replace(values)
	}
	if len(values) != 1 {
		return errNoList
	}
	return f.Value.Set(values[0])
}

// fromEnviron returns the settings that the environment sets. Lists are separated by commas. An
// empty variable sets nothing, as with the others: what starts a server often passes on all that
// it knows.
func fromEnviron(environ []string) (map[string][]string, error) {
	values := map[string][]string{}
	for _, pair := range environ {
		key, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(key, envPrefix) || slices.Contains(otherVariables, key) {
			continue
		}
		i := slices.IndexFunc(settings(), func(s setting) bool { return s.env() == key })
		if i < 0 {
			return nil, fmt.Errorf("environment variable %s: there is no such setting%s; see tenon serve --help", key, DidYouMean(key, variables()))
		}
		if value == "" {
			continue
		}
		s := settings()[i]
		values[s.name] = []string{value}
		if s.list() {
			values[s.name] = strings.Split(value, ",")
		}
	}
	return values, nil
}

// variables are the names of the environment variables that set something.
func variables() []string {
	names := slices.Clone(otherVariables)
	for _, s := range settings() {
		names = append(names, s.env())
	}
	return names
}

func variable(environ []string, name string) string {
	for _, pair := range environ {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			return v
		}
	}
	return ""
}

// add registers the flag of one setting, bound to its field.
func (l *Loader) add(s setting) {
	field := reflect.ValueOf(&l.Settings).Elem().FieldByIndex(s.index).Addr().Interface()
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
			// a tag of ours is wrong
			panic("config: the default of " + s.name + " does not parse")
		}
		f.DefValue = f.Value.String()
	}
	f.Changed = false
}

// setting is one field of Settings by its tags.
type setting struct {
	index              []int
	name, defaultValue string
	help, group        string
	min, max, over     string   // "": no bound
	choices            []string // nil: any text
	kind               reflect.Type
	secret             bool
	perModel           bool // may stand under models: too
	// "yes": in the file it is sought beside the file; "gguf": if it ends so
	path string
}

// settings reads the tags.
func settings() []setting {
	var all []setting
	group := ""
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		if f.Anonymous { // the table of sampling fields, which follow
			continue
		}
		tag := withNumbers(f.Tag)
		sampling := len(f.Index) > 1 // it is of that table
		if g := tag.Get("group"); g != "" {
			group = g
		}
		s := setting{
			index: f.Index, name: tag.Get("flag"), defaultValue: tag.Get("default"), help: tag.Get("help"),
			min: tag.Get("min"), max: tag.Get("max"), over: tag.Get("over"), group: group, kind: f.Type, secret: tag.Get("secret") != "",
			perModel: tag.Get("model") != "" || sampling, path: tag.Get("path"),
		}
		if c, ok := tag.Lookup("choices"); ok {
			s.choices = strings.Split(c, ",")
		}
		all = append(all, s)
	}
	return all
}

func (s setting) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

func (s setting) isPath(v string) bool {
	return s.path == "yes" || s.path != "" && strings.HasSuffix(strings.ToLower(v), "."+s.path)
}

func (s setting) list() bool { return s.kind.Kind() == reflect.Slice }
