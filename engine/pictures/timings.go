package pictures

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// settingTimings keeps how long pictures took.
const settingTimings = "timings"

// Bounds of what is kept of earlier pictures.
const (
	timingKeys  = 60 // kinds of pictures, those painted last
	timingRuns  = 5  // of each kind, the newest
	timingNodes = 40 // of each run
)

// timing is how long one picture took on its server, waiting not counted, and
// which share of that its nodes had.
type timing struct {
	Total time.Duration      `json:"total"`
	Nodes map[string]float64 `json:"nodes,omitempty"` // of 1, by id
}

// timedKind is what is kept of one kind of pictures, the newest run last.
type timedKind struct {
	At   time.Time `json:"at"`
	Runs []timing  `json:"runs"`
}

// timings is what earlier pictures took, read when it is first needed. Its zero
// value is ready.
type timings struct {
	mu   sync.Mutex
	read bool
	kept map[string]timedKind
}

// timingKey names a kind of pictures that take about as long as each other.
func timingKey(server, workflow, kind string, w, h int) string {
	return fmt.Sprintf("%s|%s|%s|%d", server, workflow, kind, sizeClass(w, h))
}

// sizeClass puts sizes together of which one has less than about one and a half
// times the pixels of another; 0 is the workflow's own.
func sizeClass(w, h int) int {
	if w <= 0 || h <= 0 {
		return 0
	}
	return 1 + int(math.Round(2*math.Log2(float64(w)*float64(h))))
}

func (p *painting) key() string {
	w, h := p.size()
	return timingKey(p.server.BaseURL(), p.flow.Name, p.C.Kind, w, h)
}

// timesOf are the earlier runs of a kind of pictures.
func (svc *Service) timesOf(key string) []timing {
	t := &svc.renders.past
	t.mu.Lock()
	defer t.mu.Unlock()
	svc.readTimings(t)
	return t.kept[key].Runs
}

// readTimings reads what is kept; t.mu is held.
func (svc *Service) readTimings(t *timings) {
	if t.read {
		return
	}
	t.read, t.kept = true, map[string]timedKind{}
	err := svc.core.Store.View(func(tx *storage.Tx) error { _, err := tx.Setting(settingTimings, &t.kept); return err })
	if err != nil {
		svc.core.Log.Warn("how long pictures took cannot be read", "err", err)
	}
	if t.kept == nil {
		t.kept = map[string]timedKind{}
	}
}

// learnTiming keeps how long a picture took.
func (svc *Service) learnTiming(key string, run timing) func(tx *storage.Tx) error {
	return func(tx *storage.Tx) error {
		t := &svc.renders.past
		t.mu.Lock()
		defer t.mu.Unlock()
		if !t.read { // the store is being written: no second look at it from here
			t.kept = map[string]timedKind{}
			if _, err := tx.Setting(settingTimings, &t.kept); err != nil || t.kept == nil {
				t.kept = map[string]timedKind{}
			}
			t.read = true
		}
		t.kept = withRun(t.kept, key, run, svc.core.Config.Now())
		return tx.PutSetting(settingTimings, t.kept)
	}
}

// withRun is what is kept with one run more.
func withRun(kept map[string]timedKind, key string, run timing, now time.Time) map[string]timedKind {
	if run.Total <= 0 {
		return kept
	}
	out := maps.Clone(kept)
	runs := append(slices.Clone(kept[key].Runs), run)
	out[key] = timedKind{At: now, Runs: runs[max(0, len(runs)-timingRuns):]}
	if len(out) > timingKeys {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(out)), func(a, b string) int {
			return cmp.Or(out[a].At.Compare(out[b].At), cmp.Compare(a, b))
		})
		delete(out, oldest)
	}
	return out
}

// expected is how long the painting of a capture will take by what earlier ones
// took, 0 while that is not known.
func (svc *Service) expected(c storage.Capture) time.Duration {
	p := &painting{svc: svc, C: c}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		chat, err := storage.Chats.Get(tx, c.Chat)
		if err == nil {
			p.who = svc.portrayed(tx, chat, c).Imagery
		}
		return err
	})
	if err != nil {
		return 0
	}
	name := p.workflowName()
	if name == "" {
		name = svc.usualWorkflow(cmp.Or(c.Kind, string(capture.Image)))
	}
	w, h := p.size()
	var best time.Duration
	for _, server := range svc.house.Comfy {
		if c.Server != "" && busy(c) && c.Server != server.BaseURL() {
			continue
		}
		if total := usualTotal(svc.timesOf(timingKey(server.BaseURL(), name, c.Kind, w, h))); total > 0 && (best == 0 || total < best) {
			best = total
		}
	}
	return best
}

// usualWorkflow names the workflow that paints where none is named, as it was when
// one was looked for last.
func (svc *Service) usualWorkflow(kind string) string {
	k := &svc.renders
	k.mu.Lock()
	name, known := k.flows[kind]
	k.mu.Unlock()
	if !known {
		if w, err := svc.Workflows.find("", kind); err == nil {
			name = w.Name
		}
		k.usual("", kind, name)
	}
	return name
}

