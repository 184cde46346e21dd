package engine

import (
	"math"
	"reflect"
	"strconv"
)

// Sampling says how tokens are chosen. Nil and empty fields are unset: the file's
// general.sampling.* decide, else llama-server's defaults. Names and meanings are llama-server's.
//
// The tags of its fields are the table of sampling fields, see [SamplingFields]. Settings and
// request bodies take a field by giving one of theirs the same Go name.
type Sampling struct {
	Temperature    *float32 `key:"temperature" default:"0.8" min:"0" file:"temp"`
	TopK           *int     `key:"top_k" default:"40" min:"0" file:"top_k"`
	TopP           *float32 `key:"top_p" default:"0.95" min:"0" max:"1" file:"top_p"`
	MinP           *float32 `key:"min_p" default:"0.05" min:"0" max:"1" file:"min_p"`
	TypicalP       *float32 `key:"typical_p" default:"1" min:"0" max:"1"`
	XTCProbability *float32 `key:"xtc_probability" default:"0" min:"0" max:"1" file:"xtc_probability"`
	XTCThreshold   *float32 `key:"xtc_threshold" default:"0.1" min:"0" max:"1" file:"xtc_threshold"`
	RepeatPenalty  *float32 `key:"repeat_penalty" default:"1" over:"0" file:"penalty_repeat"`
	// tokens looked back at; -1: the whole context
	RepeatLastN      *int     `key:"repeat_last_n" default:"64" min:"-1" file:"penalty_last_n"`
	PresencePenalty  *float32 `key:"presence_penalty" default:"0"`
	FrequencyPenalty *float32 `key:"frequency_penalty" default:"0"`
	DRYMultiplier    *float32 `key:"dry_multiplier" default:"0" min:"0"`
	DRYBase          *float32 `key:"dry_base" default:"1.75" min:"0"`
	DRYAllowedLength *int     `key:"dry_allowed_length" default:"2" min:"0"`
	DRYPenaltyLastN  *int     `key:"dry_penalty_last_n" default:"64" min:"-1"`
	DRYBreakers      []string // where a repeated sequence may not begin or end
	// 0: off, 1, 2
	Mirostat    *int              `key:"mirostat" default:"0" min:"0" max:"2" file:"mirostat"`
	MirostatTau *float32          `key:"mirostat_tau" default:"5" min:"0" file:"mirostat_tau"`
	MirostatEta *float32          `key:"mirostat_eta" default:"0.1" min:"0" file:"mirostat_eta"`
	Seed        *uint32           // drawn for each turn where it is unset
	LogitBias   map[int32]float32 // added to a token's logit; -Inf forbids it
}

// SamplingField is a row of the table of sampling fields: a field of [Sampling] that is one
// number.
type SamplingField struct {
	Name     string // the Go field's
	Key      string // in llama-server's requests
	File     string // in a model file, behind general.sampling.; "": files do not set it
	Whole    bool   // a whole number
	Default  float64
	Min, Max float64 // infinite: no bound
	Above    bool    // Min itself is out of the range
}

// SamplingFields is the table, in the order of the fields.
var SamplingFields = samplingFields()

func samplingFields() []SamplingField {
	var rows []SamplingField
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Sampling]()) {
		if f.Tag.Get("key") == "" {
			continue
		}
		number := func(tag string, absent float64) float64 {
			if v, err := strconv.ParseFloat(f.Tag.Get(tag), 64); err == nil {
				return v
			}
			return absent
		}
		_, above := f.Tag.Lookup("over")
		rows = append(rows, SamplingField{
			Name: f.Name, Key: f.Tag.Get("key"), File: f.Tag.Get("file"), Whole: f.Type == reflect.TypeFor[*int](),
			Default: number("default", 0), Min: number("min", number("over", math.Inf(-1))), Max: number("max", math.Inf(1)), Above: above,
		})
	}
	return rows
}

// Set sets the field in s; of a whole number it cuts off what stands behind the point.
func (f SamplingField) Set(s *Sampling, v float64) {
	to := reflect.ValueOf(s).Elem().FieldByName(f.Name)
	value := reflect.New(to.Type().Elem())
	value.Elem().Set(reflect.ValueOf(v).Convert(to.Type().Elem()))
	to.Set(value)
}

// Get is the field's value in s, with no more digits than tell it; false says that it is unset.
func (f SamplingField) Get(s Sampling) (float64, bool) {
	v := reflect.ValueOf(s).FieldByName(f.Name)
	if v.IsNil() {
		return 0, false
	}
	if f.Whole {
		return float64(v.Elem().Int()), true
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v.Elem().Float(), 'g', -1, 32), 64)
	return short, err == nil // what was formatted can be read
}

// Or returns s with its unset fields taken from d.
func (s Sampling) Or(d Sampling) Sampling {
	to, from := reflect.ValueOf(&s).Elem(), reflect.ValueOf(d)
	for i := range to.NumField() {
		if to.Field(i).IsNil() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return s
}
