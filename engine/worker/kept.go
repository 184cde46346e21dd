package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"tenon/engine/worker/disk"
)

// prefixes is the folder below StateDir with what children keep of conversations.
const prefixes = "prefixes"

// keepIn makes the one folder that a child may write in, and returns its path; "" if there is
// none. Each model has its own: a child that an evil file has taken over finds nothing there but
// what its model was told before. So have settings that change what is kept: each would delete
// what the other wrote.
func (o Options) keepIn() string {
	if o.DiskCache <= 0 || o.StateDir == "" || o.VocabOnly {
		return ""
	}
	model, _ := filepath.Abs(o.Model)
	text, err := json.Marshal([]any{model, o.LoRA, o.CacheTypeK, o.CacheTypeV, o.FlashAttention, o.RoPEFreqBase, o.RoPEFreqScale, o.GPULayers})
	sum := sha256.Sum256(text)
	dir := filepath.Join(o.StateDir, prefixes, filepath.Base(model)+"-"+hex.EncodeToString(sum[:8]))
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		o.Log.Warn("conversations are not kept on disk", "model", o.Name, "error", err)
		return ""
	}
	return dir
}

// trim deletes the oldest of what all children have kept, beyond the limit. A running child keeps
// to the limit by itself.
func (o Options) trim() {
	if o.DiskCache > 0 && o.StateDir != "" {
		disk.Trim(filepath.Join(o.StateDir, prefixes), int64(o.DiskCache))
	}
}
