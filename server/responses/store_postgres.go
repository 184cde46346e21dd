package responses

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tenon/server/chat"
)

// Bounds of the database.
const (
	longestStart = 20 * time.Second // the schema of ten servers that start at once included
	longestStep  = 5 * time.Second  // of one operation
	mostRemoved  = 200              // responses that one put makes room for; the next goes on
)

// postgres keeps the responses of several servers in one database. Writes that concern more than
// their own row are one after the other, across all servers: the bounds hold for all together.
// Times are the database's, so that the servers' clocks need not agree.
type postgres struct {
	limits StoreOptions
	pool   *pgxpool.Pool
	// how long a response in the background is taken for running after its server last said so
	lease time.Duration
	beat  time.Duration // how often it says so, and looks whether others want it ended
}

// openPostgres connects, and makes the tables where they are missing.
func openPostgres(o StoreOptions) (*postgres, error) {
	config, err := pgxpool.ParseConfig(o.Database)
	if err != nil { // its text may hold a part of the password
		return nil, errors.New("the database's URL cannot be read; expected postgres://USER@HOST:PORT/DATABASE, special characters as %XX")
	}
	for name, value := range map[string]string{
		"application_name": "tenon", "statement_timeout": "5s", "idle_in_transaction_session_timeout": "10s", "client_encoding": "UTF8",
	} {
		if _, set := config.ConnConfig.RuntimeParams[name]; !set {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
	// one round trip, for no error after a restart
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return true }
	ctx, cancel := context.WithTimeout(context.Background(), longestStart)
	defer cancel()
	p := &postgres{limits: o, lease: 20 * time.Second, beat: 2 * time.Second}
	if p.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	if err := pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error { return migrate(ctx, tx) }); err != nil {
		p.pool.Close()
		return nil, fmt.Errorf("open the database of responses: %w (does PostgreSQL run there, may this user log in and create tables? PGPASSWORD or PGPASSFILE gives the password)", err)
	}
	return p, nil
}

func (p *postgres) Close() error {
	p.pool.Close()
	return nil
}

func (p *postgres) put(r *stored) error {
	return p.write(context.Background(), func(ctx context.Context, tx pgx.Tx) error {
		if r.Previous != "" {
			var there bool
			if err := tx.QueryRow(ctx, `select exists (select from tenon_responses where id = $1 and owner = $2)`, r.Previous, hashed(r.Owner)).Scan(&there); err != nil {
				return err
			}
			if !there { // it went while this one was made
				r.Previous, r.Conversation = "", r.whole()
			}
		}
		if err := p.insert(ctx, tx, r); err != nil {
			return err
		}
		return p.evict(ctx, tx)
	})
}

// insert stores a response, new or finished in the background. It never undoes what clients
// saw: a deleted one stays deleted, one reported as failed stays failed.
func (p *postgres) insert(ctx context.Context, tx pgx.Tx, r *stored) error {
	encoded, err := json.Marshal(r)
	conversation, err2 := json.Marshal(r.Conversation)
	input, err3 := json.Marshal(r.Input)
	if err = cmp.Or(err, err2, err3); err != nil {
		return fmt.Errorf("encode response %s: %w", r.ID, err)
	}
	size := int64(len(encoded))
	if size > p.limits.MaxBytes {
		return fmt.Errorf("keep response %s: its %d bytes: %w", r.ID, size, errTooLarge)
	}
	items := []int64{}
	for _, id := range itemIDs(r.Conversation) {
		items = append(items, itemHash(id))
	}
	var gone, settled bool
	err = tx.QueryRow(ctx, `select gone, lease is null from tenon_responses where id = $1 for update`, r.ID).Scan(&gone, &settled)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		_, err = tx.Exec(ctx, `insert into tenon_responses (id, owner, previous, unfinished, bytes, items, body, input, conversation, running, lease)
			values ($1, $2, nullif($3, ''), $4, $5, $6, $7, $8, $9, $10, case when $4 then clock_timestamp() + $11::interval end)`,
			r.ID, hashed(r.Owner), r.Previous, r.Unfinished, size, items, []byte(r.Body), input, conversation, []byte(r.Running), p.lease)
	case err != nil:
	case gone:
		_, err = tx.Exec(ctx, `update tenon_responses set lease = null where id = $1`, r.ID)
		if err == nil {
			err = release(ctx, tx, r.ID)
		}
	case settled:
		err = errLost
	default:
		_, err = tx.Exec(ctx, `update tenon_responses set previous = nullif($2, ''), unfinished = $3, bytes = $4, items = $5, body = $6, input = $7,
			conversation = $8, running = null, lease = null where id = $1`, r.ID, r.Previous, r.Unfinished, size, items, []byte(r.Body), input, conversation)
	}
	return err
}

