package remote

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

// events reads the data of a stream of server-sent events. What is no data is passed over.
type events struct {
	lines *bufio.Reader
	data  []byte
}

func newEvents(r io.Reader) *events { return &events{lines: bufio.NewReader(r)} }

// next returns the data of the next event; it is valid until the next call. An event that the end
// of the stream cuts off is none: the error is io.ErrUnexpectedEOF then, else io.EOF.
func (e *events) next() ([]byte, error) {
	e.data = e.data[:0]
	some := false
	for {
		line, err := e.line()
		if err != nil {
			if errors.Is(err, io.EOF) && (some || len(line) > 0) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if len(line) == 0 {
			if some {
				return e.data, nil
			}
			continue
		}
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		if some {
			e.data = append(e.data, '\n')
		}
		if e.data, some = append(e.data, bytes.TrimPrefix(data, []byte(" "))...), true; len(e.data) > mostEvent {
			return nil, errLongEvent
		}
	}
}

// line reads a line without its end; of one that the stream's end cuts off, what there is of it.
func (e *events) line() (line []byte, err error) {
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
