package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// theCluster is one PostgreSQL for all tests; nil: none has asked for it yet.
var theCluster *cluster

func TestMain(m *testing.M) {
	code := m.Run()
	if theCluster != nil {
		theCluster.end()
	}
	os.Exit(code)
}

// database is the URL of an empty one. The test skips where there is no PostgreSQL, and where
// nothing slow is to be started.
func database(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts PostgreSQL")
	}
	if theCluster == nil {
		theCluster = startCluster(t)
	}
	return theCluster.url(t)
}

// replicas are servers that share a database.
func replicas(t *testing.T, o StoreOptions, services ...Service) (all []*API) {
	for _, s := range services {
		all = append(all, New(s, openStore(t, o), 0))
	}
	return all
}

// beats has a server say each beat that it lives. Its lease never runs out by itself.
func beats(a *API, beat time.Duration) {
	p := a.store.keeper.(*postgres)
	p.lease, p.beat = time.Hour, beat
}

func TestPostgres_whatOneServerKeepsTheOthersGoOnFrom(t *testing.T) {
	o := StoreOptions{Database: database(t)}
	second := turn()
	all := replicas(t, o, turn(), second)
	a, b := all[0], all[1]
	_, made := asks(t, "alice", a.Create, `{"model":"m","input":"one"}`)
	on := `{"model":"m","input":"two","previous_response_id":"` + made.ID + `"}`
	if code, _ := asks(t, "bob", b.Create, on); code != http.StatusBadRequest {
		t.Errorf("another key goes on from it: %d", code)
	}
	code, next := asks(t, "alice", b.Create, on)
	if code != http.StatusOK || second.asked[len(second.asked)-1].Conversation.Messages[0].Content() != "one" {
		t.Fatalf("%d %+v", code, next)
	}
	if code, _ := asks(t, "alice", with(b.Delete, made.ID), ""); code != http.StatusOK {
		t.Errorf("%d", code)
	}
	for name, api := range map[string]*API{"a": a, "b": b} {
		if code, _ := asks(t, "alice", with(api.Get, made.ID), ""); code != http.StatusNotFound {
			t.Errorf("%s: deleted, and still there: %d", name, code)
		}
	}
	if r, ok := fetch(a.store, next.ID, "alice"); !ok || r.whole()[0].ID != "item_"+made.ID+"_0" {
		t.Errorf("what went on from it lost its beginning: %+v", r)
	}
	if code, _ := asks(t, "alice", with(a.Get, "resp_\x00\xff"), ""); code != http.StatusNotFound {
		t.Errorf("an id that is no text: %d", code)
	}
}

func TestPostgres_serversThatStartAtOnceAgreeOnTheTables(t *testing.T) {
	o := StoreOptions{Database: database(t)}
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			s, err := OpenStore(o)
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Close()
		})
	}
	group.Wait()
	s := openStore(t, o)
	if _, err := s.keeper.(*postgres).pool.Exec(t.Context(), `insert into tenon_schema values (99)`); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenStore(o); err == nil || !strings.Contains(err.Error(), "newer tenon") {
		t.Errorf("tables of another time: %v", err)
	}
}

// The bounds hold for all servers together, and no conversation loses a part.
func TestPostgres_writersInSeveralServers(t *testing.T) {
	o := StoreOptions{Database: database(t), MaxBytes: 20_000}
	var group sync.WaitGroup
	for n := range 4 {
		s := openStore(t, o)
		group.Go(func() {
			previous := ""
			for i := range 25 {
				r := &stored{ID: fmt.Sprint("r", n, "_", i), Owner: fmt.Sprint("owner", n), Previous: previous, Conversation: []item{{Role: "user", Name: strings.Repeat("x", 300)}}}
				if before, ok := fetch(s, previous, r.Owner); ok {
					r.before = before.whole()
				}
				if err := s.put(r); err != nil {
					t.Error(err)
				}
				previous = r.ID
			}
		})
	}
	group.Wait()
	s := openStore(t, o)
	if held, seen, _ := size(t, s); held > o.MaxBytes || seen == 0 {
		t.Errorf("%d bytes of %d responses", held, seen)
	}
}

