package engine

import (
	"math"
	"reflect"
	"strconv"
)

// Sampling says how tokens are chosen. Nil and empty fields are unset: the file's
// general.sampling.* decide, else llama-server's defaults. Names and meanings are llama-server's.
type Sampling struct {
	Numbers
	DRYBreakers []string          // where a repeated sequence may not begin or end
	Seed        *uint32           // drawn for each turn where it is unset
	LogitBias   map[int32]float32 // added to a token's logit; -Inf forbids it
}

// Numbers are the fields of a [Sampling] that are one number; nil: unset.
type Numbers = SamplingNumbers[*float32, *int]

// SamplingNumbers is the table of sampling fields, one row each. Settings and request bodies
// embed it. Tags: json is the request's name, which is llama-server's; flag is the command
// line's, with its help; file is the model file's, behind general.sampling.; min and max are
// bounds, over is a bound that is itself not allowed; window marks the tokens looked back at.
// [SamplingFields] are the rows as values.
type SamplingNumbers[Real, Whole any] struct {
	Temperature      Real  `json:"temperature" flag:"temp" default:"0.8" min:"0" file:"temp" help:"temperature, where neither the request nor the model file sets it; of sampling, upstreams (remote) are told what was set, and have defaults of their own"`
	TopK             Whole `json:"top_k" flag:"top-k" default:"40" min:"-1" file:"top_k" help:"keep the k likeliest tokens; 0 or -1: all"`
	TopP             Real  `json:"top_p" flag:"top-p" default:"0.95" min:"0" max:"1" file:"top_p" help:"keep the likeliest tokens that make up this share; 1: all"`
	MinP             Real  `json:"min_p" flag:"min-p" default:"0.05" min:"0" max:"1" file:"min_p" help:"drop tokens less likely than this share of the likeliest; 0: none"`
	RepeatPenalty    Real  `json:"repeat_penalty" flag:"repeat-penalty" default:"1" over:"0" file:"penalty_repeat" help:"penalty for repeated tokens; 1: none"`
	RepeatLastN      Whole `json:"repeat_last_n" flag:"repeat-last-n" default:"64" min:"-1" window:"yes" file:"penalty_last_n" help:"tokens the repeat penalty looks back at; -1: all"`
	PresencePenalty  Real  `json:"presence_penalty" flag:"presence-penalty" default:"0" help:"penalty for tokens that have appeared"`
	FrequencyPenalty Real  `json:"frequency_penalty" flag:"frequency-penalty" default:"0" help:"penalty for each time a token has appeared"`
	TypicalP         Real  `json:"typical_p" flag:"typical" default:"1" min:"0" max:"1" help:"locally typical sampling: keep this share; 1: all"`
	XTCProbability   Real  `json:"xtc_probability" flag:"xtc-probability" default:"0" min:"0" max:"1" file:"xtc_probability" help:"how often the likeliest tokens but one are dropped (XTC); 0: never"`
	XTCThreshold     Real  `json:"xtc_threshold" flag:"xtc-threshold" default:"0.1" min:"0" max:"1" file:"xtc_threshold" help:"how likely a token must be for XTC to drop it"`
	DRYMultiplier    Real  `json:"dry_multiplier" flag:"dry-multiplier" default:"0" min:"0" help:"penalty for going on with a sequence that was there before (DRY); 0: none"`
	DRYBase          Real  `json:"dry_base" flag:"dry-base" default:"1.75" min:"0" help:"DRY's penalty grows by this with each token of the sequence"`
	DRYAllowedLength Whole `json:"dry_allowed_length" flag:"dry-allowed-length" default:"2" min:"0" help:"longest sequence, in tokens, that DRY lets be repeated"`
	DRYPenaltyLastN  Whole `json:"dry_penalty_last_n" flag:"dry-penalty-last-n" default:"64" min:"-1" window:"yes" help:"tokens DRY looks back at; -1: all"`
	Mirostat         Whole `json:"mirostat" flag:"mirostat" default:"0" min:"0" max:"2" file:"mirostat" help:"Mirostat in place of top-k, top-p and the like: 1 or 2, its version; 0: off"`
	MirostatEta      Real  `json:"mirostat_eta" flag:"mirostat-lr" default:"0.1" min:"0" file:"mirostat_eta" help:"Mirostat's learning rate"`
	MirostatTau      Real  `json:"mirostat_tau" flag:"mirostat-ent" default:"5" min:"0" file:"mirostat_tau" help:"entropy that Mirostat aims at"`
}

// SamplingField is a row of the table of sampling fields: a field of [Sampling] that is one
// number.
type SamplingField struct {
	Name     string // the Go field's
	Key      string // in llama-server's requests
	Flag     string // that sets it for all requests
	File     string // in a model file, behind general.sampling.; "": files do not set it
	Whole    bool   // a whole number
	Window   bool   // of tokens looked back at; -1: all
	Default  float64
	Min, Max float64 // infinite: no bound
	Above    bool    // Min itself is out of the range
}

// SamplingFields is the table, in the order of the fields.
var SamplingFields = samplingFields()

func samplingFields() []SamplingField {
	var rows []SamplingField
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Sampling]()) {
		if f.Tag.Get("flag") == "" {
			continue
		}
		number := func(tag string, absent float64) float64 {
			if v, err := strconv.ParseFloat(f.Tag.Get(tag), 64); err == nil {
				return v
			}
			return absent
		}
		_, above := f.Tag.Lookup("over")
		_, window := f.Tag.Lookup("window")
		rows = append(rows, SamplingField{
			Name: f.Name, Key: f.Tag.Get("json"), Flag: f.Tag.Get("flag"), File: f.Tag.Get("file"), Whole: f.Type == reflect.TypeFor[*int](), Window: window,
			Default: number("default", 0), Min: number("min", number("over", math.Inf(-1))), Max: number("max", math.Inf(1)), Above: above,
		})
	}
	return rows
}

// Takes says whether a number is one that the field may have.
func (f SamplingField) Takes(v float64) bool {
	above := v > f.Min || v == f.Min && !f.Above
	return above && v <= f.Max && !math.IsInf(v, 0) && (!f.Whole || v == math.Trunc(v))
}

// Set sets the field in s; of a whole number it cuts off what stands behind the point, and what
// has no room in 32 bits.
func (f SamplingField) Set(s *Sampling, v float64) {
	if f.Whole {
		v = max(min(v, math.MaxInt32), math.MinInt32)
	}
	to := reflect.ValueOf(s).Elem().FieldByName(f.Name)
	value := reflect.New(to.Type().Elem())
	value.Elem().Set(reflect.ValueOf(v).Convert(to.Type().Elem()))
	to.Set(value)
}

// Get returns the field's value in s, rounded to the fewest digits that give the same float32;
// false says that it is unset.
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
	fill(reflect.ValueOf(&s).Elem(), reflect.ValueOf(d))
	return s
}

func fill(to, from reflect.Value) {
	for i := range to.NumField() {
		switch f := to.Field(i); {
		case f.Kind() == reflect.Struct:
			fill(f, from.Field(i))
		case f.IsNil():
			f.Set(from.Field(i))
		}
	}
}
