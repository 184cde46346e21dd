package wire

import (
	"math"
	"reflect"

	"tenon/engine"
)

// Ban is the bias of a token that a client bans. It is finite, so that where a grammar allows
// banned tokens only, or all are, there is still one to choose: an answer of the form that was
// asked for, and no error.
const Ban = -1e9

// Bounds are those of a request's field: the engine's, and OpenAI's for penalties, which have none
// there.
func Bounds(f engine.SamplingField) Number {
	n := Number{Name: f.Key, Min: f.Min, Max: f.Max, Above: f.Above}
	if math.IsInf(f.Min, -1) {
		n.Min, n.Max = -2, 2
	}
	return n
}

// Range is from where to where a number may be.
type Range struct{ Min, Max float64 }

// Sampling decodes the sampling fields of a request: those of its struct's that are called like a
// row of the engine's table. own are the ranges, by key, that the protocol has in place of
// [Bounds].
func Sampling(request any, own map[string]Range, to *engine.Sampling) error {
	from := reflect.ValueOf(request)
	for _, f := range engine.SamplingFields {
		v := from.FieldByName(f.Name)
		if !v.IsValid() || v.IsNil() {
			continue
		}
		n := Bounds(f)
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
