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

// authAnswer answers it. Error is a text: the JS SDK reads nothing else.
type authAnswer struct {
	Success bool   `json:"success"`
	Error   string `json:"error,omitempty"`
}

// The frames that the server sends.
type (
	channelSend struct {
		Type      string `json:"type"` // "channelSend"
		ChannelID int    `json:"channelId"`
		Message   any    `json:"message"`
	}
	channelClose struct {
		Type      string `json:"type"` // "channelClose"
		ChannelID int    `json:"channelId"`
	}
	channelError struct {
		Type      string    `json:"type"` // "channelError"
		ChannelID int       `json:"channelId"`
		Error     wireError `json:"error"`
	}
	rpcResult struct {
		Type   string `json:"type"` // "rpcResult"
		CallID int    `json:"callId"`
		Result any    `json:"result,omitempty"` // absent for void: null would never settle the call
	}
	rpcError struct {
		Type   string    `json:"type"` // "rpcError"
		CallID int       `json:"callId"`
		Error  wireError `json:"error"`
	}
	signalError struct {
		Type        string    `json:"type"` // "signalError", "writableSignalError"
		SubscribeID int       `json:"subscribeId"`
		Error       wireError `json:"error"`
	}
	keepAliveAck struct {
		Type string `json:"type"` // "keepAliveAck"
	}
	communicationWarning struct {
		Type    string `json:"type"` // "communicationWarning"
		Warning string `json:"warning"`
	}
)

// wireError is an error as the SDKs show it: title, suggestion and cause, or for a failed call
// rootTitle.
type wireError struct {
	Title       string `json:"title"`
	RootTitle   string `json:"rootTitle"`
	Cause       string `json:"cause,omitempty"`
	Stack       string `json:"stack,omitempty"`
	DisplayData any    `json:"displayData,omitempty"` // decides the class of Python's exception
}
