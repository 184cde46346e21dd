package schema

import (
	"testing"

	"tenon/grammar/grammartest"
)

func BenchmarkCompile(b *testing.B) {
	var all []string
	eachBenchCase(b, func(c grammartest.Case) { all = append(all, string(c.Schema)) })
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range all {
			_, _ = Compile(text, Options{}) // a refusal takes its time, too
		}
	}
}
