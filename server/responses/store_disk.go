package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// diskArchive keeps responses in one file. Each put and delete is on disk when it returns. The
// file does not shrink: what is freed in it is used again.
type diskArchive struct{ db *bbolt.DB }

// responsesBucket has the responses, by id; unreadableBucket those that could not be read, for
// whoever wants to look at them.
var (
	responsesBucket  = []byte("responses")
	unreadableBucket = []byte("unreadable")
)

// openDisk opens or makes the file, and tells what is in it, oldest first. What cannot be read is
// set aside and named in the log: one bad record, or a bad file, does not keep a server from
// starting.
func openDisk(dir string) (*diskArchive, []indexed, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, "responses.db")
	db, err := openFile(path)
	if errors.Is(err, berrors.ErrInvalid) || errors.Is(err, berrors.ErrChecksum) || errors.Is(err, berrors.ErrVersionMismatch) {
		aside := fmt.Sprintf("%s.unreadable-%d", path, time.Now().Unix())
		slog.Error("the file of responses cannot be read and is set aside", "file", aside, "error", err)
		if err := os.Rename(path, aside); err != nil {
			return nil, nil, err
		}
		db, err = openFile(path)
	}
	if err != nil {
		return nil, nil, err
	}
	var there []indexed
	err = db.Update(func(tx *bbolt.Tx) (err error) {
		there, err = sift(tx)
		return err
	})
	if err != nil {
		_ = db.Close() // nothing was written
		return nil, nil, err
	}
	return &diskArchive{db}, there, nil
}

func openFile(path string) (*bbolt.DB, error) {
	const wait = time.Second // for another server to let go of the file
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: wait})
	if err != nil {
		return nil, fmt.Errorf("%w (does another server use it?)", err)
	}
	return db, nil
}

// sift reads the heads of all responses, oldest first. What cannot be read, and what goes on from
// what is not there, is set aside.
func sift(tx *bbolt.Tx) ([]indexed, error) {
	b, err := tx.CreateBucketIfNotExists(responsesBucket)
	if err != nil {
		return nil, err
	}
	var all []indexed
	bad := map[string]error{}
	err = b.ForEach(func(id, encoded []byte) error {
		var head stored
		if err := json.Unmarshal(encoded, &head); err != nil || head.ID != string(id) {
			bad[string(id)] = errors.Join(err, errNotThere)
			return nil
		}
		all = append(all, indexed{head.ID, head.Owner, head.Previous, head.At, int64(len(encoded)), itemIDs(head.Conversation), head.Gone})
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b indexed) int { return a.at.Compare(b.at) })
	there := map[string]bool{"": true}
	all = slices.DeleteFunc(all, func(i indexed) bool {
		if there[i.id] = there[i.previous]; !there[i.id] {
			bad[i.id] = fmt.Errorf("it goes on from %s: %w", i.previous, errNotThere)
		}
		return !there[i.id]
	})
	return all, setAside(tx, bad)
}

func setAside(tx *bbolt.Tx, bad map[string]error) error {
	if len(bad) == 0 {
		return nil
	}
	aside, err := tx.CreateBucketIfNotExists(unreadableBucket)
	if err != nil {
		return err
	}
	b := tx.Bucket(responsesBucket)
	for id, why := range bad {
		slog.Error("a stored response cannot be read and is set aside", "response", id, "error", why)
		if err := aside.Put([]byte(id), bytes.Clone(b.Get([]byte(id)))); err != nil {
			return err
		}
		if err := b.Delete([]byte(id)); err != nil {
			return err
		}
	}
	return nil
}

func (d *diskArchive) put(id string, encoded []byte) error {
	return d.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(responsesBucket).Put([]byte(id), encoded) })
}

func (d *diskArchive) get(id string) (encoded []byte, err error) {
	err = d.db.View(func(tx *bbolt.Tx) error {
		// the bucket's own bytes live as long as the transaction
		encoded = bytes.Clone(tx.Bucket(responsesBucket).Get([]byte(id)))
		return nil
	})
	if err == nil && encoded == nil {
		err = errNotThere
	}
	return encoded, err
}

func (d *diskArchive) delete(id string) error {
	return d.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(responsesBucket).Delete([]byte(id)) })
}

func (d *diskArchive) close() error { return d.db.Close() }
