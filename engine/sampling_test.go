package engine

import (
	"reflect"
	"testing"
)

// A number without a row would be passed over wherever the table is followed.
func TestSamplingFields_holdEveryNumber(t *testing.T) {
	rows := map[string]SamplingField{}
	for _, f := range SamplingFields {
		rows[f.Name] = f
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Sampling]()) {
		_, isRow := rows[f.Name]
		isNumber := f.Type == reflect.TypeFor[*float32]() || f.Type == reflect.TypeFor[*int]()
		if isRow != isNumber {
			t.Errorf("%s is a number: %v; it has a row: %v", f.Name, isNumber, isRow)
		}
	}
	for _, f := range SamplingFields {
		if f.Default < f.Min || f.Default > f.Max {
			t.Errorf("%s: the default %v is outside %v to %v", f.Name, f.Default, f.Min, f.Max)
		}
	}
}

func TestSamplingField_getsWhatWasSet(t *testing.T) {
	for _, f := range SamplingFields {
		var s Sampling
		if _, set := f.Get(s); set {
			t.Errorf("%s is set in an empty Sampling", f.Name)
		}
		f.Set(&s, 2)
		if v, set := f.Get(s); v != 2 || !set {
			t.Errorf("%s was set to 2 and is %v, %v", f.Name, v, set)
		}
	}
}

// What was written with few digits is told with as many.
func TestSamplingField_getsTheShortestNumber(t *testing.T) {
	for _, f := range SamplingFields {
		var s Sampling
		f.Set(&s, f.Default)
		if v, _ := f.Get(s); v != f.Default {
			t.Errorf("%s is %v, not %v", f.Name, v, f.Default)
		}
	}
}

func TestSampling_orTakesWhatIsUnset(t *testing.T) {
	own, other := float32(0.5), float32(0.9)
	seed := uint32(7)
	got := Sampling{Numbers: Numbers{Temperature: &own}}.Or(Sampling{Numbers: Numbers{Temperature: &other, TopP: &other}, Seed: &seed, DRYBreakers: []string{"x"}})
	if *got.Temperature != own || *got.TopP != other || *got.Seed != 7 || len(got.DRYBreakers) != 1 || got.TopK != nil {
		t.Errorf("%+v", got)
	}
}
