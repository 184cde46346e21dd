package disk

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// A file is a preamble of fixed length, an Entry as gob, and the data. The preamble is written
// last: it tells the lengths and the checksums of the rest, and ends with its own.

// magic is what a file begins with, and the format's version.
var magic = [8]byte{'t', 'e', 'n', 'o', 'n', 'k', 'v', '2'}

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

// Entry says what a file holds the cells of. As gob a token takes one to five bytes.
type Entry struct {
	Fingerprint string
	Tokens      []int32 // of the sequence, from its beginning
	Start       int     // the first token whose cell is there
	Whole       bool    // as of a schedule.Copy
}

func decodeEntry(text []byte) (e Entry, err error) {
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&e); err != nil {
		return Entry{}, err
	}
	if e.Start < 0 || e.Start >= len(e.Tokens) || e.Whole && e.Start > 0 {
		return Entry{}, fmt.Errorf("cells from %d on of %d tokens", e.Start, len(e.Tokens))
	}
	return e, nil
}

// write writes a file: what data writes is its data.
func write(w io.WriteSeeker, e Entry, data func(io.Writer) error) (p preamble, err error) {
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(e); err != nil {
		return p, err
	}
	if _, err := w.Seek(int64(preambleSize), io.SeekStart); err != nil {
		return p, err
	}
	if _, err := w.Write(text.Bytes()); err != nil {
		return p, err
	}
	c := &counter{w: w}
	if err := data(c); err != nil {
		return p, err
	}
	if _, err := w.Seek(0, io.SeekStart); err != nil {
		return p, err
	}
	p = preamble{Magic: magic, Entry: uint32(text.Len()), EntrySum: crc32.Checksum(text.Bytes(), castagnoli), Data: c.bytes, DataSum: c.sum}
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
