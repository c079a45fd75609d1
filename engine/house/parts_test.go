package house_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func words(n int, word string) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }

func TestInParts(t *testing.T) {
	t.Parallel()
	count := func(s string) int { return len(strings.Fields(s)) }
	prompt := []ollama.Message{{Role: "system", Content: words(3000, "rule")}, {Role: "user", Content: words(50, "hello")}, {Role: "user", Content: words(950, "läuft")}}
	for _, c := range []struct {
		name    string
		unread  int
		tokenMS float64
		want    []int // tokens of each part
	}{
		{"nobody knows how fast", 4000, 0, []int{128, 320, 608, 1040, 1688, 2660}},
		{"nobody knows how fast, but it is little", 250, 0, nil},
		{"soon read", 900, 1, nil},
		{"all of it", 4000, 1, []int{700, 1400, 2100, 2800, 3500}},
		{"its end", 1100, 1, []int{3600}},
		{"more unread than there is", 9000, 1, []int{700, 1400, 2100, 2800, 3500}},
		{"so slow that parts are bounded", 4000, 5000, nil},
	} {
		parts := partsOf(house.InParts(prompt, count, c.unread, c.tokenMS), 0)
		if c.tokenMS == 5000 {
			if len(parts) < 32 || len(parts) > 64 {
				t.Errorf("%s: %d parts", c.name, len(parts))
			}
			continue
		}
		if len(parts) != len(c.want) {
			t.Errorf("%s: %d parts, want %d", c.name, len(parts), len(c.want))
			continue
		}
		for i, part := range parts {
			got := 0
			for k, m := range part {
				got += count(m.Content)
				if m.Role != prompt[k].Role || k < len(part)-1 && m.Content != prompt[k].Content || !strings.HasPrefix(prompt[k].Content, m.Content) {
					t.Errorf("%s: part %d is no beginning of the prompt", c.name, i)
				}
			}
			if got < c.want[i]-2 || got > c.want[i]+2 {
				t.Errorf("%s: part %d has %d tokens, want %d", c.name, i, got, c.want[i])
			}
		}
	}
}

// partsOf are all parts of a prompt, read by a server that takes so long for each token.
func partsOf(next func(time.Duration) []ollama.Message, token time.Duration) (parts [][]ollama.Message) {
	if next == nil {
		return nil
	}
	before, took := 0, time.Duration(0)
	for part := next(0); part != nil; part = next(took) {
		size := house.TokensOf(part, func(s string) int { return len(strings.Fields(s)) })
		took, before = time.Duration(size-before)*token, size
		parts = append(parts, part)
	}
	return parts
}

// A server that reads more slowly than was known, since its machine has much else to do,
// gets smaller parts, and larger ones again when that is over.
func TestInParts_FollowTheTimeTheyTake(t *testing.T) {
	t.Parallel()
	count := func(s string) int { return len(strings.Fields(s)) }
	prompt := []ollama.Message{{Role: "system", Content: words(4000, "rule")}}
	for _, known := range []float64{0, 0.5, 1, 10} {
		slow := partsOf(house.InParts(prompt, count, 4000, known), 7*time.Millisecond)
		for i := 1; i < len(slow); i++ {
			if part := house.TokensOf(slow[i], count) - house.TokensOf(slow[i-1], count); part > 105 || part < 40 {
				t.Errorf("known %v ms: part %d of %d has %d tokens at 7 ms", known, i, len(slow), part)
			}
		}
		if rest := 4000 - house.TokensOf(slow[len(slow)-1], count); rest > 160 {
			t.Errorf("known %v ms: %d tokens are read at once after %d parts", known, rest, len(slow))
		}
	}
	next := house.InParts(prompt, count, 4000, 1)
	var sizes []int
	for _, took := range []time.Duration{0, 7 * time.Second, 10 * time.Millisecond, 10 * time.Millisecond} {
		sizes = append(sizes, house.TokensOf(next(took), count))
	}
	if sizes[1]-sizes[0] > 80 || sizes[2]-sizes[1] != 700 {
		t.Errorf("after a slow part it goes on with %v", sizes)
	}
}

