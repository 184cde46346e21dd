// Package sseread reads server-sent events (WHATWG HTML, section 9.2), as upstreams and tenon
// itself send them.
package sseread

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// mostEvent bounds an event of a stream, in bytes.
const mostEvent = 16 << 20

var errLongEvent = errors.New("an event of the stream is too long")

// Reader reads the names and data of a stream's events. What is neither is passed over.
type Reader struct {
	lines *bufio.Reader
	data  []byte
}

// NewReader reads a stream.
func NewReader(r io.Reader) *Reader { return &Reader{lines: bufio.NewReader(r)} }

// Next returns the next event that has data; that is valid until the next call. An event that the
// end of the stream cuts off is none: the error is io.ErrUnexpectedEOF then, else io.EOF.
func (e *Reader) Next() (name string, data []byte, err error) {
	e.data = e.data[:0]
	some := false
	for {
		line, err := e.line()
		if err != nil {
			if errors.Is(err, io.EOF) && (some || len(line) > 0) {
				err = io.ErrUnexpectedEOF
			}
			return "", nil, err
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0 && some:
			return name, e.data, nil
		case len(line) == 0:
			name = ""
		case string(field) == "event":
			name = string(value)
		case string(field) == "data":
			if some {
				e.data = append(e.data, '\n')
			}
			if e.data, some = append(e.data, value...), true; len(e.data) > mostEvent {
				return "", nil, errLongEvent
			}
		}
	}
}

// line reads a line without its line end. At the stream's end it returns the unfinished rest.
func (e *Reader) line() (line []byte, err error) {
	for {
		part, err := e.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		case len(line) > mostEvent:
			return nil, fmt.Errorf("%w: %d bytes", errLongEvent, len(line))
		}
	}
}
