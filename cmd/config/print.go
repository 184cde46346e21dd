package config

import (
	"fmt"
	"reflect"
	"strings"
)

// InForce is every setting's value and where it came from. Keys, and URLs that may have a
// password, are not shown.
func (l *Loader) InForce() []Value {
	var all []Value
	for _, s := range settings() {
		all = append(all, s.value(l.Settings, string(l.Sources[s.name])))
	}
	return all
}

// Values are those of the settings that may differ between models.
func (e Effective) Values() []Value {
	var all []Value
	for _, s := range settings() {
		if s.perModel {
			all = append(all, s.value(e.Settings, e.Origins[s.name]))
		}
	}
	return all
}

func (s setting) value(of Settings, from string) Value {
	value := reflect.ValueOf(of).FieldByIndex(s.index).Interface()
	shown := fmt.Sprint(value)
	if s.secret && s.kind.Kind() == reflect.String && shown != "" {
		shown = "(hidden)"
	}
	if list, ok := value.([]string); ok {
		shown = strings.Join(list, ",")
		if s.secret && len(list) > 0 {
			shown = fmt.Sprintf("(%d hidden)", len(list))
		}
	}
	return Value{s.name, shown, from}
}
