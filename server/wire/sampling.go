package wire

import (
	"reflect"

	"tenon/engine"
)

// Range is from where to where a number may be.
type Range struct{ Min, Max float64 }

// Sampling decodes the sampling fields of a request: those of its struct's that are called like a
// row of the engine's table. own are the ranges, by key, that the protocol has in place of the
// table's.
func Sampling(request any, own map[string]Range, to *engine.Sampling) error {
	from := reflect.ValueOf(request)
	for _, f := range engine.SamplingFields {
		v := from.FieldByName(f.Name)
		if !v.IsValid() || v.IsNil() {
			continue
		}
		n := Number{Name: f.Key, Min: f.Min, Max: f.Max, Above: f.Above}
		if r, ok := own[f.Key]; ok {
			n.Min, n.Max = r.Min, r.Max
		}
		value := v.Elem().Convert(reflect.TypeFor[float64]()).Float()
		if err := n.Check(value); err != nil {
			return err
		}
		f.Set(to, value)
	}
	return nil
}
