package play_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
)

// askedRead is the cost and the kind of one request.
type askedRead struct {
	demo.Read
	kind string
}

// reads are all that a chat's model is asked, in order.
type reads struct {
	mu   sync.Mutex
	kind string // of the request that is about to be read
	list []askedRead
	full int // index of the first one after the first fold; -1 before that
}

// hear records the kind of a request before it is read. It injects no fault.
func (r *reads) hear(c demo.Call) {
	if c.Path != "/api/chat" || len(c.Messages) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kind = kindOf(c)
}

func (r *reads) add(read demo.Read) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, askedRead{read, r.kind})
}

// kindOf returns the kind of a request. Requests after the chat's own prompt are "riding".
func kindOf(c demo.Call) string {
	last := c.Messages[len(c.Messages)-1].Content
	how := ""
	if len(c.Messages) > 3 {
		how = " riding"
	}
	switch job := c.Job(); {
	case c.Reads():
		return "read-ahead"
	case len(c.Format) == 0:
		return "turn"
	case job == demo.AfterTurnJob || job == demo.DetectJob:
		return "pass"
	case job == demo.SceneJob && strings.Contains(last, "each number from 1 to"):
		return "join" + how
	case job == demo.SceneJob && strings.Contains(last, "the record of this part"):
		return "part" + how
	case job == demo.SceneJob:
		return "recap" + how
	case job == demo.RunningJob:
		return "merge" + how
	default:
		return string(job) + how
	}
}

// table returns the tokens that were read again, by kind.
func (r *reads) table() string {
	kinds := map[string][]demo.Read{}
	all := 0
	for _, one := range r.list[max(r.full, 0):] {
		kinds[one.kind] = append(kinds[one.kind], one.Read)
		all += one.Fresh
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-18s %5s %9s %8s %8s %8s %9s\n", "kind", "times", "reused %", "median", "p95", "new", "of all %")
	names := make([]string, 0, len(kinds))
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		list := fresh(kinds[name])
		sum := 0
		for _, n := range list {
			sum += n
		}
		fmt.Fprintf(&b, "%-18s %5d %9.1f %8d %8d %8d %9.1f\n", name, len(list), 100-anew(kinds[name]),
			list[len(list)/2], list[len(list)*95/100], sum, 100*float64(sum)/float64(max(all, 1)))
	}
	return b.String()
}

// BenchmarkReuse plays with all features of the director, including reading ahead, and reports the
// share of the requests' tokens that the server had in its cache, from the first fold on. The table
// (-v) shows the tokens that were read again, by kind.
func BenchmarkReuse(b *testing.B) {
	for _, how := range []struct {
		context, scene int
	}{{4096, 14}, {8192, 14}, {8192, 1000}, {16384, 14}, {16384, 1000}} {
		name := "scenes"
		if how.scene > 500 {
			name = "unmarked"
		}
		b.Run(fmt.Sprintf("%d/%s", how.context, name), func(b *testing.B) {
			var r *reads
			for b.Loop() {
				r = &reads{}
				var s *harness
				playSessionAfter(b, 60*how.context/8192+60, how.scene, false, func(made *harness, turn int, folded bool) {
					s = made
					play.WarmOnce(s.Play, s.Chat)
					if folded && r.full == 0 {
						r.full = len(r.list)
					}
				}, func(o *enginetest.Setup) {
					o.Cfg.Sampling.NumCtx = how.context
					o.Cfg.Stage.WarmUp = true
					o.Servers.OnRead = r.add
					spoil := o.Servers.Fault
					o.Servers.Fault = func(c demo.Call) demo.Fault { r.hear(c); return spoil(c) }
				})
			}
			var all []demo.Read
			for _, one := range r.list[r.full:] {
				all = append(all, one.Read)
			}
			list := fresh(all)
			b.ReportMetric(100-anew(all), "%reused")
			b.ReportMetric(float64(list[len(list)/2]), "new-median")
			b.ReportMetric(float64(list[len(list)*95/100]), "new-p95")
			b.ReportMetric(float64(len(list)), "requests")
			b.Log("\n" + r.table())
		})
	}
}
