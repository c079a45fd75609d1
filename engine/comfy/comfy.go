// Package comfy is a client for ComfyUI: it submits a workflow, follows it while it runs, fetches
// the resulting file, and sets the prompt, seed and size in workflow files that other people
// wrote.
package comfy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// ImageTimeout is the longest time that a picture may make no progress, unless the Job sets a
	// timeout.
	ImageTimeout = 300 * time.Second
	// VideoTimeout is the same for a video.
	VideoTimeout = 600 * time.Second
)

// Client is a client of one ComfyUI server. It is safe for concurrent use; each Run has a socket
// and a client ID of its own.
type Client struct {
	base      *url.URL
	http      *http.Client
	intervals intervals
	key       string // for nodes that paint at a vendor, "" for none
}

// intervals are the durations of following a job, which tests shorten.
type intervals struct {
	poll      time.Duration // between polls without a socket
	queued    time.Duration // between polls while other jobs are ahead
	connected time.Duration // between polls while the socket reports everything
	pingAfter time.Duration // silence of the socket before the server is polled
	answer    time.Duration // initial timeout of that poll
	stalled   time.Duration // time without progress before that is reported
	retry     time.Duration // before the socket is opened again, at first
	maxAway   time.Duration // how long the server may be offline
	call      time.Duration // timeout of a short request
	fetch     time.Duration // timeout of a download

	withdraw time.Duration // timeout of removing a job
}

func defaultIntervals() intervals {
	return intervals{
		poll: 2 * time.Second, queued: 2 * time.Second, connected: 15 * time.Second,
		pingAfter: 2500 * time.Millisecond, answer: 1500 * time.Millisecond, stalled: 30 * time.Second,
		retry: 500 * time.Millisecond, maxAway: 45 * time.Second,
		call: 30 * time.Second, fetch: 5 * time.Minute, withdraw: 10 * time.Second,
	}
}

// Option is an option of New.
type Option func(*Client)

// WithPoll sets how often a job is polled while the socket is down (default 2 s); the other
// intervals are reduced with it.
func WithPoll(d time.Duration) Option {
	return func(c *Client) {
		if d <= 0 {
			return
		}
		c.intervals.poll, c.intervals.queued = d, d
		c.intervals.retry = min(c.intervals.retry, d)
		c.intervals.connected, c.intervals.pingAfter = min(c.intervals.connected, 8*d), min(c.intervals.pingAfter, 4*d)
	}
}

// WithMaxAway sets how long the server may be unreachable during a job before Run gives up
// (default 45 s).
func WithMaxAway(d time.Duration) Option {
	return func(c *Client) { c.intervals.maxAway = d }
}

// WithHeaders adds headers to every request and to the socket, as hosted servers require for
// authentication. They are not sent elsewhere: redirects are not followed, and no error contains
// them.
func WithHeaders(headers map[string]string) Option {
	return func(c *Client) {
		if len(headers) == 0 {
			return
		}
		h := http.Header{}
		for name, value := range headers {
			h.Set(name, value)
		}
		c.http.Transport = &headerTransport{next: c.http.Transport, headers: h}
	}
}

// WithKey sends a comfy.org key with every job, for nodes that paint at a vendor. No error
// contains it.
func WithKey(key string) Option {
	return func(c *Client) { c.key = key }
}

// withoutKey removes the key from a server's response.
func (c *Client) withoutKey(data []byte) []byte {
	if c.key == "" {
		return data
	}
	return bytes.ReplaceAll(data, []byte(c.key), []byte("••••"))
}

// headerTransport adds headers to requests.
type headerTransport struct {
	next    http.RoundTripper
	headers http.Header
}

// RoundTrip implements http.RoundTripper.
func (t *headerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range t.headers {
		r.Header[name] = values
	}
	return t.next.RoundTrip(r)
}

// CloseIdleConnections closes idle connections of the next transport.
func (t *headerTransport) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// New returns a client for the server at baseURL. A missing scheme means http; a path is kept.
// Nothing is sent yet.
func New(baseURL string, opts ...Option) (*Client, error) {
	text := strings.TrimSpace(baseURL)
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("comfy: address %q: %w", baseURL, err)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("comfy: address %q: an http or https address is needed", baseURL)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawQuery, u.Fragment, u.RawPath = "", "", ""
	c := &Client{base: u, http: ownClient(), intervals: defaultIntervals()}
	for _, o := range opts {
		o(c)
	}
	return c, nil
}