// usual keeps which workflow was found, where none had been asked for.
func (k *renderState) usual(asked, kind, found string) {
	if asked != "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.flows == nil {
		k.flows = map[string]string{}
	}
	k.flows[kind] = found
}

// usualTotal is the median of what runs took, 0 for none.
func usualTotal(runs []timing) time.Duration {
	if len(runs) == 0 {
		return 0
	}
	totals := make([]time.Duration, 0, len(runs))
	for _, r := range runs {
		totals = append(totals, max(0, r.Total))
	}
	slices.Sort(totals)
	return totals[len(totals)/2]
}

// usualShare is what share of a run a node has had, on average.
func usualShare(runs []timing, node string) float64 {
	sum, n := 0.0, 0
	for _, r := range runs {
		if len(r.Nodes) > 0 {
			sum += min(max(r.Nodes[node], 0), 1)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// jobStand is where a job stands on its server.
type jobStand struct {
	Queue    int    // jobs ahead
	Node     string // at work
	Step, Of int    // of that node
}

// clock says how long a picture will still take while it is painted, and learns
// how long its nodes took.
type clock struct {
	past  []timing
	began time.Time // on the server; zero while it waits there
	node  string
	since time.Time // that node began
	took  map[string]time.Duration
	told  time.Duration // last
	at    time.Time     // then
	start time.Time     // of the clock itself
}

func (svc *Service) startClock(key string) clock {
	return clock{past: svc.timesOf(key), took: map[string]time.Duration{}, start: svc.core.Config.Now()}
}

// left takes in where a job stands and says how long it will still take, 0 where
// nobody knows. It moves evenly: one odd step does not make it jump.
func (c *clock) left(now time.Time, s jobStand) time.Duration {
	c.note(now, s)
	inNode := time.Duration(0)
	if !c.since.IsZero() {
		inNode = now.Sub(c.since)
	}
	raw := timeLeft(c.past, c.elapsed(now), c.took, s, inNode)
	c.told, c.at = evenly(c.told, raw, now.Sub(c.at)), now
	return c.told
}

// note keeps which node is at work since when.
func (c *clock) note(now time.Time, s jobStand) {
	if s.Queue > 0 || s.Node == "" {
		return
	}
	if c.began.IsZero() {
		c.began = now
	}
	if s.Node == c.node {
		return
	}
	if c.node != "" && len(c.took) < timingNodes {
		c.took[c.node] += now.Sub(c.since)
	}
	c.node, c.since = s.Node, now
}

func (c *clock) elapsed(now time.Time) time.Duration {
	if c.began.IsZero() {
		return 0
	}
	return max(0, now.Sub(c.began))
}

// ended is how long it all took.
func (c *clock) ended(now time.Time) timing {
	from := c.began
	if from.IsZero() {
		from = c.start // the server told nothing of it
	}
	t := timing{Total: max(0, now.Sub(from))}
	if c.node != "" && len(c.took) < timingNodes {
		c.took[c.node] += now.Sub(c.since)
		c.node = ""
	}
	for id, d := range c.took {
		if share := float64(d) / float64(t.Total); t.Total > 0 && share >= 0.005 {
			if t.Nodes == nil {
				t.Nodes = map[string]float64{}
			}
			t.Nodes[id] = share
		}
	}
	return t
}

// timeLeft is how long a job will still take: by what earlier ones took, by which
// nodes have ended and how far the one at work is, and by how fast this one is. It
// is 0 where that is not known, never less.
func timeLeft(past []timing, elapsed time.Duration, ended map[string]time.Duration, s jobStand, inNode time.Duration) time.Duration {
	usual := usualTotal(past)
	if s.Queue > 0 {
		return usual * time.Duration(min(s.Queue, 1000)+1)
	}
	step := 0.0
	if s.Of > 0 {
		step = min(max(float64(s.Step)/float64(s.Of), 0), 1)
	}
	if usual <= 0 {
		if s.Step < 2 || s.Of <= s.Step {
			return 0 // one step may hold the loading of a model
		}
		return max(0, time.Duration(float64(inNode)*(1-step)/step))
	}
	done := 0.0
	for id := range ended {
		if id != s.Node {
			done += usualShare(past, id)
		}
	}
	if share := usualShare(past, s.Node); s.Of > 0 {
		done += share * step
	} else if share > 0 {
		done += min(share, float64(max(0, inNode))/float64(usual))
	}
	done = min(done, 1)
	if done < 0.02 {
		return max(0, usual-elapsed)
	}
	// The further it is, the more its own pace counts.
	total := (1-done)*float64(usual) + done*float64(elapsed)/done
	return max(0, time.Duration(total*(1-done)))
}

// evenly is what is told after something else was told some time ago: at most half
// of it is taken back within a second.
func evenly(told, now, since time.Duration) time.Duration {
	if told <= 0 || now <= 0 {
		return max(0, now)
	}
	expect := max(0, told-since)
	room := time.Duration(float64(max(told, 4*time.Second)) / 2 * min(1, max(0, since.Seconds())))
	return max(0, min(max(now, expect-room), expect+room))
}
