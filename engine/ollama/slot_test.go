package ollama

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

// slotServer is a server that keeps the slot of a stopped reply until its model is unloaded. Its
// replies have no end while endless is true.
type slotServer struct {
	mu             sync.Mutex
	endless, kept  bool
	asked, unloads int
}

func (s *slotServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/ps" {
		_, _ = fmt.Fprint(w, `{"models":[]}`)
		return
	}
	var req struct{ Messages []Message }
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	if len(req.Messages) == 0 {
		s.unloads, s.kept = s.unloads+1, false
	} else {
		s.asked++
	}
	blocked, endless := s.kept, s.endless
	s.kept = s.kept || endless
	s.mu.Unlock()
	switch {
	case blocked:
		<-r.Context().Done()
	case endless:
		_, _ = fmt.Fprintln(w, `{"model":"tiny","message":{"role":"assistant","content":"On"}}`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	default:
		_, _ = fmt.Fprintln(w, `{"model":"tiny","message":{"role":"assistant","content":"Yes."},"done":true,`+
			`"done_reason":"stop","total_duration":1,"eval_count":2}`)
	}
}

func (s *slotServer) counts() (asked, unloads int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.unloads
}

// A request that waits behind the slot of a stopped reply is sent again after its model was unloaded.
func TestChat_KeptSlot(t *testing.T) {
	s := &slotServer{endless: true}
	c := serve(t, s.ServeHTTP)
	c.slotWait = 20 * time.Millisecond
	c.cache.models = map[string]cachedPrompt{"tiny": {speed: 1 << 30}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if res, err := c.Chat(ctx, request(), func(Delta) { cancel() }); err != nil || res.Ending != EndStopped {
		t.Fatalf("the stopped reply: %v, %+v", err, res)
	}
	s.mu.Lock()
	s.endless = false
	s.mu.Unlock()
	for i, want := range []int{3, 4} { // the first is sent twice
		res, err := c.Chat(t.Context(), request(), nil)
		if asked, unloads := s.counts(); err != nil || res.Content != "Yes." || unloads != 1 || asked != want {
			t.Errorf("reply %d: %v, %+v, %d requests and %d unloads", i, err, res, asked, unloads)
		}
	}
}

// Without a stopped reply before it a request waits as long as the settings say.
func TestChat_NoSlotKept(t *testing.T) {
	s := &slotServer{kept: true}
	c := serve(t, s.ServeHTTP, WithGiveUp(50*time.Millisecond))
	c.slotWait = time.Millisecond
	c.cache.models = map[string]cachedPrompt{"tiny": {speed: 1 << 30, until: time.Now().Add(time.Hour)}}
	_, err := c.Chat(t.Context(), request(), nil)
	if asked, unloads := s.counts(); err == nil || unloads != 0 || asked > 1 {
		t.Errorf("%v, %d requests and %d unloads", err, asked, unloads)
	}
}
