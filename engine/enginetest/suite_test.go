package enginetest_test

import (
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
)

func TestScripted_passesTheSuite(t *testing.T) {
	for name, can := range map[string]engine.Can{"everything": engine.Everything, "unmasked": enginetest.Unmasked, "textual": enginetest.Textual} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, enginetest.Subject{
				Scripted: true,
				Open: func(*testing.T) engine.Engine {
					var replies []enginetest.Reply
					for range 20 {
						replies = append(replies, enginetest.Say(strings.Repeat("and then ", 10)))
					}
					e := enginetest.Script(replies...)
					e.Info.Can = can
					return e
				},
			})
		})
	}
}
