package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// The file while it is fetched: its name ends in .part, and a journal beside it says what of it is
// here.

// publish gives a file that was checked its name.
func publish(path string) error {
	if err := os.Rename(path+".part", path); err != nil {
		return fmt.Errorf("keep the fetched file: %w", err)
	}
	_ = os.Remove(journalName(path + ".part")) // it tells of nothing any more
	return syncFolder(filepath.Dir(path))
}

func discard(part string) {
	_ = os.Remove(journalName(part))
	_ = os.Remove(part)
}

// save writes the journal, now or if it is time. What it says is here was written to the disk
// before.
func (d *download) save(now bool) error {
	if now {
		d.saving.Lock()
	} else if !d.saving.TryLock() {
		return nil
	}
	defer d.saving.Unlock()
	d.mu.Lock()
	if !now && time.Since(d.saved) < saveEvery {
		d.mu.Unlock()
		return nil
	}
	d.saved = time.Now()
	encoded := d.journal.encode()
	d.mu.Unlock()
	if err := d.out.Sync(); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	return writeJournal(d.part, encoded)
}

// syncFolder has a new name outlast a loss of power. Not every system can.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("keep the fetched file: %w", err)
	}
	_ = d.Sync()
	return d.Close()
}

// check compares a fetched file with what the source says of it.
func check(f *remoteFile, part string) error {
	in, err := os.Open(part)
	if err != nil {
		return fmt.Errorf("check the fetched file: %w", err)
	}
	defer func() { _ = in.Close() }() // it was only read
	sum, begin := sha256.New(), make([]byte, 4)
	_, _ = in.ReadAt(begin, 0) // a shorter file is none either
	n, err := io.Copy(sum, in)
	if err != nil {
		return fmt.Errorf("check the fetched file: %w", err)
	}
	if f.Size >= 0 && n != f.Size {
		return fmt.Errorf("the fetched file has %d bytes, the source says %d", n, f.Size)
	}
	got := hex.EncodeToString(sum.Sum(nil))
	if f.SHA256 != "" && got != f.SHA256 {
		return fmt.Errorf("the fetched file's SHA-256 is %s, the source says %s", got, f.SHA256)
	}
	if string(begin) != "GGUF" { // a page of a network's login, say
		return &SourceError{URL: f.URL, Message: "sends something that is no GGUF file"}
	}
	f.SHA256, f.Size = got, n
	return nil
}
