package config

import (
	"fmt"
	"reflect"
	"strings"
)

// InForce is every setting's value and where it came from. Keys are not shown.
func (l *Loader) InForce() []Value {
	var all []Value
	for _, s := range settings() {
		value := reflect.ValueOf(l.Settings).Field(s.index).Interface()
		shown := fmt.Sprint(value)
		if list, ok := value.([]string); ok {
			shown = strings.Join(list, ",")
			if s.secret && len(list) > 0 {
				shown = fmt.Sprintf("(%d hidden)", len(list))
			}
		}
		all = append(all, Value{s.name, shown, string(l.Sources[s.name])})
	}
	return all
}
