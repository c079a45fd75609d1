// Package comfy talks to a ComfyUI server: it submits a workflow, follows it
// while it runs, fetches the file it made, and knows how to put a prompt, a
// seed and a size into workflow files that other people wrote.
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
	// ImageTimeout is how long a picture may make no progress when a Job does not say.
	ImageTimeout = 300 * time.Second
	// VideoTimeout is how long a video may make none.
	VideoTimeout = 600 * time.Second
)

// Client is one ComfyUI server. It is safe for concurrent use; every Run has a
// socket and a client id of its own.
type Client struct {
	base      *url.URL
	http      *http.Client
	intervals intervals
	key       string // of nodes that paint at their vendor's, "" for none
}

// intervals holds every duration that shapes how a job is followed, so that tests
// need not wait for real ones.
type intervals struct {
	poll      time.Duration // between looks while there is no socket
	queued    time.Duration // between looks while others are ahead
	connected time.Duration // between looks while the socket tells everything
	pingAfter time.Duration // how long the socket may be silent before the server is asked whether it is there
	answer    time.Duration // how long it may take with that, at first, before it counts as away
	stalled   time.Duration // without progress before that is told
	retry     time.Duration // before the socket is opened again, at first
	maxAway   time.Duration // how long the server may be away
	call      time.Duration // one short request
	fetch     time.Duration // one download

	withdraw time.Duration // taking a job back
}

func defaultIntervals() intervals {
	return intervals{
		poll: 2 * time.Second, queued: 2 * time.Second, connected: 15 * time.Second,
		pingAfter: 2500 * time.Millisecond, answer: 1500 * time.Millisecond, stalled: 30 * time.Second, retry: 500 * time.Millisecond, maxAway: 45 * time.Second,
		call: 30 * time.Second, fetch: 5 * time.Minute, withdraw: 10 * time.Second,
	}
}

// Option changes how New builds a Client.
type Option func(*Client)

// WithPoll sets how often a job is looked up while the socket is down (2 s when
// not given); the other intervals shrink with it.
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

// WithMaxAway sets how long the server may be unreachable in the middle of a
// job before Run gives up (45 s when not given).
func WithMaxAway(d time.Duration) Option {
	return func(c *Client) { c.intervals.maxAway = d }
}

// WithHeaders sends these headers with every request and with the socket, as hosted
// servers want them of whoever may use them. They are told to nobody else: no
// redirect is followed, and no error names them.
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

// WithKey sends a key of comfy.org with every job, which nodes need that paint at
// their vendor's. No error repeats it.
func WithKey(key string) Option {
	return func(c *Client) { c.key = key }
}

// withoutKey is what a server said, without the key where it repeats that.
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

// CloseIdleConnections passes on what http.Client asks for.
func (t *headerTransport) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// New makes a client for the server at baseURL. A missing scheme means http; a
// path in front of the routes is kept. Nothing is sent yet.
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

// BaseURL is the server's address as it is used.
func (c *Client) BaseURL() string { return c.base.Redacted() }

// Close lets go of idle connections. The Client stays usable.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Job is one workflow to run.
type Job struct {
	// Graph is a complete graph in API format, as Workflow.Fill returns it.
	Graph json.RawMessage
	// PromptID names the job on the server. It must be a lower-case UUID; a new
	// one is made when it is empty.
	PromptID string
	// Resume makes Run look for PromptID on the server first, and follow that
	// job instead of submitting it again when it is there.
	Resume bool
	// Video doubles the time and the size allowed and prefers a video file
	// among the outputs.
	Video bool
	// Timeout is how long the job may make no progress: move up in the server's queue, begin
	// a node, get further in one than it was. Zero means ImageTimeout or VideoTimeout.
	Timeout time.Duration
	// NoPreview leaves the preview pictures out.
	NoPreview bool
	// Spool is where a file is put that is too large to be held in memory; the caller
	// removes it or moves it away. Without one such a file stays where it is, and the
	// error says where.
	Spool Spool
	// Submitted, when there is one, is called once the server has the job, with the
	// id under which it has it; very old servers choose that themselves. It is not
	// called for a job that was resumed.
	Submitted func(promptID string)
}

// Spool is a place for a file, and how it is written there and read again: nil functions
// leave it as it is.
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

// Progress is where a job stands.
type Progress struct {
	// Queue is how many jobs are ahead of this one; 0 while it runs.
	Queue int
	// Node and NodeTitle name the node at work; empty before the first one.
	Node, NodeTitle string
	// Step of Of is how far that node is; both 0 when it does not say.
	Step, Of int
	// Done of Total is how many nodes of the workflow are through, those included
	// that the server did not need to do again.
	Done, Total int
	// Offline: the server does not answer at present. The job is waited for.
	Offline bool
	// Quiet is how long the job has made no progress, Left how long it goes on like that
	// before it is given up; both 0 while it gets on.
	Quiet, Left time.Duration
	// Preview is a new preview picture, JPEG or PNG, or nil when there is none
	// since the last call. The receiver owns it.
	Preview []byte
}

// Output is the file that a job made.
type Output struct {
	// Data is the file, nil where it was too large to be held in memory: then it lies
	// at Path.
	Data []byte
	Path string
	// Filename is the server's name for the file: something to show, never a
	// path.
	Filename string
	// Format is what the bytes are: png, jpeg, webp, gif, mp4 or webm.
	Format string
	// Warnings are things the user should know although there is a file.
	Warnings []string
	// PromptID is the job's id on the server.
	PromptID string
	// LastPreview is the last preview picture that came while the job ran, JPEG or
	// PNG: something to show for a video. It is nil when none came.
	LastPreview []byte
	// Took is how long the server has worked on the job, waiting not counted, by what it
	// says itself; 0 where it does not. The job may have begun long before Run did.
	Took time.Duration
	// Extra are the other pictures of a batch, in their order, still on the server: Fetch
	// brings them here.
	Extra []ExtraFile
}

// ExtraFile is one more file of a job, on its server.
type ExtraFile struct{ file outputFile }

// Filename is the server's name for the file, fit to be shown.
func (m ExtraFile) Filename() string { return showName(m.file.Filename) }
