package comfy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"
)

// fetchTries limits how often a file is requested.
const fetchTries = 3

// fetch reads a file and detects its format. A truncated file is requested again, and an offline
// server is waited for as long as during a job, because the work is done. A file that is too large
// for memory is stored at spool, if there is one. Its error is a *FetchError, or the context's
// own.
func (c *Client) fetch(ctx context.Context, m outputFile, spool Spool) (Output, error) {
	began := time.Now()
	for try := 1; ; try++ {
		out, err := c.fetchOnce(ctx, m, spool)
		var broken *FetchError
		if err == nil || ctx.Err() != nil || !errors.As(err, &broken) || !broken.isTemporary() {
			return out, err
		}
		if try >= fetchTries && (!isOffline(err) || time.Since(began) >= c.intervals.maxAway) {
			return Output{}, err
		}
		select {
		case <-ctx.Done():
			return Output{}, ctx.Err()
		case <-time.After(c.intervals.poll):
		}
	}
}

func (c *Client) fetchOnce(ctx context.Context, m outputFile, spool Spool) (Output, error) {
	limit, thing := int64(maxImage), "picture"
	switch m.ext() {
	case "mp4", "webm":
		limit, thing = maxVideo, "video"
	case "webp", "gif": // may be animated
		limit = maxVideo
	}
	query := url.Values{"filename": {m.Filename}, "subfolder": {m.Subfolder}, "type": {firstOf(m.Type, "output")}}
	name := showName(m.Filename)
	fail := func(there bool, kind error, format string, args ...any) error {
		reason := "the " + thing + " " + fmt.Sprintf(format, args...)
		folder := ""
		if there {
			folder = showName(firstOf(m.Type, "output"))
		}
		return &FetchError{Filename: name, Reason: reason, Folder: folder, Err: kind}
	}
	a, path, err := c.download(ctx, c.url("/view", query), limit, spool)
	var disk *os.PathError
	switch {
	case err != nil && ctx.Err() != nil:
		return Output{}, ctx.Err()
	case errors.Is(err, errTooLarge) && spool.Path != "":
		return Output{}, fail(true, ErrNoOutput, "is larger than the limit of %d MB", maxSpool>>20)
	case errors.Is(err, errTooLarge):
		return Output{}, fail(true, ErrNoOutput, "is larger than the limit of %d MB", limit>>20)
	case errors.As(err, &disk):
		return Output{}, fail(true, fmt.Errorf("%w: %w", ErrNoOutput, err),
			"was generated, but could not be saved here: %v", disk.Err)
	case err != nil:
		return Output{}, fail(true, err, "was generated, but the connection was lost during the download")
	case a.status == http.StatusNotFound:
		return Output{}, fail(false, errGone, "was generated, but the server no longer has its file %q", name)
	case a.status != http.StatusOK:
		return Output{}, fail(true, c.unexpectedResponse(a, "/view"),
			"was generated, but the server refused to send it (status %d)", a.status)
	}
	out := Output{Data: a.data, Filename: name, Format: imageType(a.data), Path: path}
	if path != "" {
		out.Data = nil
	}
	why := error(nil)
	switch {
	case len(a.data) == 0:
		why = fail(true, errBroken, "is damaged: its file is empty")
	case out.Format == "" && a.isHTML():
		why = fail(true, c.unexpectedResponse(a, "/view"), "was generated, but the server sent a web page instead")
	case out.Format == "":
		why = fail(true, errBroken, "is damaged: the content of the file %q does not match its name", name)
	case path != "" && !isCompleteFile(out.Format, spool), path == "" && !isComplete(out.Format, a.data):
		why = fail(true, errBroken, "is damaged: its file is incomplete")
	}
	if why != nil && path != "" {
		_ = os.Remove(path) // it is of no use
	}
	if why != nil {
		return Output{}, why
	}
	return out, nil
}

// spoolHead is the number of bytes that are read of a file too large for memory, to detect its
// format.
const spoolHead = 64 << 10

// download reads a response into memory up to limit, and a larger one into the file spool, up to
// maxSpool; then the response only has the file's beginning, and path is spool. A *os.PathError is
// a local disk error.
func (c *Client) download(ctx context.Context, target string, limit int64,
	spool Spool) (a response, path string, err error) {
	if spool.Path == "" {
		a, err = c.call(ctx, http.MethodGet, target, nil, limit, c.intervals.fetch)
		return a, "", err
	}
	wait := 6 * c.intervals.fetch // a GB over a slow line
	inner, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	req, err := http.NewRequestWithContext(inner, http.MethodGet, target, nil)
	if err != nil {
		return response{}, "", fmt.Errorf("comfy: %w", err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return response{}, "", c.netError(ctx, inner, wait, err)
	}
	defer func() { _ = resp.Body.Close() }()
	a = response{status: resp.StatusCode, ctype: resp.Header.Get("Content-Type")}
	if resp.ContentLength <= limit {
		if a.data, err = io.ReadAll(io.LimitReader(resp.Body, limit+1)); err != nil {
			return response{}, "", c.netError(ctx, inner, wait, err)
		}
		if int64(len(a.data)) <= limit {
			return a, "", nil
		}
	}
	tooLarge := fmt.Errorf("%w: %s sends %w of more than %d MB", ErrNotComfy, c.base.Host, errTooLarge,
		int64(maxSpool)>>20)
	if resp.ContentLength > maxSpool {
		return response{}, "", tooLarge
	}
	head := &headWriter{}
	n, err := writeSpool(spool, io.TeeReader(io.MultiReader(bytes.NewReader(a.data), resp.Body), head))
	var disk *os.PathError
	switch {
	case errors.As(err, &disk):
		return response{}, "", err
	case err != nil:
		err = c.netError(ctx, inner, wait, err)
	case n > maxSpool:
		err = tooLarge
	}
	if err != nil {
		_ = os.Remove(spool.Path) // half a file is useless
		return response{}, "", err
	}
	a.data = head.kept
	return a, spool.Path, nil
}

// headWriter keeps the first bytes of what is written to it.
type headWriter struct{ kept []byte }

// Write implements io.Writer.
func (b *headWriter) Write(p []byte) (int, error) {
	if room := spoolHead - len(b.kept); room > 0 {
		b.kept = append(b.kept, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// writeSpool writes a stream to a file, at most one byte more than maxSpool.
func writeSpool(spool Spool, from io.Reader) (n int64, err error) {
	f, err := os.OpenFile(spool.Path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	var into io.Writer = f
	finish := func() error { return nil }
	if spool.Seal != nil {
		var w io.WriteCloser
		if w, err = spool.Seal(f); err == nil {
			into, finish = w, w.Close
		}
	}
	if err == nil {
		n, err = io.Copy(into, io.LimitReader(from, maxSpool+1))
	}
	if err == nil {
		err = finish()
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(spool.Path) // half a file is useless
	}
	return n, err
}

// showName sanitizes a server's file name for display.
func showName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, name)
	return clip(name, 200)
}
