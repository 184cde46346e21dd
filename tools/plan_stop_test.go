package tools

import (
	"context"
	"errors"
	"testing"
)

// Two callers want the same plan at once, and the one who makes it leaves: the other makes it.
func TestPlan_whoLeavesTakesItFromNobody(t *testing.T) {
	begun, left := make(chan struct{}), make(chan struct{})
	turn := Turn{Tools: []Tool{{Name: "only_of_this_test"}}}
	gone := make(chan error)
	go func() {
		mine := turn
		mine.Stop = func() error {
			close(begun)
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
