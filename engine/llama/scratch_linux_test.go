//go:build cgo

package llama

import (
	"debug/elf"
	"slices"
	"testing"
)

// A shared libllama gets aligned scratch memory only if it finds the operator in this program's
// dynamic symbols.
func TestScratch_operatorIsSeenByLibraries(t *testing.T) {
	program, err := elf.Open("/proc/self/exe")
	if err != nil {
		t.Skipf("the program cannot be read: %v", err)
	}
	defer program.Close() //nolint:errcheck // only read
	symbols, err := program.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	const newArray = "_Znam" // operator new[](size_t)
	defined := func(s elf.Symbol) bool { return s.Name == newArray && s.Section != elf.SHN_UNDEF }
	if !slices.ContainsFunc(symbols, defined) {
		t.Errorf("%s is not among %d dynamic symbols of the program", newArray, len(symbols))
	}
}
