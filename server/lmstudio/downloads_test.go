package lmstudio

import (
	"fmt"
	"testing"
	"time"
)

// A download that runs is told of, however many came after it; of those that ended the oldest are
// forgotten, and no more than some run at once.
func TestDownloads_oneThatRunsIsNotForgotten(t *testing.T) {
	var d Downloads
	if err := d.register(&Download{ID: "long"}); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * keptDownloads {
		if err := d.register(&Download{ID: fmt.Sprint(i), Completed: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := d.Get("long"); !ok || len(d.all) != keptDownloads {
		t.Errorf("known: %t, of %d", ok, len(d.all))
	}
	for i := range mostDownloads {
		if err := d.register(&Download{ID: fmt.Sprint("more", i)}); (err != nil) != (i == mostDownloads-1) {
			t.Errorf("the %d. beside it: %v", i+1, err)
		}
	}
}
