package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// fetch brings a file to path, going on from what an earlier try left in path + ".part".
func (s *Store) fetch(ctx context.Context, f remoteFile, path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make the model folder: %w", err)
	}
	part := path + ".part"
	if err := s.download(ctx, f, part); err != nil {
		return err
	}
	if err := check(f, part); err != nil {
		_ = os.Remove(part) // it would be wrong again
		return err
	}
	return os.Rename(part, path)
}

// download appends to part what is still missing.
func (s *Store) download(ctx context.Context, f remoteFile, part string) error {
	out, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	have, err := out.Seek(0, io.SeekEnd)
	if err == nil && (f.Size < 0 || have < f.Size) {
		err = s.append(ctx, f, out, have)
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (s *Store) append(ctx context.Context, f remoteFile, out *os.File, have int64) error {
	header := http.Header{}
	if have > 0 {
		header.Set("Range", "bytes="+strconv.FormatInt(have, 10)+"-")
	}
	return s.request(ctx, f.URL, header, func(resp *http.Response, r io.Reader) error {
		switch resp.StatusCode {
		case http.StatusPartialContent:
			if !strings.HasPrefix(resp.Header.Get("Content-Range"), "bytes "+strconv.FormatInt(have, 10)+"-") {
				return fmt.Errorf("asked for bytes from %d on, got %q", have, resp.Header.Get("Content-Range"))
			}
		case http.StatusOK: // the source cannot resume: begin anew
			if have > 0 {
				if err := restart(out); err != nil {
					return err
				}
				have = 0
			}
		case http.StatusRequestedRangeNotSatisfiable: // nothing is missing
			return nil
		default:
			return statusError(f.URL, resp)
		}
		return s.copy(f, out, r, have, resp.ContentLength)
	})
}

func restart(out *os.File) error {
	if err := out.Truncate(0); err != nil {
		return fmt.Errorf("begin the file anew: %w", err)
	}
	_, err := out.Seek(0, io.SeekStart)
	return err
}

// copy writes the body and checks that it is as long as the source promised.
func (s *Store) copy(f remoteFile, out *os.File, r io.Reader, have, length int64) error {
	total := f.Size
	if total < 0 && length >= 0 {
		total = have + length
	}
	buf := make([]byte, 1<<20)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if _, err := out.Write(buf[:n]); err != nil {
				return fmt.Errorf("write model: %w", err)
			}
			if have += int64(n); s.Progress != nil {
				s.Progress(f.Name, have, total)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("after %d bytes (run it again to go on from there): %w", have, err)
		}
	}
	if total >= 0 && have != total {
		return fmt.Errorf("got %d bytes of %d; run it again to go on from there", have, total)
	}
	return nil
}

// check compares a fetched file with what the source says of it.
func check(f remoteFile, part string) error {
	in, err := os.Open(part)
	if err != nil {
		return fmt.Errorf("check the fetched file: %w", err)
	}
	defer func() { _ = in.Close() }() // it was only read
	sum := sha256.New()
	n, err := io.Copy(sum, in)
	if err != nil {
		return fmt.Errorf("check the fetched file: %w", err)
	}
	if f.Size >= 0 && n != f.Size {
		return fmt.Errorf("the fetched file has %d bytes, the source says %d", n, f.Size)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); f.SHA256 != "" && got != f.SHA256 {
		return fmt.Errorf("the fetched file's SHA-256 is %s, the source says %s", got, f.SHA256)
	}
	return nil
}

// request sends a GET and gives its answer to read. If no byte comes for s.Silence, from the first moment on, it ends
// with ErrSilent.
func (s *Store) request(ctx context.Context, address string, header http.Header, read func(*http.Response, io.Reader) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := s.Silence
	if silence == 0 {
		silence = 5 * time.Second
	}
	watchdog := time.AfterFunc(silence, func() {
		cancel(fmt.Errorf("%s sent nothing for %s: %w", address, silence, ErrSilent))
	})
	defer watchdog.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	req.Header = header
	s.authorize(req)
	client := s.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return because(ctx, fmt.Errorf("ask %s: %w", address, err))
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	watchdog.Reset(silence)
	return because(ctx, read(resp, &heard{resp.Body, func() { watchdog.Reset(silence) }}))
}

// because replaces "context canceled" by why it was.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// heard tells when bytes come.
type heard struct {
	io.Reader
	tell func()
}

func (h *heard) Read(b []byte) (int, error) {
	n, err := h.Reader.Read(b)
	if n > 0 {
		h.tell()
	}
	return n, err
}
