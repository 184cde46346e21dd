package wire

import (
	"cmp"
	"math"
	"net/http"
	"strconv"

	"tenon/server/chat"
)

// statuses are those of the kinds of errors, in every protocol; others are 500.
var statuses = map[chat.ErrorKind]int{
	chat.Invalid: http.StatusBadRequest, chat.TooLong: http.StatusBadRequest, chat.NotSupportedHere: http.StatusBadRequest,
	chat.TooLarge: http.StatusRequestEntityTooLarge, chat.NotFound: http.StatusNotFound, chat.NoRoute: http.StatusNotFound,
	chat.NoMethod: http.StatusMethodNotAllowed, chat.Unauthorized: http.StatusUnauthorized, chat.Forbidden: http.StatusForbidden,
	chat.Busy: http.StatusTooManyRequests, chat.Unavailable: http.StatusServiceUnavailable, chat.ClientGone: StatusClientClosed,
}

// Status is the HTTP status of a kind of error.
func Status(k chat.ErrorKind) int { return cmp.Or(statuses[k], http.StatusInternalServerError) }

// StatusClientClosed is nginx's code for a client that left before its answer; only logs and
// metrics see it.
const StatusClientClosed = 499

// RetryAfter says when to come back, if the error knows.
func RetryAfter(w http.ResponseWriter, e *chat.Error) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
}