// A response among many that are kept or gone costs what one among few does, and where there is no
// room as well: no write reads them all. What is counted along is what a sum would be.
func TestPostgres_aWriteAmongManyReadsFew(t *testing.T) {
	const many = 20_000
	s := openStore(t, StoreOptions{Database: database(t), MaxBytes: 2_060_000})
	pool := s.keeper.(*postgres).pool
	run := func(sql string, args ...any) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	run(`alter table tenon_responses disable trigger tenon_count`)
	run(`insert into tenon_responses (id, owner, gone, bytes, items, conversation)
		select 'r' || i, sha256((i % 7)::text::bytea), i % 3 = 0, 100, '{}', '[]' from generate_series(1, $1) i`, many)
	run(`insert into tenon_responses (id, owner, previous, bytes, items, conversation)
		select 's' || i, sha256((i % 7)::text::bytea), 'r' || i, 10, '{}', '[]' from generate_series(3, $1, 3) i`, many)
	run(`insert into tenon_owners select owner, count(*) filter (where not gone), sum(bytes) from tenon_responses group by owner`)
	run(`alter table tenon_responses enable trigger tenon_count`)
	run(`analyze`)
	read := func() (n int64) {
		t.Helper()
		run(`select pg_stat_force_next_flush()`)
		if err := pool.QueryRow(t.Context(), `select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_user_tables where relname = 'tenon_responses' and schemaname = current_schema()`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := read()
	for i := range 10 {
		if err := s.put(&stored{ID: fmt.Sprint("new", i), Owner: "o", Body: []byte(`{}`)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := read() - before; n > many {
		t.Errorf("ten writes read %d rows", n)
	}
	var off int
	if err := pool.QueryRow(t.Context(), `select count(*) from tenon_owners full join
		(select owner, count(*) filter (where not gone) as kept, sum(bytes) as bytes from tenon_responses group by owner) r using (owner)
		where (tenon_owners.kept, tenon_owners.bytes) is distinct from (r.kept, r.bytes)`).Scan(&off); err != nil || off > 0 {
		t.Errorf("%d owners are counted wrongly, %v", off, err)
	}
}

func TestPostgres_whatAnotherServerRuns(t *testing.T) {
	service := &paced{words: make(chan string)}
	all := replicas(t, StoreOptions{Database: database(t)}, service, turn())
	a, b := all[0], all[1]
	beats(a, 10*time.Millisecond)
	beats(b, 10*time.Millisecond)
	_, made := asks(t, "alice", a.Create, inBackground)
	// a beat may have told already that it runs
	if _, got := asks(t, "alice", with(b.Get, made.ID), ""); over(got.Status) || got.ID != made.ID || got.Error != nil {
		t.Errorf("as it begins: %+v", got)
	}
	service.words <- "one "
	for got := made; got.Status != "in_progress"; { // with the next beat
		if _, got = asks(t, "alice", with(b.Get, made.ID), ""); over(got.Status) {
			t.Fatalf("while it runs: %+v", got)
		}
	}
	if code, _ := asks(t, "alice", b.Create, `{"model":"m","input":"on","previous_response_id":"`+made.ID+`"}`); code != http.StatusBadRequest {
		t.Errorf("it is gone on from before it is complete: %d", code)
	}
	if code, _ := asks(t, "bob", with(b.Cancel, made.ID), ""); code != http.StatusNotFound {
		t.Errorf("another key cancels it: %d", code)
	}
	if code, got := asks(t, "alice", with(b.Cancel, made.ID), ""); code != http.StatusOK || got.Status != "cancelled" || got.Output[0].Content[0].Text != "one " {
		t.Errorf("%d %+v", code, got)
	}
	_, made = asks(t, "alice", a.Create, inBackground)
	if code, _ := asks(t, "alice", with(b.Delete, made.ID), ""); code != http.StatusOK {
		t.Errorf("%d", code)
	}
	ended(a, made.ID) // it is told, and does not bring it back
	if _, _, left := size(t, b.store); left != 1 {
		t.Errorf("%d rows", left)
	}
	stop(a)
}

// A server that is gone leaves what it ran as failed; one that was only away too long does not
// change what others have told.
func TestPostgres_aLeaseRunsOut(t *testing.T) {
	service := &paced{words: make(chan string)}
	all := replicas(t, StoreOptions{Database: database(t)}, service, turn())
	a, b := all[0], all[1]
	beats(a, time.Hour) // it never says again that it lives
	_, made := asks(t, "", a.Create, inBackground)
	later(t, b.store, 2*time.Hour)
	if _, got := asks(t, "", with(b.Get, made.ID), ""); got.Status != "failed" || !strings.Contains(got.Error.Message, "the server ended while") {
		t.Errorf("%+v", got)
	}
	close(service.words)
	ended(a, made.ID)
	for name, api := range map[string]*API{"a": a, "b": b} {
		if _, got := asks(t, "", with(api.Get, made.ID), ""); got.Status != "failed" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if code, got := asks(t, "", with(b.Cancel, made.ID), ""); code != http.StatusOK || got.Status != "failed" {
		t.Errorf("%d %+v", code, got)
	}
}

// A database that is lost is a clear error of what needs it, and of nothing else; it is found
// again.
func TestPostgres_lostAndFoundAgain(t *testing.T) {
	o := StoreOptions{Database: database(t)}
	all := replicas(t, o, turn(), turn())
	a, b := all[0], all[1]
	_, made := asks(t, "", a.Create, `{"model":"m","input":"one"}`)
	var log bytes.Buffer
	was := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(was)
	theCluster.kill(t)
	for name, ask := range map[string]func() *httptest.ResponseRecorder{
		"kept": func() *httptest.ResponseRecorder { return post(a, `{"model":"m","input":"x"}`) },
		"goes on": func() *httptest.ResponseRecorder {
			return post(b, `{"model":"m","input":"x","previous_response_id":"`+made.ID+`"}`)
		},
		"item": func() *httptest.ResponseRecorder {
			return post(b, `{"model":"m","input":[{"type":"item_reference","id":"i"}]}`)
		},
		"get":    func() *httptest.ResponseRecorder { return calls(b.Get, made.ID) },
		"delete": func() *httptest.ResponseRecorder { return calls(b.Delete, made.ID) },
		"cancel": func() *httptest.ResponseRecorder { return calls(b.Cancel, made.ID) },
	} {
		rec := ask()
		var told struct {
			Error struct{ Code, Message string }
		}
		err := json.Unmarshal(rec.Body.Bytes(), &told)
		if err != nil || rec.Code != http.StatusServiceUnavailable || told.Error.Code != "unavailable" || rec.Header().Get("Retry-After") == "" || !strings.Contains(told.Error.Message, "the database of stored responses cannot be used now") {
			t.Errorf("%s: %d %v %s", name, rec.Code, rec.Header(), rec.Body)
		}
		if strings.Contains(rec.Body.String(), "user=") {
			t.Errorf("%s: a client is told of the database: %s", name, rec.Body)
		}
	}
	if body := post(a, `{"model":"m","input":"x","stream":true}`).Body.String(); !strings.Contains(body, "event: response.failed") || strings.Contains(body, "response.completed") {
		t.Errorf("%s", body)
	}
	if body := create(t, a, `{"model":"m","input":"x","store":false}`); !strings.Contains(body, `"completed"`) {
		t.Errorf("what is not kept: %s", body)
	}
	if !strings.Contains(log.String(), "the database of responses cannot be used") {
		t.Errorf("the log has %s", &log)
	}
	if _, err := OpenStore(o); err == nil || !strings.Contains(err.Error(), "does PostgreSQL run there") {
		t.Errorf("a start without it: %v", err)
	}
	theCluster.resume(t)
	if code, _ := asks(t, "", b.Create, `{"model":"m","input":"two","previous_response_id":"`+made.ID+`"}`); code != http.StatusOK {
		t.Errorf("it is back, and is not found: %d", code)
	}
}

func TestPostgres_thePasswordIsNotTold(t *testing.T) {
	for _, url := range []string{"postgres://u:sesame@127.0.0.1:1/d?connect_timeout=1", "postgres://u:sesame@h:port/d", "password=sesame host"} {
		if _, err := OpenStore(StoreOptions{Database: url}); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := OpenStore(StoreOptions{Database: "postgres://h/d", Dir: "d"}); err == nil {
		t.Error("two places for responses")
	}
}

// What cannot be decoded is not there, as in the other stores.
func TestPostgres_aDamagedRowIsNotThere(t *testing.T) {
	s := openStore(t, StoreOptions{Database: database(t)})
	if err := s.put(&stored{ID: "r", Conversation: []item{{ID: "i"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.keeper.(*postgres).pool.Exec(t.Context(), `update tenon_responses set conversation = '7'`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.get(t.Context(), "r", ""); !errors.Is(err, errNotThere) {
		t.Error(err)
	}
	if _, err := s.item(t.Context(), "i", ""); !errors.Is(err, errNotThere) {
		t.Error(err)
	}
}

func post(a *API, body string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	a.Create(rec, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
	return rec
}

func calls(serve func(http.ResponseWriter, *http.Request, string), id string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	serve(rec, httptest.NewRequest(http.MethodPost, "/", nil), id)
	return rec
}
