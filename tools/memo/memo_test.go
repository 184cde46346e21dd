package memo

import (
	"errors"
	"sync"
	"testing"
)

func TestMemo_computesOnceAndForgetsErrors(t *testing.T) {
	m := New[int, int](3, 1000)
	computed := 0
	get := func(key int) int {
		v, err := m.Get(key, 1, func() (int, error) { computed++; return 2 * key, nil })
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
		if _, err := m.Get(9, 1, func() (int, error) { computed++; return 0, failed }); !errors.Is(err, failed) {
			t.Error(err)
		}
	}
	if computed != 5 {
		t.Errorf("computed %d times, an error kept", computed)
	}
	get(0)
	get(4) // one more than it holds: 1 was asked for least lately
	for _, key := range []int{0, 2, 4} {
		get(key)
	}
	if get(1); computed != 7 || len(m.of) != 3 {
		t.Errorf("computed %d times, %d keys", computed, len(m.of))
	}
}

func TestMemo_ofLargeValuesHoldsFew(t *testing.T) {
	m := New[int, int](100, 10)
	for i, c := range []struct{ size, kept, bytes int }{{4, 1, 4}, {6, 2, 10}, {1, 2, 7}, {50, 1, 50}, {50, 1, 50}, {3, 1, 3}} {
		for range 2 {
			if _, err := m.Get(i, c.size, func() (int, error) { return i, nil }); err != nil || len(m.of) != c.kept || m.bytes != c.bytes {
				t.Errorf("%d: %d keys of %d bytes, want %+v", i, len(m.of), m.bytes, c)
			}
		}
	}
}

func TestMemo_fromManyGoroutines(t *testing.T) {
	m := New[int, int](10, 1000)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for key := range 100 {
				if v, err := m.Get(key, 1, func() (int, error) { return key, nil }); v != key || err != nil {
					t.Errorf("%d: %d gives %d, %v", i, key, v, err)
				}
			}
		})
	}
	all.Wait()
}
