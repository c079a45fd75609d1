// Package ollama is a client of an Ollama server: streamed replies with a named kind of ending,
// answers that follow a JSON schema, the list of models, and an estimate of tokens that corrects
// itself.
package ollama

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

const (
	// DefaultURL is the default address of a server.
	DefaultURL = "http://127.0.0.1:11434"

	defaultPort = "11434"
)

// Client sends requests to one server. It follows no redirects, keeps only idle connections, and
// retries nothing but a request that a kept slot has blocked. It is safe for concurrent use.
type Client struct {
	base      *url.URL
	transport http.RoundTripper
	giveUp    time.Duration  // see WithGiveUp
	slotWait  time.Duration  // see firstWait
	keep      *time.Duration // nil leaves it to the server
	headers   http.Header    // go with every request
	cache     cache
	mustThink modelSet // that answer nothing if thinking is turned off
	copying   modelSet // that have copied an example of a prompt into an answer
}

// Option changes how New builds a Client.
type Option func(*Client)

// WithHTTPClient makes the Client use hc's transport. Nothing else of hc is
// used: its timeout would cut long replies.
func WithHTTPClient(hc *http.Client) Option {
	return func(c *Client) {
		if hc == nil {
			return
		}
		c.transport = hc.Transport
		if c.transport == nil {
			c.transport = http.DefaultTransport
		}
	}
}

// KeepAlive returns the time that a model stays loaded after a request without a value of its own.
func (c *Client) KeepAlive() time.Duration { return keepAliveOf(c.keep) }

// WithKeepAlive sets the time that a model stays loaded after a request without a value of its own;
// negative for ever, zero not at all. Without this option the server decides.
func WithKeepAlive(d time.Duration) Option {
	return func(c *Client) { c.keep = &d }
}

// WithHeaders adds headers to every request, such as those that hosted servers need for
// authorization.
func WithHeaders(headers map[string]string) Option {
	return func(c *Client) {
		c.headers = http.Header{}
		for name, value := range headers {
			c.headers.Set(name, value)
		}
	}
}

// New returns a client for the server at baseURL, without a request. A missing scheme means http, a
// missing port 11434, an empty address DefaultURL. The address 0.0.0.0, on which only a server can
// listen, means this machine.
func New(baseURL string, opts ...Option) (*Client, error) {
	base, err := parseBase(baseURL)
	if err != nil {
		return nil, err
	}
	c := &Client{base: base, giveUp: DefaultGiveUp, slotWait: slotWait}
	for _, o := range opts {
		o(c)
	}
	if c.transport == nil {
		c.transport = newTransport()
	}
	return c, nil
}

// Close closes idle connections. The Client can be used again after it.
func (c *Client) Close() {
	if t, ok := c.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// BaseURL returns the full address of the server.
func (c *Client) BaseURL() string { return c.base.String() }

func parseBase(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		s = DefaultURL
	}
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("ollama address: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("ollama address %q: only http and https are supported", s)
	}
	if u.Hostname() == "" {
		return nil, fmt.Errorf("ollama address %q: no host", s)
	}
	host, port := u.Hostname(), u.Port()
	if a, err := netip.ParseAddr(host); err == nil && a.IsUnspecified() {
		host = "127.0.0.1"
	}
	if port == "" && u.Scheme == "http" {
		port = defaultPort
	}
	if port != "" {
		u.Host = net.JoinHostPort(host, port)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// newTransport returns a transport for a server on this machine. It gives up connecting soon, and
// leaves the time limit of an answer to the watch over the request.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:               proxyFor,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true,
	}
}

// proxyFor excludes requests to this machine from any proxy.
func proxyFor(r *http.Request) (*url.URL, error) {
	if local(r.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

func local(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// call is one request: the library's client over a transport that watches it.
type call struct {
	*api.Client
	http *http.Client
	base *url.URL
	ctx  context.Context
	stop context.CancelCauseFunc
	w    *watch
}

// begin prepares one request, which is given up after giveUp without progress. The caller must
// defer end.
func (c *Client) begin(parent context.Context, giveUp time.Duration) *call {
	ctx, stop := context.WithCancelCause(parent)
	w := &watch{next: c.transport, headers: c.headers, give: func() { stop(ErrStalled) }, patience: newPatience(giveUp)}
	hc := &http.Client{
		Transport:     w,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &call{Client: api.NewClient(c.base, hc), http: hc, base: c.base, ctx: ctx, stop: stop, w: w}
}

// short prepares a request that needs no model to be loaded.
func (c *Client) short(parent context.Context) *call {
	return c.begin(parent, min(c.giveUp, shortWait))
}

func (k *call) end() { k.stop(nil) }
