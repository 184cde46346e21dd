package llama

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Calibrations remembers in a file what [Model.Calibrate] found, by what it depends on. Without a folder nothing is
// remembered. The file is only a cache: whatever is wrong with it, measuring again mends it.
type Calibrations struct {
	Dir string
}

func (c Calibrations) path() string { return filepath.Join(c.Dir, "flash-attention.json") }

func (c Calibrations) read() map[string]FlashAttention {
	known := map[string]FlashAttention{}
	if data, err := os.ReadFile(c.path()); err == nil && json.Unmarshal(data, &known) != nil {
		return map[string]FlashAttention{}
	}
	return known
}

// Get returns the setting for a key, see [Model.CalibrationKey].
func (c Calibrations) Get(key string) (FlashAttention, bool) {
	if c.Dir == "" {
		return "", false
	}
	f, known := c.read()[key]
	return f, known && slices.Contains([]FlashAttention{FlashOn, FlashOff}, f)
}

// Put remembers a setting. Of two processes that write at once one is forgotten, and measures again next time.
func (c Calibrations) Put(key string, f FlashAttention) error {
	if c.Dir == "" {
		return nil
	}
	known := c.read()
	known[key] = f
	data, err := json.MarshalIndent(known, "", "\t")
	if err != nil {
		return fmt.Errorf("remember calibration: %w", err)
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return fmt.Errorf("remember calibration: %w", err)
	}
	tmp, err := os.CreateTemp(c.Dir, "flash-attention-*")
	if err != nil {
		return fmt.Errorf("remember calibration: %w", err)
	}
	_, err = tmp.Write(data)
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), c.path())
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return fmt.Errorf("remember calibration: %w", err)
	}
	return nil
}
