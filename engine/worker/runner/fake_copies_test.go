package runner

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"tenon/engine/worker/schedule"
)

// fakeData is a copy that may be given up only once.
type fakeData struct {
	bytes   []byte
	freed   bool
	writing chan struct{}
}

func (d *fakeData) Size() int { return len(d.bytes) }
func (d *fakeData) Free() {
	if d.freed {
		panic("a copy was given up twice")
	}
	d.freed = true
}

func (d *fakeData) WriteTo(w io.Writer) (int64, error) {
	if d.writing != nil {
		<-d.writing
	}
	if d.freed {
		panic("a copy is written that was given up")
	}
	n, err := w.Write(d.bytes)
	return int64(n), err
}

func (f *fakeModel) Load(r io.Reader, size int64) (schedule.Data, error) {
	if f.loading != nil {
		<-f.loading
	}
	data := make([]byte, size)
	_, err := io.ReadFull(r, data)
	return &fakeData{bytes: data}, err
}

func (f *fakeModel) Save(sequence, from, to int) (Data, error) {
	var data []byte
	for _, c := range f.memory[sequence][from:to] {
		data = binary.AppendVarint(data, int64(c.token))
	}
	f.saved.Add(1)
	f.out += to - from
	return &fakeData{bytes: data, writing: f.writing}, nil
}

func (f *fakeModel) Restore(sequence int, s Saved) error {
	f.begin()
	if len(f.memory[sequence]) != s.From || f.used()+s.Last-s.First > f.cells {
		return fmt.Errorf("restore %d to %d after %d tokens", s.From, s.To, len(f.memory[sequence]))
	}
	if f.refuses {
		return errors.New("refused")
	}
	held := s.Data.(*fakeData)
	if held.freed {
		return errors.New("the copy was given up")
	}
	f.in += s.To - s.From
	data := held.bytes
	for pos := s.First; pos < s.Last; pos++ {
		token, n := binary.Varint(data)
		data = data[n:]
		if f.next++; pos >= s.From && pos < s.To {
			f.memory[sequence] = append(f.memory[sequence], fakeCell{int32(token), f.next})
		}
	}
	return nil
}

// fakeWindow is how far back a fake with a sliding window can go.
const fakeWindow = 8
