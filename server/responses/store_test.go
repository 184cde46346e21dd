package responses

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func openStore(t *testing.T, o StoreOptions) *Store {
	t.Helper()
	s, err := OpenStore(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // again where a test has closed it, which is no error
	return s
}

// in is a store that is this server's alone, from inside.
func in(s *Store) *local { return s.keeper.(*local) }

func fetch(s *Store, id, owner string) (*stored, bool) {
	r, err := s.get(context.Background(), id, owner)
	return r, err == nil
}

func drop(s *Store, id, owner string) bool {
	return s.delete(context.Background(), id, owner) == nil
}

// eachStore runs a test in memory, on disk and in PostgreSQL.
func eachStore(t *testing.T, test func(t *testing.T, o StoreOptions)) {
	t.Run("memory", func(t *testing.T) { test(t, StoreOptions{}) })
	t.Run("disk", func(t *testing.T) { test(t, StoreOptions{Dir: t.TempDir()}) })
	t.Run("postgres", func(t *testing.T) { test(t, StoreOptions{Database: database(t)}) })
}

// size is what a store holds: bytes of all responses, those that can be seen, and what is left of
// any.
func size(t *testing.T, s *Store) (bytes int64, seen, left int) {
	t.Helper()
	if p, ok := s.keeper.(*postgres); ok {
		if err := p.pool.QueryRow(t.Context(), `select coalesce(sum(bytes), 0), count(*) filter (where not gone), count(*) from tenon_responses`).Scan(&bytes, &seen, &left); err != nil {
			t.Fatal(err)
		}
		return bytes, seen, left
	}
	return in(s).bytes, in(s).live, len(in(s).byID) + len(in(s).owners) + len(in(s).items)
}

// later has time go by for a store.
func later(t *testing.T, s *Store, by time.Duration) {
	t.Helper()
	if p, ok := s.keeper.(*postgres); ok {
		if _, err := p.pool.Exec(t.Context(), `update tenon_responses set at = at - $1::interval, lease = lease - $1::interval`, by); err != nil {
			t.Fatal(err)
		}
		return
	}
	now := in(s).now().Add(by)
	in(s).now = func() time.Time { return now }
}

func TestStore_belongsToItsKeyAndIsBounded(t *testing.T) {
	eachStore(t, func(t *testing.T, o StoreOptions) {
		o.MaxAge, o.MaxBytes = time.Hour, 1000
		s := openStore(t, o)
		put := func(id string, size int) error {
			return s.put(&stored{ID: id, Owner: "alice", Body: json.RawMessage(`"` + strings.Repeat("x", size) + `"`)})
		}
		if err := put("r", 10); err != nil {
			t.Fatal(err)
		}
		if _, ok := fetch(s, "r", "bob"); ok || drop(s, "r", "bob") {
			t.Error("another key reaches it")
		}
		later(t, s, time.Hour+time.Second)
		if _, ok := fetch(s, "r", "alice"); ok {
			t.Error("kept beyond its age")
		}
		for _, id := range []string{"a", "b", "c"} {
			if err := put(id, 300); err != nil {
				t.Fatal(err)
			}
		}
		if held, _, _ := size(t, s); held > 1000 {
			t.Errorf("%d bytes kept", held)
		}
		if _, ok := fetch(s, "a", "alice"); ok {
			t.Error("the oldest is kept")
		}
		if err := put("huge", 2000); err == nil {
			t.Error("what is larger than the store is kept")
		}
		if _, ok := fetch(s, "c", "alice"); !ok {
			t.Error("what is too large drove others out")
		}
		if !drop(s, "c", "alice") {
			t.Error("its own key cannot delete it")
		}
	})
}

func TestStore_onDiskSurvivesARestart(t *testing.T) {
	o := StoreOptions{Dir: t.TempDir()}
	service := turn()
	s := openStore(t, o)
	var made response
	if err := json.Unmarshal([]byte(create(t, New(service, s, 0), `{"model":"m","input":"one <b>"}`)), &made); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenStore(o); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("two servers share a file: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := New(service, openStore(t, o), 0)
	rec := httptest.NewRecorder()
	again.Get(rec, httptest.NewRequest(http.MethodGet, "/", nil), made.ID)
	var got response
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || rec.Code != http.StatusOK {
		t.Fatalf("%d %v %s", rec.Code, err, rec.Body)
	}
	if diff := cmp.Diff(made, got); diff != "" {
		t.Error(diff)
	}
	create(t, again, `{"model":"m","input":"two","previous_response_id":"`+made.ID+`"}`)
	asked := service.asked[len(service.asked)-1].Conversation.Messages
	if len(asked) < 3 || asked[0].Content() != "one <b>" || asked[len(asked)-1].Content() != "two" {
		t.Errorf("the conversation does not go on: %+v", asked)
	}
	rec = httptest.NewRecorder()
	again.InputItems(rec, httptest.NewRequest(http.MethodGet, "/", nil), made.ID)
	if !strings.Contains(rec.Body.String(), "input_text") {
		t.Errorf("input items: %s", rec.Body)
	}
	again.Delete(httptest.NewRecorder(), httptest.NewRequest(http.MethodDelete, "/", nil), made.ID)
	if _, ok := fetch(again.store, made.ID, ""); ok {
		t.Error("deleted, and still there")
	}
}
