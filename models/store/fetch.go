package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/shirou/gopsutil/v4/disk"

	"tenon/models/public"
)

const (
	chunkSize   = 16 << 20 // bytes of one request
	connections = 4
	mostRetries = 6                      // in a row, without a byte in between
	saveEvery   = 500 * time.Millisecond // the journal
	spareDisk   = 64 << 20               // bytes that stay free
	// bytes of a file; what is said to be longer is not believed
	largest = 1 << 44
)

// ErrNoSpace: the disk has no room for the file.
var ErrNoSpace = errors.New("the disk has too little room")

// errChanged: the source has another file by now.
var errChanged = errors.New("the file has changed at its source")

// fetch brings a file to part, going on from what an earlier try left. What is there afterwards is
// whole: its length and, where the source gives one, its hash were checked, and it was written to
// the disk.
func (s *Store) fetch(ctx context.Context, f *remoteFile, part string, m *meter) error {
	if err := os.MkdirAll(filepath.Dir(part), 0o755); err != nil {
		return fmt.Errorf("make the model folder: %w", err)
	}
	if err := s.bring(ctx, f, part, m); err != nil {
		return err
	}
	m.checking()
	err := check(f, part)
	if err != nil {
		discard(part) // it would be wrong again
	}
	return err
}

// bring writes the part file. A file that changes meanwhile is begun anew, once.
func (s *Store) bring(ctx context.Context, f *remoteFile, part string, m *meter) error {
	for try := 0; ; try++ {
		d, err := openDownload(s, f, part, m)
		if err != nil {
			return err
		}
		err = d.run(ctx)
		if closeErr := d.close(); err == nil {
			err = closeErr
		}
		if errors.Is(err, errChanged) {
			discard(part)
			if try == 0 {
				continue
			}
		}
		return err
	}
}

// download is the work on one part file.
type download struct {
	store *Store
	file  *remoteFile
	part  string
	out   *os.File
	meter *meter
	parts bool // the source has sent one

	saving sync.Mutex // held while the journal is written; taken before mu

	mu      sync.Mutex // guards what follows
	journal journal
	saved   time.Time
}

func openDownload(s *Store, f *remoteFile, part string, m *meter) (*download, error) {
	out, err := os.OpenFile(part, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("write model: %w", err)
	}
	d := &download{store: s, file: f, part: part, out: out, meter: m}
	if f.Size <= largest {
		d.journal = readJournal(part, f)
	}
	m.file(f.Name, d.journal.done(), f.Size)
	if err := d.space(); err != nil {
		_ = out.Close()
		return nil, err
	}
	return d, nil
}

func (d *download) close() error {
	if err := d.out.Close(); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	return nil
}

// space refuses what the disk has no room for.
func (d *download) space() error {
	if d.file.Size > largest {
		return fmt.Errorf("%s is said to have %d bytes: %w", d.file.Name, d.file.Size, ErrNoSpace)
	}
	usage, err := disk.Usage(filepath.Dir(d.part))
	if err != nil || d.file.Size < 0 {
		return nil //nolint:nilerr // what is not known is no reason
	}
	if missing := d.file.Size - d.journal.done(); int64(usage.Free) < missing+spareDisk {
		return fmt.Errorf("%s needs %d MiB more, and %d MiB are free in %s: %w", d.file.Name, missing>>20, usage.Free>>20, filepath.Dir(d.part), ErrNoSpace)
	}
	return nil
}

// run brings what is missing: the first chunk shows whether the source sends parts, and how long
// the file is.
func (d *download) run(ctx context.Context) error {
	first, ok := d.journal.take()
	if !ok {
		return d.finish()
	}
	err := d.chunk(ctx, first)
	if err == nil && !d.journal.Whole {
		d.parts = true
		err = d.rest(ctx)
	}
	if errors.Is(err, errChanged) {
		return err
	}
	if saveErr := d.save(true); err == nil {
		err = saveErr
	}
	if err != nil {
		return err
	}
	return d.finish()
}