func (p *postgres) get(ctx context.Context, id, owner string) (*stored, error) {
	if !text(id) {
		return nil, errNotThere
	}
	r := &stored{ID: id, Owner: owner}
	var stale bool
	var input []byte
	var conversations [][]byte
	read := func(ctx context.Context) error {
		return p.pool.QueryRow(ctx, `
			with recursive chain as (
				select id, previous, conversation, 0 as back from tenon_responses
				where id = $1 and owner = $2 and not gone and at > clock_timestamp() - $3::interval
				union all
				select r.id, r.previous, r.conversation, back + 1 from tenon_responses r join chain on r.id = chain.previous)
			select coalesce(r.previous, ''), r.unfinished, case when lease > clock_timestamp() then running else body end, input,
				coalesce(lease <= clock_timestamp(), false), (select array_agg(conversation order by back desc) from chain)
			from tenon_responses r join chain on r.id = chain.id where back = 0`, id, hashed(owner), p.limits.MaxAge,
		).Scan(&r.Previous, &r.Unfinished, (*[]byte)(&r.Body), &input, &stale, &conversations)
	}
	err := p.do(ctx, func(ctx context.Context) error {
		if err := read(ctx); err != nil || !stale {
			return err
		}
		// Its server is gone, or cannot reach the database: it has failed, before anybody
		// is told so.
		if _, err := p.pool.Exec(ctx, `update tenon_responses set lease = null, running = null where id = $1 and lease <= clock_timestamp()`, id); err != nil {
			return err
		}
		return read(ctx)
	})
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(input, &r.Input); err != nil {
		return nil, unreadable(id, err)
	}
	for i, raw := range conversations {
		var items []item
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, unreadable(id, err)
		}
		if i == len(conversations)-1 {
			r.Conversation = items
		} else {
			r.before = append(r.before, items...)
		}
	}
	return r, nil
}

func (p *postgres) item(ctx context.Context, id, owner string) (item, error) {
	var raw []byte
	var of stored
	err := p.do(ctx, func(ctx context.Context) error {
		return p.pool.QueryRow(ctx, `select id, conversation from tenon_responses where owner = $1 and items @> array[$2::bigint]
			and not gone and at > clock_timestamp() - $3::interval order by n desc limit 1`, hashed(owner), itemHash(id), p.limits.MaxAge).Scan(&of.ID, &raw)
	})
	if err != nil {
		return item{}, err
	}
	if err := json.Unmarshal(raw, &of.Conversation); err != nil {
		return item{}, unreadable(of.ID, err)
	}
	return of.itemOf(id)
}

// delete takes a response from sight. Where another server makes it that one is told to end, and
// its row stays until then: it must not come back.
func (p *postgres) delete(ctx context.Context, id, owner string) error {
	if !text(id) {
		return errNotThere
	}
	return p.write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		done, err := tx.Exec(ctx, strip+`, cancelled = true, lease = case when lease > clock_timestamp() then lease end
			where id = $1 and owner = $2 and not gone and at > clock_timestamp() - $3::interval`, id, hashed(owner), p.limits.MaxAge)
		if err == nil && done.RowsAffected() == 0 {
			return errNotThere
		}
		if err != nil {
			return err
		}
		return release(ctx, tx, id)
	})
}

// strip leaves of a response what others go on from.
const strip = `update tenon_responses set gone = true, body = null, input = null, running = null, items = '{}', bytes = octet_length(conversation)`

// cancel has the server that makes a response end it, and returns when that has happened, or when
// none makes it.
func (p *postgres) cancel(ctx context.Context, id, owner string) error {
	if !text(id) {
		return nil
	}
	ctx, end := context.WithTimeout(ctx, p.lease)
	defer end()
	for {
		var runs bool
		err := p.do(ctx, func(ctx context.Context) error {
			done, err := p.pool.Exec(ctx, `update tenon_responses set cancelled = true
				where id = $1 and owner = $2 and not gone and lease > clock_timestamp()`, id, hashed(owner))
			runs = done.RowsAffected() > 0
			return err
		})
		if err != nil || !runs {
			return err
		}
		select {
		case <-ctx.Done(): // its state is told as it is
			return nil
		case <-time.After(p.beat / 2):
		}
	}
}

