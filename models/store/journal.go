package store

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// journal says what of a part file is here. It lies beside the file, and is trusted only for the
// same file of the source.
type journal struct {
	URL    string `json:"url"`
	Size   int64  `json:"size"` // -1: not known yet
	SHA256 string `json:"sha256,omitempty"`
	ETag   string `json:"etag,omitempty"`
	// the source sends it in one piece: nothing can be gone on with
	Whole  bool     `json:"whole,omitempty"`
	Chunks []*chunk `json:"chunks"`

	next int // of the chunks that nobody has taken
}

// chunk is a part of the file from Start to End, of which all before At is here.
type chunk struct {
	Start int64 `json:"start"`
	At    int64 `json:"at"`
	End   int64 `json:"end"`
}

func journalName(part string) string { return part + ".json" }

// readJournal reads what an earlier try left of the same file, or begins anew.
func readJournal(part string, f *remoteFile) journal {
	fresh := journal{URL: f.URL, Size: f.Size, SHA256: f.SHA256}
	fresh.extend(f.Size, nil)
	b, err := os.ReadFile(journalName(part))
	if err != nil {
		return fresh
	}
	var j journal
	if json.Unmarshal(b, &j) != nil || j.Whole || j.SHA256 != f.SHA256 || f.SHA256 == "" && j.URL != f.URL || f.Size >= 0 && j.Size != f.Size || !j.sound(part) {
		return fresh
	}
	if f.Size < 0 {
		f.Size = j.Size
	}
	return j
}

// sound tells whether a journal can be true.
func (j *journal) sound(part string) bool {
	info, err := os.Stat(part)
	if err != nil || j.Size < 0 {
		return false
	}
	at := int64(0)
	for _, c := range j.Chunks {
		if c == nil || c.Start != at || c.At < c.Start || c.At > c.End || c.At > c.Start && c.At > info.Size() {
			return false
		}
		at = c.End
	}
	return at == j.Size
}

// extend divides what follows the chunks, or the chunk that was asked for first, into chunks.
func (j *journal) extend(size int64, first *chunk) {
	j.Size = size
	at := int64(0)
	if first != nil {
		first.End = min(first.End, size)
		at = first.End
	}
	if size < 0 { // the first answer says more
		j.Chunks = []*chunk{{End: chunkSize}}
		return
	}
	for ; at < size; at += chunkSize {
		j.Chunks = append(j.Chunks, &chunk{Start: at, At: at, End: min(at+chunkSize, size)})
	}
}

// take returns a chunk that lacks something and that nobody works on.
func (j *journal) take() (*chunk, bool) {
	for j.next < len(j.Chunks) {
		c := j.Chunks[j.next]
		if j.next++; c.At < c.End {
			return c, true
		}
	}
	return nil, false
}

// done is how many bytes are here.
func (j *journal) done() int64 {
	var n int64
	for _, c := range j.Chunks {
		n += c.At - c.Start
	}
	return n
}

func (j *journal) encode() []byte {
	b, _ := json.Marshal(j) // plain values
	return b
}

// writeJournal replaces the journal at once: there is the old one or the new one.
func writeJournal(part string, encoded []byte) error {
	next := journalName(part) + ".new"
	if err := os.WriteFile(next, encoded, 0o644); err != nil {
		return fmt.Errorf("note what was fetched: %w", err)
	}
	if err := os.Rename(next, journalName(part)); err != nil {
		return fmt.Errorf("note what was fetched: %w", err)
	}
	return nil
}

// contentRange reads "bytes 0-99/200"; a total of * is -1.
func contentRange(text string) (start, total int64, ok bool) {
	var last int64
	// where it is another, n is less
	n, _ := fmt.Sscanf(text, "bytes %d-%d/%d", &start, &last, &total)
	if n == 2 && strings.HasSuffix(text, "/*") {
		return start, -1, true
	}
	return start, total, n == 3
}
