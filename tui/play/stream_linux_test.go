package play_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// clocked is a model that writes one numbered word per token, and records when it sent each and
// when the terminal received it.
type clocked struct {
	pace     time.Duration
	upstream http.Handler // answers all else

	mu         sync.Mutex
	sent, seen [clockedWords]time.Time
	over       chan struct{} // closed once the last word is on its way to the terminal
	ended      bool
}

const lastWord = "Curtain."

func newClocked(pace time.Duration) *clocked { return &clocked{pace: pace, over: make(chan struct{})} }

// clockedWords is the number of words of a reply: fewer than fill the screen, so that each is
// written to an empty place, and so in one piece.
const clockedWords = 500

var clockedWord = regexp.MustCompile(`w(\d{3})`)

func (c *clocked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var ask struct{ Format json.RawMessage }
	_ = json.Unmarshal(body, &ask) // the server says what is wrong with it
	if r.URL.Path != "/api/chat" || len(ask.Format) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
		c.upstream.ServeHTTP(w, r)
		return
	}
	c.speak(w)
}

func (c *clocked) speak(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := http.NewResponseController(w)
	tick := func() {}
	if c.pace > 0 {
		t := time.NewTicker(c.pace)
		defer t.Stop()
		tick = func() { <-t.C }
	}
	for i := range clockedWords {
		tick()
		c.mu.Lock()
		c.sent[i] = time.Now()
		c.mu.Unlock()
		if _, err := fmt.Fprintf(w, `{"model":%q,"message":{"role":"assistant","content":"w%03d "},"done":false}`+"\n",
			demo.Model, i); err != nil {
			return
		}
		if out.Flush() != nil {
			return
		}
	}
	_, _ = fmt.Fprintf(w, `{"model":%q,"message":{"role":"assistant","content":%q},"done":true,"done_reason":"stop"}`+
		"\n", demo.Model, lastWord)
}

func (c *clocked) wire(p []byte) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended && bytes.Contains(p, []byte(lastWord)) {
		c.ended = true
		close(c.over)
	}
	for _, m := range clockedWord.FindAllSubmatch(p, -1) {
		if i, err := strconv.Atoi(string(m[1])); err == nil && i < clockedWords && c.seen[i].IsZero() {
			c.seen[i] = now
		}
	}
}

// BenchmarkTokenToScreen measures the time of a word from the model to the terminal, at a hundred
// words a second and without delay. The processor time includes the model and the test's own
// terminal, as does the floor: the smallest Bubble Tea program that shows the same words.
func BenchmarkTokenToScreen(b *testing.B) {
	for _, pace := range []time.Duration{10 * time.Millisecond, 0} {
		b.Run(fmt.Sprintf("every %v", pace), func(b *testing.B) {
			var took []time.Duration
			var spent, floor time.Duration
			turns := 0
			for b.Loop() {
				b.StopTimer()
				c := newClocked(pace)
				s := c.begin(b)
				before := processor(b)
				b.StartTimer()
				s.TypeText("Go on.").Press("enter")
				select { // to look at the screen again and again would cost more than the turn
				case <-c.over:
				case <-time.After(time.Minute):
					b.Fatal("the reply has no end")
				}
				b.StopTimer()
				spent += processor(b) - before
				turns++
				s.Still()
				s.Close()
				took = append(took, c.delays()...)
				floor += newClocked(pace).floor(b)
				b.StartTimer()
			}
			if len(took) < turns*clockedWords*9/10 {
				b.Fatalf("of %d words %d were seen on their way", turns*clockedWords, len(took))
			}
			slices.Sort(took)
			ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
			b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
			b.ReportMetric(ms(took[len(took)*95/100]), "p95-ms")
			b.ReportMetric(spent.Seconds()/float64(turns)*1000/clockedWords, "cpu-s/1000-tokens")
			b.ReportMetric(float64(spent)/float64(floor), "cpu-of-floor")
		})
	}
}

// begin opens a chat with the model. The screen has room for the whole reply.
func (c *clocked) begin(b *testing.B) *session {
	servers, err := demo.Start(demo.Options{})
	if err != nil {
		b.Fatal(err)
	}
	at, err := url.Parse(servers.OllamaURL)
	if err != nil {
		b.Fatal(err)
	}
	c.upstream = httputil.NewSingleHostReverseProxy(at)
	server := httptest.NewServer(c)
	b.Cleanup(func() {
		server.Close()
		if err := servers.Close(); err != nil {
			b.Error(err)
		}
	})
	alone := func(cfg *config.Config) { // no work beside the turn
		cfg.Sampling.NumPredict, cfg.Scenes.NoDetect, cfg.Scenes.NoInterim = 2048, true, true
	}
	return begin(b, tuitest.Options{Offline: true, Ollama: server.URL, Config: alone, Prepare: tuitest.WithChat(b),
		W: 100, H: 100, Wire: c.wire})
}

// bare is the least program that shows what a model says.
type bare struct {
	lines *bufio.Scanner
	text  string
	w, h  int
}

type bareWords string

func (m *bare) Init() tea.Cmd { return m.next }

func (m *bare) next() tea.Msg {
	var line struct{ Message struct{ Content string } }
	if !m.lines.Scan() || json.Unmarshal(m.lines.Bytes(), &line) != nil {
		return tea.Quit()
	}
	return bareWords(line.Message.Content)
}

func (m *bare) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case bareWords:
		m.text += string(msg)
		return m, m.next
	}
	return m, nil
}

func (m *bare) View() tea.View {
	lines := strings.Split(ansi.Wrap(m.text, m.w, ""), "\n")
	return tea.NewView(strings.Join(lines[max(0, len(lines)-m.h):], "\n"))
}

// floor is the processor's time for the same words in the least program.
func (c *clocked) floor(b *testing.B) time.Duration {
	server := httptest.NewServer(c)
	defer server.Close()
	before := processor(b)
	answer, err := http.Post(server.URL+"/api/chat", "application/json", strings.NewReader("{}"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // of a benchmark
	m := &bare{lines: bufio.NewScanner(answer.Body)}
	if _, err := tea.NewProgram(m, tea.WithContext(b.Context()), tea.WithInput(nil), tea.WithOutput(wired{c}),
		tea.WithoutSignalHandler(),
		tea.WithWindowSize(100, 100), tea.WithEnvironment([]string{"TERM=xterm-256color"})).Run(); err != nil {
		b.Fatal(err)
	}
	if !strings.HasSuffix(m.text, lastWord) {
		b.Fatalf("the floor has %d bytes", len(m.text))
	}
	return processor(b) - before
}

// wired is a terminal that only records what is written to it.
type wired struct{ c *clocked }

func (w wired) Write(p []byte) (int, error) {
	w.c.wire(p)
	return len(p), nil
}

func (c *clocked) delays() (out []time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, at := range c.seen {
		if !at.IsZero() {
			out = append(out, at.Sub(c.sent[i]))
		}
	}
	return out
}

// processor is the processor time that the test has taken.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
