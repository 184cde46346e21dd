package memo

import (
	"errors"
	"sync"
	"testing"
)

func TestMemo_computesOnceAndForgetsErrors(t *testing.T) {
	m := New[int, int](3)
	computed := 0
	get := func(key int) int {
		v, err := m.Get(key, func() (int, error) { computed++; return 2 * key, nil })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for range 4 {
		for key := range 3 {
			if v := get(key); v != 2*key {
				t.Errorf("%d gives %d", key, v)
			}
		}
	}
	if computed != 3 {
		t.Errorf("computed %d times", computed)
	}
	failed := errors.New("no")
	for range 2 {
		if _, err := m.Get(9, func() (int, error) { computed++; return 0, failed }); !errors.Is(err, failed) {
			t.Error(err)
		}
	}
	if computed != 5 {
		t.Errorf("computed %d times, an error kept", computed)
	}
	get(4) // one more than it holds
	if get(0); len(m.of) != 2 {
		t.Errorf("%d keys", len(m.of))
	}
}

func TestMemo_fromManyGoroutines(t *testing.T) {
	m := New[int, int](10)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for key := range 100 {
				if v, err := m.Get(key, func() (int, error) { return key, nil }); v != key || err != nil {
					t.Errorf("%d: %d gives %d, %v", i, key, v, err)
				}
			}
		})
	}
	all.Wait()
}
