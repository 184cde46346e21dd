package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"
)

func TestFault_keepsWordsAndIdentityAcrossABorder(t *testing.T) {
	for kind, cause := range Kinds {
		err := fmt.Errorf("load x: %w", cause)
		got := across(t, err)
		if got.Error() != err.Error() || !errors.Is(got, cause) {
			t.Errorf("%s: %v became %v", kind, err, got)
		}
	}
	if got := across(t, errors.New("odd")); got.Error() != "odd" || errors.Unwrap(got) != nil {
		t.Errorf("an error nobody branches on became %v", got)
	}
}

func TestFault_keepsFigures(t *testing.T) {
	var busy *BusyError
	if err := across(t, &BusyError{RetryAfter: time.Second}); !errors.As(err, &busy) || busy.RetryAfter != time.Second {
		t.Errorf("%#v", err)
	}
	var over *ContextError
	if err := across(t, &ContextError{Prompt: 9, Context: 8}); !errors.As(err, &over) || *over != (ContextError{9, 8}) {
		t.Errorf("%#v", err)
	}
	if err := across(t, context.Canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("%#v", err)
	}
}

func across(t *testing.T, err error) error {
	t.Helper()
	line, e := json.Marshal(FaultOf(err))
	var f Fault
	if e = errors.Join(e, json.Unmarshal(line, &f)); e != nil {
		t.Fatal(e)
	}
	return f.Err()
}
