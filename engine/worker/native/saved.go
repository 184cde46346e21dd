//go:build cgo

package native

import (
	"encoding/binary"
	"errors"

	"tenon/engine/llama"
	"tenon/engine/worker/runner"
)

// Parts of sequences are copied out and in by way of a sequence that the runner does not know of:
// llama.cpp saves and restores whole ones. Of those of a model with a sliding window it leaves out
// (since v0.5.0) what the window has passed at the sequence's end, but a turn may go on from any
// place in between. So they are saved in pieces that no window passes: each ends at a multiple of
// the window. A copy is its pieces, each behind its length in 8 bytes.

func (b *backend) Save(sequence, from int) ([]byte, error) {
	var data []byte
	for end := b.context.MaxPosition(sequence) + 1; from < end; {
		to, begin := b.pieceEnd(from, end), len(data)
		var err error
		if data, err = b.savePiece(append(data, make([]byte, 8)...), sequence, from, to); err != nil {
			return nil, err
		}
		binary.LittleEndian.PutUint64(data[begin:], uint64(len(data)-begin-8))
		from = to
	}
	return data, nil
}

func (b *backend) savePiece(data []byte, sequence, from, to int) ([]byte, error) {
	defer b.context.Cut(b.scratch(), 0)
	if err := b.context.Append(sequence, b.scratch(), from, to); err != nil {
		return nil, err
	}
	return b.context.Save(data, b.scratch(), llama.Whole)
}

// pieceEnd is where a piece ends that begins at a position.
func (b *backend) pieceEnd(from, end int) int {
	if w := b.model.SlidingWindow(); w > 0 {
		return min(end, from-from%w+w)
	}
	return end
}

func (b *backend) scratch() int { return b.context.Options().Sequences - 1 }

var errDamagedCopy = errors.New("the copy of a sequence is damaged")

func (b *backend) Restore(sequence int, s runner.Saved) error {
	data := s.Data
	for from := s.First; from < s.To; {
		to := b.pieceEnd(from, s.Last)
		if len(data) < 8 || uint64(len(data)-8) < binary.LittleEndian.Uint64(data) {
			return errDamagedCopy
		}
		n := binary.LittleEndian.Uint64(data)
		piece := data[8 : 8+n]
		data = data[8+n:]
		if to > s.From {
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
	if err := b.context.Restore(b.scratch(), llama.Whole, piece, s.Last); err != nil {
		return err
	}
	return b.context.Append(b.scratch(), sequence, s.From, s.To)
}