// hold tells the other servers that this one makes a response, and how far it is, until ctx ends.
// It calls end when another asks for that, or has told that the response failed.
func (p *postgres) hold(ctx context.Context, id string, now func() []byte, end func(error)) {
	beat := time.NewTicker(p.beat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		var cancelled, lost bool
		err := p.do(ctx, func(ctx context.Context) error {
			return p.pool.QueryRow(ctx, `update tenon_responses set lease = case when lease is not null then clock_timestamp() + $2::interval end, running = case when lease is not null then $3::bytea end
				where id = $1 returning cancelled, lease is null`, id, p.lease, now()).Scan(&cancelled, &lost)
		})
		// an error: the next beat tries again; no row: it made room for others, and is
		// kept when it is over
		switch {
		case err == nil && cancelled:
			end(errCancelled)
			return
		case err == nil && lost:
			end(errLost)
			return
		}
	}
}

// errLost is why a response ends of which others were told that it failed.
var errLost = &chat.Error{Kind: chat.Unavailable, Message: "the server lost the database of responses for too long, and others were told that this response failed"}

// evict removes what is too old, and the oldest of whoever has most while there is too much.
func (p *postgres) evict(ctx context.Context, tx pgx.Tx) error {
	ended, err := ids(ctx, tx, `update tenon_responses set lease = null where gone and lease <= clock_timestamp() returning id`)
	if err != nil {
		return err
	}
	for _, id := range ended {
		if err := release(ctx, tx, id); err != nil {
			return err
		}
	}
	old, err := ids(ctx, tx, `select id from tenon_responses where not gone and at <= statement_timestamp() - $1::interval order by at limit $2`, p.limits.MaxAge, mostRemoved)
	if err != nil {
		return err
	}
	for _, id := range old {
		if err := remove(ctx, tx, id); err != nil {
			return err
		}
	}
	for range mostRemoved {
		var fits bool
		if err := tx.QueryRow(ctx, `select coalesce(sum(kept), 0) <= $1 and coalesce(sum(bytes), 0) <= $2 from tenon_owners`, maxStored, p.limits.MaxBytes).Scan(&fits); err != nil || fits {
			return err
		}
		var id string
		err := tx.QueryRow(ctx, `select id from tenon_responses where not gone and owner =
			(select owner from tenon_owners where kept > 0 order by bytes desc limit 1) order by n limit 1`).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err == nil {
			err = remove(ctx, tx, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func ids(ctx context.Context, tx pgx.Tx, query string, args ...any) ([]string, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func remove(ctx context.Context, tx pgx.Tx, id string) error {
	if _, err := tx.Exec(ctx, strip+`, lease = null where id = $1`, id); err != nil {
		return err
	}
	return release(ctx, tx, id)
}

// release ends what is gone and has nothing behind it, and then perhaps what it went on from.
func release(ctx context.Context, tx pgx.Tx, id string) error {
	for id != "" {
		err := tx.QueryRow(ctx, `delete from tenon_responses r where id = $1 and gone and lease is null
			and not exists (select from tenon_responses c where c.previous = r.id) returning coalesce(previous, '')`, id).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write does a step in a transaction, while no other server writes.
func (p *postgres) write(ctx context.Context, step func(context.Context, pgx.Tx) error) error {
	return p.do(ctx, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
			if err := lock(ctx, tx); err != nil {
				return err
			}
			return step(ctx, tx)
		})
	})
}

// do bounds a step, and tells of a database that fails: the log in its words, a client
// without them, as they name hosts and users.
func (p *postgres) do(ctx context.Context, step func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, longestStep)
	defer cancel()
	err := step(ctx)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errNotThere
	case err == nil, errors.Is(err, errNotThere), errors.Is(err, errTooLarge), errors.Is(err, errLost):
		return err
	case errors.Is(ctx.Err(), context.Canceled): // the client left
		return ctx.Err()
	}
	slog.Error("the database of responses cannot be used", "error", err)
	return &chat.Error{Kind: chat.Unavailable, RetryAfter: longestStep, Err: err, Message: "the database of stored responses cannot be used now; try again later, or send store: false and the whole conversation"}
}

// hashed stands for an owner in the database: his key itself is in no backup of it.
func hashed(owner string) []byte {
	sum := sha256.Sum256([]byte(owner))
	return sum[:]
}

// itemHash finds items by their ids, which clients may choose, at any length. It need not tell all
// of them apart: the item's own id decides.
func itemHash(id string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // it cannot fail
	return int64(h.Sum64())
}

// text tells whether the database can hold an id. What it cannot is not there.
func text(id string) bool { return utf8.ValidString(id) && !strings.ContainsRune(id, 0) }
