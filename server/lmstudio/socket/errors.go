package socket

import (
	"errors"
	"fmt"

	"tenon/server/chat"
)

// noModel says that no loaded model matches a query. Python's SDK raises
// LMStudioModelNotFoundError for it.
type noModel struct {
	Code   string   `json:"code"` // "generic.noModelMatchingQuery"
	Query  query    `json:"query"`
	Sample []string `json:"loadedModelsSample"`
	Total  int      `json:"totalLoadedModels"`
}

// noPreset says that there is no preset of a name. Python's SDK raises
// LMStudioPresetNotFoundError for it.
type noPreset struct {
	Code   string   `json:"code"` // "generic.presetNotFound"
	Name   string   `json:"specifiedFuzzyPresetIdentifier"`
	Sample []preset `json:"availablePresetsSample"`
	Total  int      `json:"totalAvailablePresets"`
}

type preset struct {
	Identifier string `json:"identifier"`
	Name       string `json:"name"`
}

// domainMismatch says that a model embeds where a chat model is needed, or the other way round.
type domainMismatch struct {
	Code     string `json:"code"` // "generic.domainMismatch"
	Path     string `json:"path"`
	Actual   string `json:"actualDomain"`
	Expected string `json:"expectedDomain"`
}

// shownError is an error with data for the SDK's own class of it.
type shownError struct {
	title string
	data  any
}

func (e *shownError) Error() string { return e.title }

// unserved is the error for a part of LM Studio that is not here.
func unserved(what, instead string) error {
	return &chat.Error{Kind: chat.NotSupportedHere, Message: what + " are not served: " + instead}
}

const mostSamples = 10 // names that an error lists

// noModel says that nothing that is loaded matches. title is why; "" says it in general.
func (c *conn) noModel(q query, title string) error {
	e := noModel{Code: "generic.noModelMatchingQuery", Query: q, Sample: []string{}}
	for _, i := range c.server.Models.Loaded() {
		if e.Total++; len(e.Sample) < mostSamples {
			e.Sample = append(e.Sample, i.ID)
		}
	}
	switch {
	case title != "":
	case q.Identifier+q.Path != "":
		title = fmt.Sprintf("no loaded model matches %q", q.Identifier+q.Path)
	default:
		title = "no model is loaded"
	}
	return &shownError{title: title, data: e}
}

func noPresetCalled(name string) error {
	return &shownError{
		title: fmt.Sprintf("there is no preset %q: presets of the app are not served; send the settings themselves", name),
		data:  noPreset{Code: "generic.presetNotFound", Name: name, Sample: []preset{}},
	}
}

// encodeError writes any error. The stack is a text of no stack: without one the SDKs say that
// there is none.
func encodeError(err error) *wireError {
	var shown *shownError
	if errors.As(err, &shown) {
		return &wireError{Title: shown.title, RootTitle: shown.title, DisplayData: shown.data}
	}
	title := chat.AsError(err).Error()
	return &wireError{Title: title, RootTitle: title}
}
