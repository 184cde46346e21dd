package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Two callers want the same plan at once, and the one who makes it leaves: the other makes it.
func TestPlan_whoLeavesTakesItFromNobody(t *testing.T) {
	begun, left := make(chan struct{}), make(chan struct{})
	turn := Turn{Tools: []Tool{{Name: "only_of_this_test"}}}
	gone := make(chan error)
	go func() {
		mine, once := turn, sync.Once{}
		mine.Stop = func() error {
			once.Do(func() { close(begun) })
			<-left
			return context.Canceled
		}
		_, err := Fallback().Plan(mine)
		gone <- err
	}()
	<-begun
	stayed := make(chan error)
	go func() {
		_, err := Fallback().Plan(turn)
		stayed <- err
	}()
	close(left)
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-stayed; err != nil {
		t.Error(err)
	}
}

// Issue 19: one large tool, too, is compiled no further once its client has left, wherever that
// is, in each way of writing arguments.
func TestPlan_endsInsideATool(t *testing.T) {
	for _, family := range []string{"hermes", "qwen3-coder", "gemma4"} {
		d, _ := Lookup(family)
		for left := 1; ; left *= 4 {
			var properties []string
			for i := range 100 {
				properties = append(properties, fmt.Sprintf(`"%s_%d_p%d":{"type":"string","pattern":"^(ab|c%d){1,9}$"}`, family, left, i, i))
			}
			asked := 0
			turn := Turn{Tools: []Tool{{Name: "t", Parameters: json.RawMessage(`{"properties":{` + strings.Join(properties, ",") + `}}`)}}, Stop: func() error {
				if asked++; asked > left {
					return context.Canceled
				}
				return nil
			}}
			p, err := d.Plan(turn)
			if err == nil {
				_, err = p.compiled()
			}
			if err == nil {
				if left < 256 {
					t.Errorf("%s: the whole tool is compiled after %d questions", family, asked)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || asked > left+8 {
				t.Errorf("%s: %v, after %d questions more", family, err, asked-left)
			}
			turn.Stop = nil
			if p, err = d.Plan(turn); err != nil {
				t.Errorf("%s: for the next client: %v", family, err)
			} else if _, err = p.compiled(); err != nil {
				t.Errorf("%s: for the next client: %v", family, err)
			}
		}
	}
}
