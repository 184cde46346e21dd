//go:build cgo

package llama

import (
	"debug/elf"
	"slices"
	"testing"
)

// A shared libllama gets aligned scratch memory, and its kernels know which logits are wanted,
// only if they find both in this program's dynamic symbols.
func TestLibraries_seeWhatIsTheirs(t *testing.T) {
	program, err := elf.Open("/proc/self/exe")
	if err != nil {
		t.Skipf("the program cannot be read: %v", err)
	}
	defer program.Close() //nolint:errcheck // only read
	symbols, err := program.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"_Znam"} // operator new[](size_t)
	if Shared {
		names = append(names, "tn_wanted_rows")
	}
	for _, name := range names {
		defined := func(s elf.Symbol) bool { return s.Name == name && s.Section != elf.SHN_UNDEF }
		if !slices.ContainsFunc(symbols, defined) {
			t.Errorf("%s is not among %d dynamic symbols of the program", name, len(symbols))
		}
	}
}
