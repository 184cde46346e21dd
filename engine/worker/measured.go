package worker

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// measurements is a file of what children have measured, by what it depends on. The parent reads
// and writes it: a child has no files. It is only a cache: whatever is wrong with it, measuring
// again mends it.
type measurements struct {
	dir string // "" remembers nothing
}

// Limits on what a child can make the file hold.
const (
	mostMeasurements   = 1000
	longestMeasurement = 1000 // bytes of a key or a value
)

func (m measurements) path() string { return filepath.Join(m.dir, "flash-attention.json") }

// all that is known.
func (m measurements) all() map[string]string {
	known := map[string]string{}
	if m.dir == "" {
		return known
	}
	if data, err := os.ReadFile(m.path()); err == nil && json.Unmarshal(data, &known) != nil {
		return map[string]string{}
	}
	return known
}

// put remembers more. Of two servers that write at once one's is forgotten, and is measured again
// next time.
func (m measurements) put(more map[string]string) error {
	if m.dir == "" || len(more) == 0 {
		return nil
	}
	known := m.all()
	for key, value := range more {
		if len(key) > longestMeasurement || len(value) > longestMeasurement {
			return fmt.Errorf("remember what was measured: an entry is longer than %d bytes", longestMeasurement)
		}
		known[key] = value
	}
	if len(known) > mostMeasurements {
		known = more
	}
	data, err := json.MarshalIndent(known, "", "\t")
	if err != nil {
		return fmt.Errorf("remember what was measured: %w", err)
	}
	if err := replaceFile(m.path(), data); err != nil {
		return fmt.Errorf("remember what was measured: %w", err)
	}
	return nil
}

// replaceFile writes a file of which nobody sees a part.
func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}