func ownClient() *http.Client {
	var transport http.RoundTripper = http.DefaultTransport
	if t, ok := transport.(*http.Transport); ok {
		transport = t.Clone()
	}
	return &http.Client{
		Transport: transport,
		// A redirect turns a POST into a GET; the user should enter the real address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// BaseURL returns the server's address.
func (c *Client) BaseURL() string { return c.base.Redacted() }

// Close closes idle connections. The Client stays usable.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Job is a workflow to run.
type Job struct {
	// Graph is a complete graph in API format, as Workflow.Fill returns it.
	Graph json.RawMessage
	// PromptID is the job's ID on the server. It must be a lower-case UUID; if it is empty, one is
	// made.
	PromptID string
	// Resume makes Run look for PromptID on the server first, and follow that job instead of
	// submitting it again.
	Resume bool
	// Video doubles the allowed time and size, and prefers a video file among the outputs.
	Video bool
	// Timeout is the longest time that the job may make no progress: in the server's queue, between
	// nodes, and within a node. Zero means ImageTimeout or VideoTimeout.
	Timeout time.Duration
	// NoPreview disables preview pictures.
	NoPreview bool
	// Spool is the destination of a file that is too large for memory; the caller removes or moves
	// it. Without one such a file stays on the server, and the error says where.
	Spool Spool
	// Submitted, if it is set, is called once the server has accepted the job, with its ID there;
	// very old servers choose that themselves. It is not called for a resumed job.
	Submitted func(promptID string)
}

// Spool is a path for a file, and how it is encrypted and decrypted; nil functions leave it as it
// is.
type Spool struct {
	Path string // "" for none
	Seal func(io.Writer) (io.WriteCloser, error)
	Open func(r io.ReaderAt, size int64) (io.ReaderAt, int64, error)
}

func (j Job) timeout() time.Duration {
	switch {
	case j.Timeout > 0:
		return j.Timeout
	case j.Video:
		return VideoTimeout
	}
	return ImageTimeout
}

// Progress is the progress of a job.
type Progress struct {
	// Queue is the number of jobs ahead of this one; 0 while it runs.
	Queue int
	// Node and NodeTitle name the running node; empty before the first one.
	Node, NodeTitle string
	// Step is the progress of that node, out of Of steps; both are 0 if it reports none.
	Step, Of int
	// Done is the number of finished nodes out of Total, including those that the server had
	// cached.
	Done, Total int
	// Offline means that the server does not answer at present. The job is waited for.
	Offline bool
	// Quiet is the time without progress, Left the remaining time until the job is given up; both
	// 0 while it makes progress.
	Quiet, Left time.Duration
	// Preview is a new preview picture, JPEG or PNG, nil if there is none since the last call. The
	// receiver owns it.
	Preview []byte
}

// Output is the result of a job.
type Output struct {
	// Data is the file, nil if it was too large for memory: then it is at Path.
	Data []byte
	Path string
	// Filename is the server's name for the file, for display only; it is not a path.
	Filename string
	// Format is the format of the data: png, jpeg, webp, gif, mp4 or webm.
	Format string
	// Warnings are for the user, although there is a file.
	Warnings []string
	// PromptID is the job's ID on the server.
	PromptID string
	// LastPreview is the last preview picture, JPEG or PNG, which can be shown for a video. It is
	// nil if there was none.
	LastPreview []byte
	// Took is the time that the server has worked on the job, without waiting, by its own report; 0
	// if it has none. The job may have started long before Run.
	Took time.Duration
	// Extra are the other pictures of a batch, in order, still on the server: see Fetch.
	Extra []ExtraFile
}

// ExtraFile is another file of a job, on its server.
type ExtraFile struct{ file outputFile }

// Filename returns the server's name for the file, for display.
func (m ExtraFile) Filename() string { return showName(m.file.Filename) }
