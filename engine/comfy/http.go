package comfy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	maxSmall = 4 << 20   // ordinary answers
	maxLarge = 64 << 20  // queue, history and object_info, which repeat whole graphs
	maxImage = 64 << 20  // one picture
	maxVideo = 256 << 20 // one video
)

// answer is a response that has been read to its end, or to its limit.
type answer struct {
	status int
	ctype  string
	data   []byte
}

func (a answer) html() bool {
	return strings.Contains(a.ctype, "html") || bytes.HasPrefix(bytes.TrimSpace(a.data[:min(len(a.data), 64)]), []byte("<"))
}

// url joins route, which begins with a slash, to the server's address.
func (c *Client) url(route string, query url.Values) string {
	u := *c.base
	u.Path += route
	u.RawQuery = query.Encode()
	return u.String()
}

// call does one request and reads the whole answer, at most limit bytes of it.
// Its error is the context's own when that ended, ErrUnreachable otherwise.
func (c *Client) call(ctx context.Context, method, target string, body any, limit int64, wait time.Duration) (answer, error) {
	var reader io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return answer{}, fmt.Errorf("comfy: encode request: %w", err)
		}
		reader = bytes.NewReader(data)
	}
	inner, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	req, err := http.NewRequestWithContext(inner, method, target, reader)
	if err != nil {
		return answer{}, fmt.Errorf("comfy: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, c.netError(ctx, inner, wait, err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return answer{}, c.netError(ctx, inner, wait, err)
	}
	if int64(len(data)) > limit {
		return answer{}, fmt.Errorf("comfy: %w of more than %d MB", errTooLarge, limit>>20)
	}
	return answer{status: resp.StatusCode, ctype: resp.Header.Get("Content-Type"), data: data}, nil
}

func (c *Client) netError(ctx, inner context.Context, wait time.Duration, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if inner.Err() != nil {
		return fmt.Errorf("%w: no answer from %s within %s", ErrUnreachable, c.base.Host, wait)
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	return fmt.Errorf("%w at %s: %w", ErrUnreachable, c.base.Host, err)
}

// odd turns an answer that a ComfyUI server would not give into an error.
func (c *Client) odd(a answer, what string) error {
	switch a.status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return fmt.Errorf("%w at %s: the gateway in front of it answers %d", ErrUnreachable, c.base.Host, a.status)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%w: %s refuses %s with status %d", ErrNotComfy, c.base.Host, what, a.status)
	}
	kind := "something else"
	switch {
	case a.html():
		kind = "a web page"
	case len(a.data) == 0:
		kind = "nothing"
	}
	return fmt.Errorf("%w: %s answers %s with %s (status %d)", ErrNotComfy, c.base.Host, what, kind, a.status)
}

// getJSON reads route into into.
func (c *Client) getJSON(ctx context.Context, route string, limit int64, into any) error {
	a, err := c.call(ctx, http.MethodGet, c.url(route, nil), nil, limit, c.pace.call)
	if err != nil {
		return err
	}
	if a.status != http.StatusOK || a.html() {
		return c.odd(a, route)
	}
	if err := json.Unmarshal(a.data, into); err != nil {
		return c.odd(a, route)
	}
	return nil
}

// post sends body to route and only wants to know that it was taken.
func (c *Client) post(ctx context.Context, route string, body any) error {
	a, err := c.call(ctx, http.MethodPost, c.url(route, nil), body, maxSmall, c.pace.call)
	if err != nil {
		return err
	}
	if a.status != http.StatusOK || a.html() {
		return c.odd(a, route)
	}
	return nil
}
