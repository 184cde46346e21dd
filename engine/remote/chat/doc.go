// Package chat writes turns for upstreams that render conversations and parse calls by themselves,
// and reads their answers. It knows no network: package remote sends what it writes.
//
//	body := chat.Completions.Body(chat.Turn{…})        // what is sent
//	piece, err := chat.Completions.Read(data, &calls)  // of each event of the answer
//	tokens, err := calls.Tokens(limited)               // behind the last
//
// completions.go is OpenAI's chat completions, messages.go Anthropic's messages. Another API is
// another file and its [API].
//
// Text and thinking are pieces that leave at once. Calls are gathered until the answer ends: until
// then another piece of one may come, or the whole once more (calls.go). Which version of one was
// taken, and what was left out, stands in the notes of [Calls], for the turn's trace. Nothing here
// is validated but the form: the server does that.
package chat
