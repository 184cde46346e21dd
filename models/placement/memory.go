package placement

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/process"
)

// Memory is an amount of the machine's memory and of its GPU's, in bytes. Where the two are one,
// VRAM is 0.
type Memory struct {
	RAM, VRAM int64
}

// Plus is both amounts together.
func (m Memory) Plus(o Memory) Memory { return Memory{m.RAM + o.RAM, m.VRAM + o.VRAM} }

// Minus is what is left; it may be negative.
func (m Memory) Minus(o Memory) Memory { return Memory{m.RAM - o.RAM, m.VRAM - o.VRAM} }

// Within tells whether the amount fits into another one.
func (m Memory) Within(o Memory) bool { return m.RAM <= o.RAM && m.VRAM <= o.VRAM || m == Memory{} }

// Resident is what a process takes of RAM, in bytes.
type Resident struct {
	Total     int64
	Anonymous int64 // of that, what no file holds: the system cannot drop it
}

// ResidentOf measures a process.
func ResidentOf(pid int) (Resident, error) {
	if r, ok := residentLinux(pid); ok {
		return r, nil
	}
	p, err := process.NewProcess(int32(pid))
	if err != nil {
		return Resident{}, fmt.Errorf("measure process %d: %w", pid, err)
	}
	info, err := p.MemoryInfo()
	if err != nil {
		return Resident{}, fmt.Errorf("measure process %d: %w", pid, err)
	}
	return Resident{Total: int64(info.RSS), Anonymous: int64(info.RSS)}, nil
}

// residentLinux reads what Linux tells apart and the library does not.
func residentLinux(pid int) (Resident, bool) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return Resident{}, false
	}
	defer func() { _ = f.Close() }() // it was only read
	var r Resident
	found := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			continue
		}
		switch key {
		case "VmRSS":
			r.Total, found = kib<<10, true
		case "RssAnon", "RssShmem":
			r.Anonymous += kib << 10
		}
	}
	return r, found
}

// Free is what this process and its children may still take. Of a GPU's own memory nothing is
// known here: it counts as endless.
func Free() (Memory, error) {
	ram, err := FreeMemory()
	return Memory{RAM: ram, VRAM: math.MaxInt64 / 2}, err
}
