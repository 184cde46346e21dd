package schema

import (
	"errors"
	"testing"

	"tenon/grammar/grammartest"
	"tenon/grammar/schema/source"
)

// verdict is what the form says of one instance.
type verdict string

const (
	verdictOK          verdict = "ok"
	verdictUnsupported verdict = "unsupported"
	verdictWrong       verdict = "wrong"
)

func judgeGroup(s grammartest.Suite, g grammartest.SuiteGroup, d source.Draft) (all []verdict, reason error) {
	compiled, err := Compile(string(g.Schema), Options{Draft: d, Formats: FormatsAnnotation, Documents: s.Remotes})
	var unsat *UnsatError
	if err != nil && !errors.As(err, &unsat) {
		all = make([]verdict, len(g.Tests))
		for i := range all {
			all[i] = verdictUnsupported
		}
		return all, err
	}
	for _, c := range g.Tests {
		v, err := source.Decode(string(c.Data), 1000)
		accepted := err == nil && unsat == nil && accepts(compiled.Root, v)
		if compiled != nil && compiled.err != nil {
			return append(all, verdictWrong), compiled.err
		}
		if accepted == c.Valid {
			all = append(all, verdictOK)
		} else {
			all = append(all, verdictWrong)
		}
	}
	return all, nil
}

func TestOfficialSuite(t *testing.T) {
	s := grammartest.ReadSuite(t)
	for _, c := range []struct {
		folder string
		draft  source.Draft
	}{{"draft3", source.Draft3}, {"draft4", source.Draft4}, {"draft6", source.Draft6}, {"draft7", source.Draft7}, {"draft2019-09", source.Draft2019}, {"draft2020-12", source.Draft2020}} {
		t.Run(c.folder, func(t *testing.T) {
			count := map[verdict]int{}
			for file, groups := range s.Files[c.folder] {
				for _, g := range groups {
					all, reason := judgeGroup(s, g, c.draft)
					for i, v := range all {
						count[v]++
						if v != verdictOK {
							t.Errorf("%s: %s: %s: %s, should be %v (%v)", file, g.Description, g.Tests[i].Description, v, g.Tests[i].Valid, reason)
						}
					}
				}
			}
			t.Log(count)
		})
	}
}
