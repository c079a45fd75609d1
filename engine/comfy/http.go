package comfy

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

const (
	maxSmall = 4 << 20   // ordinary responses
	maxLarge = 64 << 20  // queue, history and object_info, which repeat whole graphs
	maxImage = 64 << 20  // one picture
	maxVideo = 256 << 20 // one video
	maxSpool = 2 << 30   // one file on disk
)

// response is an HTTP response that was read to its end, or to its limit.
type response struct {
	status int
	ctype  string
	data   []byte
}

func (a response) isHTML() bool {
	return strings.Contains(a.ctype, "html") ||
		bytes.HasPrefix(bytes.TrimSpace(a.data[:min(len(a.data), 64)]), []byte("<"))
}

// isDenied reports whether the server requires authentication or refuses it.
func (a response) isDenied() bool {
	return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
}

func (c *Client) deniedError(a response, what string) error {
	if a.status == http.StatusUnauthorized {
		return fmt.Errorf("%w: %s requires a token or a password for %s (401 unauthorized)", ErrDenied,
			c.base.Host, what)
	}
	return fmt.Errorf("%w: %s forbids %s (403 forbidden)", ErrDenied, c.base.Host, what)
}

// url joins a route, which begins with a slash, to the server's address.
func (c *Client) url(route string, query url.Values) string {
	u := *c.base
	u.Path += route
	u.RawQuery = query.Encode()
	return u.String()
}

// call makes a request and reads the response, at most limit bytes of it. Its error is the
// context's own if that ended, ErrUnreachable otherwise.
func (c *Client) call(ctx context.Context, method, target string, body any, limit int64,
	wait time.Duration) (response, error) {
	var reader io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return response{}, fmt.Errorf("comfy: encode request: %w", err)
		}
		reader = bytes.NewReader(data)
	}
	return c.send(ctx, method, target, "application/json", reader, limit, wait)
}

// send is call with an encoded body, nil for none.
func (c *Client) send(ctx context.Context, method, target, kind string, body io.Reader, limit int64,
	wait time.Duration) (response, error) {
	inner, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	req, err := http.NewRequestWithContext(inner, method, target, body)
	if err != nil {
		return response{}, fmt.Errorf("comfy: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return response{}, c.netError(ctx, inner, wait, err)
	}
	defer func() { _ = resp.Body.Close() }()
	var data []byte
	if resp.ContentLength <= limit {
		if data, err = io.ReadAll(io.LimitReader(resp.Body, limit+1)); err != nil {
			return response{}, c.netError(ctx, inner, wait, err)
		}
	}
	if resp.ContentLength > limit || int64(len(data)) > limit {
		return response{}, fmt.Errorf("%w: %s sends %w of more than %d MB", ErrNotComfy, c.base.Host,
			errTooLarge, limit>>20)
	}
	a := response{status: resp.StatusCode, ctype: resp.Header.Get("Content-Type"), data: data}
	if !strings.HasPrefix(a.ctype, "image/") {
		a.data = c.withoutKey(a.data)
	}
	return a, nil
}

func (c *Client) netError(ctx, inner context.Context, wait time.Duration, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if inner.Err() != nil {
		return fmt.Errorf("%w: no answer from %s within %s", ErrUnreachable, c.base.Host, wait)
	}
	text := networkText(err)
	if strings.HasPrefix(text, "it ") {
		return fmt.Errorf("%w: the answer from %s cannot be read: %w", ErrNotComfy, c.base.Host,
			&networkError{text, err})
	}
	return fmt.Errorf("%w at %s: %w", ErrUnreachable, c.base.Host, &networkError{text, err})
}

// networkText describes why there was no complete response. It begins with "it " if something
// other than HTTP answered.
func networkText(err error) string {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	var op *net.OpError
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	text := err.Error()
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing is listening there"
	case errors.As(err, &dns):
		return "the host name is unknown"
	case errors.As(err, &certificate):
		return "its certificate is not trusted"
	case strings.Contains(text, "malformed HTTP"):
		return "it does not speak HTTP"
	case strings.Contains(text, "server gave HTTP response"):
		return "it speaks http, not https"
	case errors.As(err, &op) && op.Op == "dial":
		return "no connection could be made"
	}
	return connectionBroken
}

const connectionBroken = "the connection was lost"

// unexpectedResponse converts a response that a ComfyUI server would not give to an error.
func (c *Client) unexpectedResponse(a response, what string) error {
	switch {
	case a.status >= 500:
		return &serverError{host: c.base.Host, what: what, status: a.status}
	case a.isDenied():
		return c.deniedError(a, what)
	}
	kind := "something else"
	switch {
	case a.isHTML():
		kind = "a web page"
	case len(a.data) == 0:
		kind = "nothing"
	}
	return fmt.Errorf("%w: %s answers %s with %s (status %d)", ErrNotComfy, c.base.Host, what, kind, a.status)
}

// getJSON decodes the response of a route into a value.
func (c *Client) getJSON(ctx context.Context, route string, limit int64, into any) error {
	a, err := c.call(ctx, http.MethodGet, c.url(route, nil), nil, limit, c.intervals.call)
	if err != nil {
		return err
	}
	if a.status != http.StatusOK || a.isHTML() {
		return c.unexpectedResponse(a, route)
	}
	if err := json.Unmarshal(a.data, into); err != nil {
		return c.unexpectedResponse(a, route)
	}
	return nil
}

// post sends body to a route and ignores the response's body.
func (c *Client) post(ctx context.Context, route string, body any) error {
	a, err := c.call(ctx, http.MethodPost, c.url(route, nil), body, maxSmall, c.intervals.call)
	if err != nil {
		return err
	}
	if a.status != http.StatusOK || a.isHTML() {
		return c.unexpectedResponse(a, route)
	}
	return nil
}
