package pictures

import (
	"context"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
)

// How long servers may take to say what they lack before workflows are offered, and
// how long what they said counts.
const (
	offerTimeout = 5 * time.Second
	offerTTL     = time.Minute
)

// offerCache remembers what the servers lack for the workflows that come with the program.
type offerCache struct {
	mu    sync.Mutex
	at    time.Time
	words map[string]string
}

// Offers says of each workflow that comes with the program what keeps it from being
// offered: what all servers lack for it, "" where one has it all. One that no server
// could be asked about is missing. What was said is asked again after a minute.
func (flows *Workflows) Offers(ctx context.Context) map[string]string {
	now := flows.core.Config.Now()
	flows.offers.mu.Lock()
	defer flows.offers.mu.Unlock()
	if flows.offers.words != nil && now.Sub(flows.offers.at) < offerTTL && now.Sub(flows.offers.at) >= 0 {
		return flows.offers.words
	}
	ctx, cancel := context.WithTimeout(ctx, offerTimeout)
	defer cancel()
	list, _ := flows.List()
	out := map[string]string{}
	var mu sync.Mutex
	var wait sync.WaitGroup
	for _, server := range flows.models.Comfy {
		wait.Add(1)
		crash.Go("offer workflows", func() {
			defer wait.Done()
			for _, w := range list {
				if !w.Builtin {
					continue
				}
				lacks, err := server.Missing(ctx, w)
				if err != nil {
					return // it is asked again when it is needed
				}
				mu.Lock()
				if words, told := out[w.Name]; !told || words != "" {
					out[w.Name] = comfy.MissingList(lacks)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if len(out) > 0 {
		flows.offers.at, flows.offers.words = now, out
	}
	return out
}
