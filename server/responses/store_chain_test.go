package responses

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// Issue 19: a conversation of many turns is kept once, not once a turn: what is stored grows with
// its length, not with its square.
func TestStore_responsesShareWhatTheyHaveInCommon(t *testing.T) {
	eachStore(t, func(t *testing.T, o StoreOptions) {
		s := openStore(t, o)
		a := New(turn(), s, 0)
		sizes, previous := map[int]int64{}, ""
		for n := 1; n <= 40; n++ {
			var made response
			body := `{"model":"m","input":"` + strings.Repeat("x", 1000) + `"` + previous + `}`
			if err := json.Unmarshal([]byte(create(t, a, body)), &made); err != nil {
				t.Fatal(err)
			}
			previous = `,"previous_response_id":"` + made.ID + `"`
			sizes[n], _, _ = size(t, s)
			if r, ok := fetch(s, made.ID, ""); !ok || len(r.whole()) < 2*n {
				t.Fatalf("turn %d: %v, %d items", n, ok, len(r.whole()))
			}
		}
		if per := sizes[40] / 40; per > 2*sizes[1] {
			t.Errorf("%d bytes for a turn, %d for one of forty", sizes[1], per)
		}
	})
}

// What others go on from stays while they do, and nobody sees it. The last of them takes it
// along.
func TestStore_whatIsDeletedStaysForThoseThatGoOn(t *testing.T) {
	eachStore(t, func(t *testing.T, o StoreOptions) {
		s := openStore(t, o)
		put := func(id, previous string) {
			r := &stored{ID: id, Owner: "alice", Previous: previous, Body: json.RawMessage(`"secret"`), Conversation: []item{{ID: "item_" + id, Role: "user"}}}
			if err := s.put(r); err != nil {
				t.Fatal(err)
			}
		}
		put("a", "")
		put("b", "a")
		put("c", "b")
		if !drop(s, "a", "alice") || drop(s, "a", "alice") {
			t.Error("a response is deleted once")
		}
		if _, err := s.item(t.Context(), "item_a", "alice"); err == nil {
			t.Error("the item of a deleted response is there")
		}
		if o.Dir+o.Database != "" { // it stays deleted
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = openStore(t, o)
		}
		if _, ok := fetch(s, "a", "alice"); ok {
			t.Error("a deleted response is there")
		}
		if r, ok := fetch(s, "c", "alice"); !ok || len(r.whole()) != 3 || r.whole()[0].ID != "item_a" {
			t.Errorf("the conversation is %+v", r)
		}
		if raw := raw(t, s, "a"); raw == "" || strings.Contains(raw, "secret") {
			t.Errorf("%s", raw)
		}
		drop(s, "b", "alice")
		drop(s, "c", "alice")
		if bytes, seen, left := size(t, s); bytes != 0 || seen+left != 0 {
			t.Errorf("%d bytes of %d responses stay, %d of them seen", bytes, left, seen)
		}
	})
}

// raw is all that is kept of a response.
func raw(t *testing.T, s *Store, id string) (all string) {
	t.Helper()
	if p, ok := s.keeper.(*postgres); ok {
		if err := p.pool.QueryRow(t.Context(), `select id || encode(coalesce(body, '') || conversation, 'escape') from tenon_responses where id = $1`, id).Scan(&all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	encoded, err := in(s).kept.get(id)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// Issue 19: whoever stores much loses his own. Nobody drives out another's.
func TestStore_whoHasMostLosesHisOldest(t *testing.T) {
	eachStore(t, func(t *testing.T, o StoreOptions) {
		o.MaxBytes = 20_000
		s := openStore(t, o)
		for i := range 100 {
			owner := "greedy"
			if i%20 == 0 {
				owner = "modest"
			}
			body := json.RawMessage(`"` + strings.Repeat("x", 1000) + `"`)
			if err := s.put(&stored{ID: fmt.Sprint("r", i), Owner: owner, Body: body}); err != nil {
				t.Fatal(err)
			}
		}
		for i := 0; i < 100; i += 20 {
			if _, ok := fetch(s, fmt.Sprint("r", i), "modest"); !ok {
				t.Errorf("response %d of the modest one is gone", i)
			}
		}
		if held, _, _ := size(t, s); held > 20_000 {
			t.Errorf("%d bytes", held)
		}
	})
}

// Issue 19: one record that cannot be read does not stop the start; nor does what goes on from
// it, or a file that is none.
func TestStore_whatCannotBeReadIsSetAside(t *testing.T) {
	o := StoreOptions{Dir: t.TempDir()}
	s := openStore(t, o)
	for _, r := range []*stored{{ID: "good"}, {ID: "bad"}, {ID: "on", Previous: "bad"}} {
		if err := s.put(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := in(s).kept.put("bad", []byte(`{"id":"bad","conversation":7}`)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, o)
	if _, ok := fetch(s, "good", ""); !ok || in(s).live != 1 {
		t.Errorf("%d responses", in(s).live)
	}
	err := in(s).kept.(*diskArchive).db.View(func(tx *bbolt.Tx) error {
		if aside := tx.Bucket(unreadableBucket); aside == nil || aside.Get([]byte("bad")) == nil || aside.Get([]byte("on")) == nil {
			t.Error("what cannot be read is lost")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Dir, "responses.db"), []byte(strings.Repeat("no database ", 10_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, o)
	if aside, _ := filepath.Glob(filepath.Join(o.Dir, "*.unreadable-*")); in(s).live != 0 || len(aside) != 1 {
		t.Errorf("%d responses, %v", in(s).live, aside)
	}
}

// full is an archive on a disk without room.
type full struct{ memory }

func (full) put(string, []byte) error { return errors.New("no space left on device") }

// Issue 19: a full disk is a clear error of the request that finds it so, streamed and whole.
func TestCreate_aFullDiskIsItsOwnError(t *testing.T) {
	s := openStore(t, StoreOptions{})
	in(s).kept = full{memory{}}
	a := New(turn(), s, 0)
	for stream, want := range map[string]string{"false": `"code":"unavailable"`, "true": "event: response.failed"} {
		rec := httptest.NewRecorder()
		a.Create(rec, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"model":"m","input":"x","stream":`+stream+`}`)))
		text := rec.Body.String()
		if !strings.Contains(text, want) || !strings.Contains(text, "no space left on device") || strings.Contains(text, "response.completed") {
			t.Errorf("%s: %d %s", stream, rec.Code, text)
		}
	}
	if body := create(t, a, `{"model":"m","input":"x","store":false}`); !strings.Contains(body, `"completed"`) {
		t.Errorf("%s", body)
	}
}
