package streamtest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Check reads a stream as every client of the path's protocol does. Paths without a protocol of
// their own are in order.
func Check(path, stream string) error {
	for _, read := range readers(path) {
		if err := read(stream); err != nil {
			return err
		}
	}
	return nil
}

func readers(path string) []func(string) error {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return []func(string) error{Chat}
	case strings.HasSuffix(path, "/messages"):
		return []func(string) error{Messages}
	case strings.HasSuffix(path, "/responses"):
		return []func(string) error{Responses, Codex}
	}
	return nil
}

// event is one event of a stream: its name, if it has one, and its data.
type event struct{ name, data string }

// events splits a stream (WHATWG HTML, section 9.2). It takes what the server may write and no
// more: each event has one line of data, and each ends with an empty line.
func events(stream string) ([]event, error) {
	var all []event
	for i, block := range strings.SplitAfter(stream, "\n\n") {
		if block == "" {
			continue
		}
		if !strings.HasSuffix(block, "\n\n") {
			return nil, fmt.Errorf("event %d is cut off: %q", i, block)
		}
		e, err := parse(strings.TrimSuffix(block, "\n\n"))
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
		if e.data != "" {
			all = append(all, e)
		}
	}
	return all, nil
}

func parse(block string) (event, error) {
	var e event
	for line := range strings.SplitSeq(block, "\n") {
		field, value, _ := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, ":"): // a comment
		case field == "event" && e.name == "":
			e.name = value
		case field == "data" && e.data == "":
			e.data = value
		default:
			return e, fmt.Errorf("unexpected line %q", line)
		}
	}
	return e, nil
}

// decode reads data into v. Fields that v does not have are passed over, as clients do.
func (e event) decode(v any) error {
	if err := json.Unmarshal([]byte(e.data), v); err != nil {
		return fmt.Errorf("%s %s: %w", e.name, e.data, err)
	}
	return nil
}
