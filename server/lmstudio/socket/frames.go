package socket

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"tenon/server/chat"
	"tenon/server/lmstudio"
)

// clientFrame is any frame that a client sends.
type clientFrame struct {
	Type              string          `json:"type"`
	Endpoint          string          `json:"endpoint"`
	ChannelID         int             `json:"channelId"`
	CallID            int             `json:"callId"`
	SubscribeID       int             `json:"subscribeId"`
	CreationParameter json.RawMessage `json:"creationParameter"`
	Parameter         json.RawMessage `json:"parameter"`
	Message           json.RawMessage `json:"message"`
	Warning           string          `json:"warning"`
	Kind              string          `json:"kind"`
}

// serverFrame is any frame that the server sends; Type says which members it has.
type serverFrame struct {
	Type        string `json:"type"`
	ChannelID   *int   `json:"channelId,omitempty"`
	CallID      *int   `json:"callId,omitempty"`
	SubscribeID *int   `json:"subscribeId,omitempty"`
	Message     packet `json:"message,omitempty"`
	// absent for void: null would never settle the call
	Result  any        `json:"result,omitempty"`
	Error   *wireError `json:"error,omitempty"`
	Warning string     `json:"warning,omitempty"`
}

// packet is what a channel sends, or a call's result, by the members' names.
type packet map[string]any

// wireError is an error as the SDKs show it: title, or for a failed call rootTitle.
type wireError struct {
	Title     string `json:"title"`
	RootTitle string `json:"rootTitle"`
	Stack     string `json:"stack,omitempty"`
	// decides the class of Python's exception
	DisplayData packet `json:"displayData,omitempty"`
}

// shownError is an error with data that decides its class in Python's SDK, and its text in that of
// JavaScript.
type shownError struct {
	title string
	data  packet
}

func (e *shownError) Error() string { return e.title }

const mostSamples = 10 // names that an error lists

// noModel says that nothing that is loaded matches (LMStudioModelNotFoundError). title is why; ""
// says it in general.
func (c *conn) noModel(q query, title string) error {
	loaded, sample := c.server.Models.Loaded(), []string{}
	for _, i := range loaded[:min(len(loaded), mostSamples)] {
		sample = append(sample, i.ID)
	}
	if name := cmp.Or(q.Identifier, q.Path); title == "" && name != "" {
		title = fmt.Sprintf("no loaded model matches %q", name)
	}
	title = cmp.Or(title, "no model is loaded")
	return &shownError{title, packet{"code": "generic.noModelMatchingQuery", "query": q, "loadedModelsSample": sample, "totalLoadedModels": len(loaded)}}
}

// noPreset says that there is no preset of a name (LMStudioPresetNotFoundError).
func noPreset(name string) error {
	return &shownError{
		fmt.Sprintf("there is no preset %q: presets of the app are not served; send the settings themselves", name),
		packet{"code": "generic.presetNotFound", "specifiedFuzzyPresetIdentifier": name, "availablePresetsSample": []string{}, "totalAvailablePresets": 0},
	}
}

// mismatch says that a model embeds where a chat model is needed, or the other way round.
func (c *conn) mismatch(m lmstudio.Model) error {
	return &shownError{
		fmt.Sprintf("%s is a model of the kind %s, not %s", m.ID, m.Kind(), c.ns),
		packet{"code": "generic.domainMismatch", "path": m.File(), "actualDomain": m.Kind(), "expectedDomain": string(c.ns)},
	}
}

// encodeError writes any error. What is not served at all has the SDKs' data for that; they show
// it and keep the title.
func (c *conn) encodeError(err error) *wireError {
	var shown *shownError
	if !errors.As(err, &shown) {
		shown = &shownError{title: chat.AsError(err).Error()}
		if chat.AsError(err).Kind == chat.NotSupportedHere {
			shown.data = packet{
				"code": "generic.engineDoesNotSupportFeature", "feature": shown.title,
				"engineName": "tenon", "engineType": "llama.cpp", "installedVersion": c.server.Version, "supportedVersion": nil,
			}
		}
	}
	return &wireError{Title: shown.title, RootTitle: shown.title, DisplayData: shown.data}
}
