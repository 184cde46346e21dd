package disk

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// A file is a preamble of fixed length, an Entry as JSON, and the data. The preamble is written
// last: it tells the lengths and the checksums of the rest, and ends with its own.

// magic is what a file begins with, and the format's version.
var magic = [8]byte{'t', 'e', 'n', 'o', 'n', 'k', 'v', '1'}

// longestEntry bounds what is read on the word of a preamble.
const longestEntry = 64 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type preamble struct {
	Magic    [8]byte
	Entry    uint32 // bytes
	EntrySum uint32
	Data     uint64 // bytes
	DataSum  uint32
	Sum      uint32 // of all before it
}

var preambleSize = binary.Size(preamble{})

// Entry says what a file holds the cells of.
type Entry struct {
	Fingerprint string
	Tokens      []int32 // of the sequence, from its beginning
	Start       int     // the first token whose cell is there
	Whole       bool    // as of a schedule.Copy
}

// storedEntry has the tokens as little-endian bytes: as a JSON list they take twice the room.
type storedEntry struct {
	Fingerprint string
	Tokens      []byte
	Start       int
	Whole       bool
}

func encodeEntry(e Entry) ([]byte, error) {
	s := storedEntry{Fingerprint: e.Fingerprint, Start: e.Start, Whole: e.Whole}
	for _, id := range e.Tokens {
		s.Tokens = binary.LittleEndian.AppendUint32(s.Tokens, uint32(id))
	}
	return json.Marshal(s)
}

func decodeEntry(text []byte) (Entry, error) {
	var s storedEntry
	if err := json.Unmarshal(text, &s); err != nil {
		return Entry{}, err
	}
	e := Entry{Fingerprint: s.Fingerprint, Tokens: make([]int32, len(s.Tokens)/4), Start: s.Start, Whole: s.Whole}
	for i := range e.Tokens {
		e.Tokens[i] = int32(binary.LittleEndian.Uint32(s.Tokens[4*i:]))
	}
	if e.Start < 0 || e.Start >= len(e.Tokens) || e.Whole && e.Start > 0 {
		return Entry{}, fmt.Errorf("cells from %d on of %d tokens", e.Start, len(e.Tokens))
	}
	return e, nil
}

// write writes a file: what data writes is its data.
func write(w io.WriteSeeker, e Entry, data func(io.Writer) error) (p preamble, err error) {
	text, err := encodeEntry(e)
	if err != nil {
		return p, err
	}
	if _, err := w.Seek(int64(preambleSize), io.SeekStart); err != nil {
		return p, err
	}
	if _, err := w.Write(text); err != nil {
		return p, err
	}
	c := &counter{w: w}
	if err := data(c); err != nil {
		return p, err
	}
	if _, err := w.Seek(0, io.SeekStart); err != nil {
		return p, err
	}
	p = preamble{Magic: magic, Entry: uint32(len(text)), EntrySum: crc32.Checksum(text, castagnoli), Data: c.bytes, DataSum: c.sum}
	_, err = w.Write(p.encode())
	return p, err
}

// Overhead is about what a file takes beside its data, for so many tokens.
func Overhead(tokens int) int { return 6*tokens + 512 }

// size is how many bytes the file has.
func (p preamble) size() int64 { return int64(preambleSize) + int64(p.Entry) + int64(p.Data) }

func (p preamble) encode() []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, p) // it has a fixed size
	end := len(b) - 4
	binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], castagnoli))
	return b
}

// readPreamble reads a file of so many bytes up to its data.
func readPreamble(r io.Reader, size int64) (preamble, Entry, error) {
	var p preamble
	b := make([]byte, preambleSize)
	if _, err := io.ReadFull(r, b); err != nil {
		return p, Entry{}, err
	}
	if err := binary.Read(bytes.NewReader(b), binary.LittleEndian, &p); err != nil {
		return p, Entry{}, err
	}
	end := len(b) - 4
	switch {
	case p.Magic != magic:
		return p, Entry{}, errors.New("it is no copy of a KV cache, or of another version")
	case p.Sum != crc32.Checksum(b[:end], castagnoli), p.Entry > longestEntry, p.Data > math.MaxInt64/2,
		p.size() != size:
		return p, Entry{}, errDamaged
	}
	text := make([]byte, p.Entry)
	if _, err := io.ReadFull(r, text); err != nil {
		return p, Entry{}, err
	}
	if crc32.Checksum(text, castagnoli) != p.EntrySum {
		return p, Entry{}, errDamaged
	}
	e, err := decodeEntry(text)
	return p, e, err
}

var errDamaged = errors.New("it is damaged")

// counter counts and sums up what passes through it.
type counter struct {
	w     io.Writer
	bytes uint64
	sum   uint32
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.bytes += uint64(n)
	c.sum = crc32.Update(c.sum, castagnoli, b[:n])
	return n, err
}