// Of a model whose pace nobody knows, as one that only background work asks, no long part
// is read either.
func TestAskJob_OfUnknownPace(t *testing.T) {
	t.Parallel()
	reads := make(chan rehearsal.Read, 100)
	s := &stage{enginetest.NewStage(t, func(u *enginetest.Setup) { u.House.OnRead = func(r rehearsal.Read) { reads <- r } })}
	var c storage.Chat
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Chats.Get(tx, s.Chat); return err }))
	j, err := s.House.Job(t.Context(), house.JobRecap, c)
	enginetest.Must(t, err)
	j.Options.NumCtx = 16384
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "Line %d of what happened here. ", i)
	}
	var into struct{ Answer string }
	form := house.AnswerForm{Schema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`), Into: &into}
	enginetest.Must(t, s.House.AskJob(t.Context(), j, []prompts.Message{{Role: "user", Content: text.String()}}, form, func(queue.Progress) {}))
	list := drain(reads)
	if len(list) < 4 {
		t.Fatalf("%d requests", len(list))
	}
	before := 200
	for i, r := range list {
		if r.Fresh > before*2 {
			t.Errorf("request %d had %d tokens read at once, after %d", i, r.Fresh, before)
		}
		before = r.Fresh
	}
}

// A long prompt of background work is read in parts, none of which the user would wait
// for, and who comes in the middle of one ends it there.
func TestAskJob_InParts(t *testing.T) {
	t.Parallel()
	reads, leave := make(chan rehearsal.Read, 100), make(chan func(), 1)
	s := &stage{enginetest.NewStage(t, func(u *enginetest.Setup) {
		u.House.OnRead = func(r rehearsal.Read) {
			reads <- r
			if len(reads) == 2 {
				select {
				case f := <-leave:
					f()
				default:
				}
			}
		}
	})}
	var c storage.Chat
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Chats.Get(tx, s.Chat); return err }))
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return s.House.LearnPace(tx, rehearsal.Model, 1000, 1000) }))
	j, err := s.House.Job(t.Context(), house.JobRecap, c)
	enginetest.Must(t, err)
	j.Options.NumCtx = 16384
	var text strings.Builder
	for i := range 800 {
		fmt.Fprintf(&text, "Line %d of what happened here. ", i)
	}
	prompt := []prompts.Message{{Role: "system", Content: text.String()}, {Role: "user", Content: "What of it?"}}
	var into struct{ Answer string }
	form := house.AnswerForm{Schema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`), Into: &into}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	leave <- cancel
	if err := s.House.AskJob(ctx, j, prompt, form, func(queue.Progress) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("left in the middle: %v", err)
	}
	if list := drain(reads); len(list) != 2 {
		t.Errorf("left in the middle of the second part, the server was given %d", len(list))
	}
	enginetest.Must(t, s.House.AskJob(t.Context(), j, prompt, form, func(queue.Progress) {}))
	list := drain(reads)
	if len(list) < 4 {
		t.Fatalf("%d requests read %d tokens", len(list), list[len(list)-1].Prompt)
	}
	for i, r := range list {
		if r.Fresh > 1000 {
			t.Errorf("request %d had %d tokens read at once", i, r.Fresh)
		}
	}
}

// Of a prompt that its server finds too long background work learns how wrong the estimate
// is: it is told that the prompt does not fit, as if that had been known before.
func TestAskJob_LongerThanEstimated(t *testing.T) {
	t.Parallel()
	s := &stage{enginetest.NewStage(t)}
	var c storage.Chat
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Chats.Get(tx, s.Chat); return err }))
	j, err := s.House.Job(t.Context(), house.JobRecap, c)
	enginetest.Must(t, err)
	prompt := []prompts.Message{{Role: "system", Content: strings.Repeat("?!?!"+strings.Repeat(" ", 12), j.Options.NumCtx/8)}, {Role: "user", Content: "What of it?"}}
	enginetest.Must(t, j.Fits(prompt))
	var into struct{ Answer string }
	form := house.AnswerForm{Schema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`), Into: &into}
	var big *failure.BigPromptError
	if err := s.House.AskJob(t.Context(), j, prompt, form, func(queue.Progress) {}); !errors.As(err, &big) || big.Need <= j.Options.NumCtx {
		t.Errorf("it was refused with %v", err)
	}
}

func drain(reads chan rehearsal.Read) (list []rehearsal.Read) {
	for {
		select {
		case r := <-reads:
			list = append(list, r)
		default:
			return list
		}
	}
}
