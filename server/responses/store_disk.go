package responses

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

var (
	_ archive = memory{}
	_ archive = (*diskArchive)(nil)
)

// diskArchive keeps responses in one file. Each put and delete is on disk when it returns. The file does not shrink: what is
// freed in it is used again.
type diskArchive struct{ db *bbolt.DB }

// responsesBucket has the responses, by id.
var responsesBucket = []byte("responses")

// openDisk opens or makes the file, and tells what is in it, oldest first.
func openDisk(dir string) (*diskArchive, []indexed, error) {
	const wait = time.Second // for another server to let go of the file
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	db, err := bbolt.Open(filepath.Join(dir, "responses.db"), 0o600, &bbolt.Options{Timeout: wait})
	if err != nil {
		return nil, nil, fmt.Errorf("%w (does another server use it?)", err)
	}
	var there []indexed
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(responsesBucket)
		if err != nil {
			return err
		}
		return b.ForEach(func(id, encoded []byte) error {
			var head struct {
				Owner        string    `json:"owner"`
				At           time.Time `json:"at"`
				Conversation []item    `json:"conversation"`
			}
			if err := json.Unmarshal(encoded, &head); err != nil {
				return fmt.Errorf("response %s: %w", id, err)
			}
			there = append(there, indexed{string(id), head.Owner, head.At, int64(len(encoded)), itemIDs(head.Conversation)})
			return nil
		})
	})
	if err != nil {
		_ = db.Close() // nothing was written
		return nil, nil, err
	}
	slices.SortFunc(there, func(a, b indexed) int { return a.at.Compare(b.at) })
	return &diskArchive{db}, there, nil
}

func (d *diskArchive) put(id string, encoded []byte) error {
	return d.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(responsesBucket).Put([]byte(id), encoded) })
}

func (d *diskArchive) get(id string) (encoded []byte, err error) {
	err = d.db.View(func(tx *bbolt.Tx) error {
		encoded = bytes.Clone(tx.Bucket(responsesBucket).Get([]byte(id))) // the bucket's own bytes live as long as the transaction
		return nil
	})
	return encoded, err
}

func (d *diskArchive) delete(id string) error {
	return d.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(responsesBucket).Delete([]byte(id)) })
}

func (d *diskArchive) close() error { return d.db.Close() }
