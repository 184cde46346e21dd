package responses

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// migrations make the tables, each from what the one before left. What was released is never
// changed: another is added.
var migrations = []string{`
create table tenon_responses (
	id           text primary key,
	n            bigint generated always as identity,             -- their order
	owner        bytea not null,                                  -- the hash of the key
	previous     text references tenon_responses (id),            -- goes on from it
	at           timestamptz not null default clock_timestamp(),
	gone         boolean not null default false,                  -- nobody is to see it; others go on from it
	unfinished   boolean not null default false,
	bytes        bigint not null,
	items        bigint[] not null,                               -- hashes of the ids of those that it holds
	body         bytea,
	input        bytea,
	conversation bytea not null,
	running      bytea,                                           -- the body while a server makes it,
	lease        timestamptz,                                     -- which is believed until then;
	cancelled    boolean not null default false                   -- others want that ended
);
create index tenon_responses_previous on tenon_responses (previous);
create index tenon_responses_owner on tenon_responses (owner, n);
create index tenon_responses_items on tenon_responses using gin (items);
`, `
create table tenon_owners (                                       -- what each has, counted along: no write sums up the responses
	owner bytea primary key,
	kept  bigint not null,                                        -- responses that are to be seen
	bytes bigint not null
);
create function tenon_count() returns trigger language plpgsql as $$
begin
	if tg_op <> 'INSERT' then
		update tenon_owners set kept = kept - (not old.gone)::int, bytes = bytes - old.bytes where owner = old.owner;
	end if;
	if tg_op = 'DELETE' then
		delete from tenon_owners where owner = old.owner and kept = 0 and bytes = 0;
	else
		insert into tenon_owners as o values (new.owner, (not new.gone)::int, new.bytes)
			on conflict (owner) do update set kept = o.kept + excluded.kept, bytes = o.bytes + excluded.bytes;
	end if;
	return null;
end $$;
insert into tenon_owners select owner, count(*) filter (where not gone), sum(bytes) from tenon_responses group by owner;
create trigger tenon_count after insert or delete or update of gone, bytes on tenon_responses for each row execute function tenon_count();
drop index tenon_responses_owner;
create index tenon_responses_kept on tenon_responses (owner, n) where not gone;
create index tenon_responses_at on tenon_responses (at) where not gone;
create index tenon_responses_gone on tenon_responses (lease) where gone and lease is not null;
`}

// lock has one server at a time go on, to the end of its transaction.
func lock(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('tenon_responses in ' || current_schema(), 0))`)
	return err
}

// migrate brings the tables to this version.
func migrate(ctx context.Context, tx pgx.Tx) error {
	if err := lock(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `create table if not exists tenon_schema (version int primary key)`); err != nil {
		return err
	}
	var version int
	if err := tx.QueryRow(ctx, `select coalesce(max(version), 0) from tenon_schema`).Scan(&version); err != nil {
		return err
	}
	if version > len(migrations) {
		return fmt.Errorf("its tables are of version %d, which a newer tenon made; this one knows version %d: update it", version, len(migrations))
	}
	for ; version < len(migrations); version++ {
		if _, err := tx.Exec(ctx, migrations[version]); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `insert into tenon_schema values ($1)`, version+1); err != nil {
			return err
		}
	}
	return nil
}