// rest brings the other chunks over several connections. The first failure ends them all.
func (d *download) rest(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for range connections {
		all.Go(func() {
			for ctx.Err() == nil {
				d.mu.Lock()
				c, ok := d.journal.take()
				d.mu.Unlock()
				if !ok {
					return
				}
				if err := d.chunk(ctx, c); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// chunk brings one chunk. It tries again where a failure may pass, without end as long as each try
// brings something.
func (d *download) chunk(ctx context.Context, c *chunk) error {
	for failures := 0; ; failures++ {
		before := c.At
		err := d.ask(ctx, c)
		if err == nil || ctx.Err() != nil {
			return because(ctx, err)
		}
		if c.At > before && !d.journal.Whole {
			failures = 0
		}
		d.mu.Lock()
		here := d.journal.done()
		d.mu.Unlock()
		switch {
		case errors.Is(err, errChanged):
			return err
		case failures >= mostRetries || !worthAnother(err, here > 0):
			return fmt.Errorf("after %d bytes (run it again to go on from there): %w", here, err)
		}
		if err := sleep(ctx, d.store.pause(failures, err)); err != nil {
			return err
		}
	}
}

// worthAnother tells whether a failure may pass. A source that was silent from the beginning is
// given up.
func worthAnother(err error, begun bool) bool {
	var source *SourceError
	switch {
	case errors.Is(err, ErrNoSpace), errors.Is(err, public.ErrPrivate), errors.Is(err, os.ErrInvalid):
		return false
	case errors.As(err, &source):
		return source.again()
	case errors.Is(err, ErrSilent):
		return begun
	}
	return begun || errors.Is(err, io.ErrUnexpectedEOF)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ask sends one request for what a chunk lacks.
func (d *download) ask(ctx context.Context, c *chunk) error {
	header := http.Header{}
	d.mu.Lock()
	from, to := c.At, c.End
	if !d.journal.Whole {
		header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, to-1))
	}
	if tag := d.journal.ETag; tag != "" && !strings.HasPrefix(tag, "W/") {
		header.Set("If-Range", tag)
	}
	d.mu.Unlock()
	return d.store.request(ctx, d.file.URL, header, func(resp *http.Response, r io.Reader) error {
		if err := d.accept(resp, from, c); err != nil {
			return err
		}
		return d.copy(r, c)
	})
}

// accept judges the answer to a request for a part.
func (d *download) accept(resp *http.Response, from int64, c *chunk) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch resp.StatusCode {
	case http.StatusPartialContent:
	case http.StatusOK:
		if d.journal.done() > 0 && d.journal.ETag != "" && resp.Header.Get("ETag") != d.journal.ETag {
			return errChanged
		}
		return d.whole(resp.ContentLength, c)
	case http.StatusRequestedRangeNotSatisfiable:
		return errChanged
	default:
		return statusError(d.file.URL, resp)
	}
	start, total, ok := contentRange(resp.Header.Get("Content-Range"))
	if !ok || start != from {
		return &SourceError{URL: d.file.URL, Message: fmt.Sprintf("was asked for bytes from %d on and sends %q", from, resp.Header.Get("Content-Range"))}
	}
	if tag := resp.Header.Get("ETag"); d.journal.ETag == "" && d.journal.done() == 0 {
		d.journal.ETag = tag
	} else if tag != "" && d.journal.ETag != "" && tag != d.journal.ETag {
		return errChanged
	}
	return d.length(total, c)
}

// length takes down how long the file is, which a source may say only now.
func (d *download) length(total int64, c *chunk) error {
	switch {
	case total < 0 && d.file.Size < 0:
		d.journal.Whole = true // it is asked without a range
		return fmt.Errorf("%s does not say how long the file is: %w", d.file.URL, io.ErrUnexpectedEOF)
	case total < 0 || total == d.file.Size:
		return nil
	case d.file.Size >= 0 && d.journal.done() > 0 && d.file.SHA256 == "":
		return errChanged
	case d.file.Size >= 0:
		return &SourceError{URL: d.file.URL, Message: fmt.Sprintf("has %d bytes, and its list of files says %d", total, d.file.Size)}
	}
	d.file.Size = total
	if err := d.space(); err != nil {
		return err
	}
	d.journal.extend(total, c)
	d.meter.file(d.file.Name, d.journal.done(), total)
	return nil
}

// copy writes a chunk's bytes where they belong.
func (d *download) copy(r io.Reader, c *chunk) error {
	buf := make([]byte, 256<<10)
	for c.At < c.End {
		n, err := r.Read(buf[:min(int64(len(buf)), c.End-c.At)])
		if n > 0 {
			if _, err := d.out.WriteAt(buf[:n], c.At); err != nil {
				return fmt.Errorf("write model: %w (%w)", err, os.ErrInvalid)
			}
			d.mu.Lock()
			c.At += int64(n)
			d.mu.Unlock()
			d.meter.add(int64(n))
			if err := d.save(false); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) && d.file.Size < 0 {
			return nil // as long as it came
		}
		if errors.Is(err, io.EOF) && c.At < c.End {
			return fmt.Errorf("%s ended early: %w", d.file.URL, io.ErrUnexpectedEOF)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

// whole makes the first chunk the file: the source sends it in one piece, from its beginning each
// time that it is asked.
func (d *download) whole(total int64, c *chunk) error {
	switch {
	case d.parts:
		return &SourceError{URL: d.file.URL, Message: "sends parts of the file no more"}
	case d.file.Size < 0:
		d.file.Size = total
	case total >= 0 && total != d.file.Size:
		return &SourceError{URL: d.file.URL, Message: fmt.Sprintf("has %d bytes, and its list of files says %d", total, d.file.Size)}
	}
	*c = chunk{End: d.file.Size}
	if d.file.Size < 0 {
		c.End = largest
	}
	d.journal = journal{URL: d.file.URL, Size: -1, Whole: true, Chunks: []*chunk{c}, next: 1}
	d.meter.file(d.file.Name, 0, d.file.Size)
	if err := d.out.Truncate(0); err != nil {
		return fmt.Errorf("begin the file anew: %w", err)
	}
	return d.space()
}

// finish has what was written outlast a loss of power.
func (d *download) finish() error {
	if err := d.out.Sync(); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	return nil
}
