//go:build cgo

package native

import (
	"encoding/binary"
	"fmt"
	"io"

	"tenon/engine"
	"tenon/engine/llama"
	"tenon/engine/worker/runner"
	"tenon/engine/worker/schedule"
)

// Parts of sequences are copied out and in by way of a sequence that the runner does not know of:
// llama.cpp saves and restores whole ones. Of those of a model with a sliding window it leaves out
// (since v0.5.0) what the window has passed at the sequence's end, but a turn may go on from any
// place in between. So they are saved in pieces that no window passes: each ends at a multiple of
// the window. Memory that cannot be cut is saved and restored whole.

// pieces is a copy, in llama.cpp's memory.
type pieces [][]byte

// Size implements schedule.Data.
func (p pieces) Size() (bytes int) {
	for _, piece := range p {
		bytes += len(piece)
	}
	return bytes
}

// Free implements schedule.Data.
func (p pieces) Free() {
	for _, piece := range p {
		llama.Free(piece)
	}
}

// WriteTo implements runner.Data: before each piece stands its length.
func (p pieces) WriteTo(w io.Writer) (n int64, err error) {
	for _, piece := range p {
		if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(piece)))); err != nil {
			return n, err
		}
		m, err := w.Write(piece)
		if n += 8 + int64(m); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Load implements runner.Backend.
func (b *backend) Load(r io.Reader, size int64) (schedule.Data, error) {
	var all pieces
	for size > 0 {
		var length uint64
		err := binary.Read(r, binary.LittleEndian, &length)
		if size -= 8; err == nil && (size < 0 || length == 0 || length > uint64(size)) {
			err = fmt.Errorf("a piece of %d bytes, where %d are left", length, size)
		}
		var piece []byte
		if err == nil {
			piece, err = llama.Alloc(int(length))
		}
		if err == nil {
			all = append(all, piece)
			_, err = io.ReadFull(r, piece)
		}
		if err != nil {
			all.Free()
			return nil, err
		}
		size -= int64(length)
	}
	return all, nil
}

func (b *backend) rewindable() bool { return b.info.Rewind == engine.RewindAny }

func (b *backend) Save(sequence, from, end int) (runner.Data, error) {
	if !b.rewindable() {
		piece, err := b.context.Save(sequence)
		return pieces{piece}, err
	}
	var all pieces
	for from < end {
		to := b.pieceEnd(from, end)
		piece, err := b.savePiece(sequence, from, to)
		if err != nil {
			all.Free()
			return nil, err
		}
		all, from = append(all, piece), to
	}
	return all, nil
}

func (b *backend) savePiece(sequence, from, to int) ([]byte, error) {
	defer b.context.Cut(b.scratch(), 0)
	if err := b.context.Append(sequence, b.scratch(), from, to); err != nil {
		return nil, err
	}
	return b.context.Save(b.scratch())
}

// pieceEnd is where a piece ends that begins at a position.
func (b *backend) pieceEnd(from, end int) int {
	if w := b.model.SlidingWindow(); w > 0 {
		return min(end, from-from%w+w)
	}
	return end
}

func (b *backend) scratch() int { return b.context.Options().Sequences - 1 }

func (b *backend) Restore(sequence int, s runner.Saved) error {
	if !b.rewindable() {
		return b.context.Restore(sequence, s.Data.(pieces)[0], s.Last)
	}
	from := s.First
	for _, piece := range s.Data.(pieces) { // Save has made it, or Load
		to := b.pieceEnd(from, s.Last)
		if to > s.From && from < s.To {
			if err := b.restorePiece(sequence, piece, runner.Saved{Last: to, From: max(from, s.From), To: min(to, s.To)}); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

func (b *backend) restorePiece(sequence int, piece []byte, s runner.Saved) error {
	defer b.context.Cut(b.scratch(), 0)
	if err := b.context.Restore(b.scratch(), piece, s.Last); err != nil {
		return err
	}
	return b.context.Append(b.scratch(), sequence, s.From, s.To)
}
