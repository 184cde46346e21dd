package socket

import "encoding/json"

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

// authFrame is a client's first frame.
type authFrame struct {
	AuthVersion      int    `json:"authVersion"`
	ClientIdentifier string `json:"clientIdentifier"`
	ClientPasskey    string `json:"clientPasskey"`
}

// serverFrame is any frame that the server sends; Type says which members it has.
type serverFrame struct {
	Type        string     `json:"type"`
	ChannelID   *int       `json:"channelId,omitempty"`
	CallID      *int       `json:"callId,omitempty"`
	SubscribeID *int       `json:"subscribeId,omitempty"`
	Message     packet     `json:"message,omitempty"`
	Result      any        `json:"result,omitempty"` // absent for void: null would never settle the call
	Error       *wireError `json:"error,omitempty"`
	Warning     string     `json:"warning,omitempty"`
}

// packet is what a channel sends, or a call's result, by the members' names.
type packet map[string]any

// wireError is an error as the SDKs show it: title, suggestion and cause, or for a failed call
// rootTitle.
type wireError struct {
	Title       string `json:"title"`
	RootTitle   string `json:"rootTitle"`
	Cause       string `json:"cause,omitempty"`
	Stack       string `json:"stack,omitempty"`
	DisplayData any    `json:"displayData,omitempty"` // decides the class of Python's exception
}
