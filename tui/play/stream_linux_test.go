package play_test

import (
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
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/tui/tuitest"
)

// clocked is a model that speaks a numbered word a token, and knows when it said each and
// when the terminal was sent it.
type clocked struct {
	pace  time.Duration
	house http.Handler // answers all else

	mu         sync.Mutex
	sent, seen [clockedWords]time.Time
}

// clockedWords is how many words a reply has: fewer than fill the screen, so that each is
// written where nothing stood, and so in one piece.
const clockedWords = 500

var clockedWord = regexp.MustCompile(`w(\d{3})`)

func (c *clocked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var ask struct{ Format json.RawMessage }
	_ = json.Unmarshal(body, &ask) // the house says what is wrong with it
	if r.URL.Path != "/api/chat" || len(ask.Format) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
		c.house.ServeHTTP(w, r)
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
		if _, err := fmt.Fprintf(w, `{"model":%q,"message":{"role":"assistant","content":"w%03d "},"done":false}`+"\n", rehearsal.Model, i); err != nil {
			return
		}
		if out.Flush() != nil {
			return
		}
	}
	_, _ = fmt.Fprintf(w, `{"model":%q,"message":{"role":"assistant","content":"Curtain."},"done":true,"done_reason":"stop"}`+"\n", rehearsal.Model)
}

func (c *clocked) wire(p []byte) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range clockedWord.FindAllSubmatch(p, -1) {
		if i, err := strconv.Atoi(string(m[1])); err == nil && i < clockedWords && c.seen[i].IsZero() {
			c.seen[i] = now
		}
	}
}

// BenchmarkTokenToScreen is how long a word takes from the model to the terminal, at a
// hundred words a second and flat out. The processor's time is that of the model and of
// the test's own terminal too.
func BenchmarkTokenToScreen(b *testing.B) {
	for _, pace := range []time.Duration{10 * time.Millisecond, 0} {
		b.Run(fmt.Sprintf("every %v", pace), func(b *testing.B) {
			var took []time.Duration
			var spent time.Duration
			turns := 0
			for b.Loop() {
				b.StopTimer()
				c := &clocked{pace: pace}
				s := c.begin(b)
				before := processor(b)
				b.StartTimer()
				s.TypeText("Go on.").Press("enter").See("Curtain.")
				b.StopTimer()
				spent += processor(b) - before
				turns++
				s.Still()
				s.Close()
				took = append(took, c.delays()...)
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
		})
	}
}

// begin opens a chat with the model. The screen has room for the whole reply.
func (c *clocked) begin(b *testing.B) *session {
	house, err := rehearsal.Start(rehearsal.Options{})
	if err != nil {
		b.Fatal(err)
	}
	at, err := url.Parse(house.OllamaURL)
	if err != nil {
		b.Fatal(err)
	}
	c.house = httputil.NewSingleHostReverseProxy(at)
	server := httptest.NewServer(c)
	b.Cleanup(func() {
		server.Close()
		if err := house.Close(); err != nil {
			b.Error(err)
		}
	})
	alone := func(cfg *config.Config) { // no work beside the turn
		cfg.Sampling.NumPredict, cfg.Scenes.NoDetect, cfg.Scenes.NoInterim = 2048, true, true
	}
	return begin(b, tuitest.Options{NoHouse: true, Ollama: server.URL, Config: alone, Prepare: tuitest.WithChat(b), W: 100, H: 100, Wire: c.wire})
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
