package responses

import (
	"cmp"
	"net/http"

	"tenon/server/chat"
	"tenon/server/wire"
)

// failure is the code of a stream that failed: one of those that Codex acts on.
func failure(e *chat.Error) string {
	kinds := map[chat.ErrorKind]string{
		chat.Invalid: "invalid_prompt", chat.NotSupportedHere: "invalid_prompt", chat.TooLong: "context_length_exceeded",
		chat.Busy: "rate_limit_exceeded",
	}
	return cmp.Or(e.Code, kinds[e.Kind], "server_error")
}

func writeError(w http.ResponseWriter, err error) { wire.WriteOpenAIError(w, wire.OfInput(err)) }
