package play

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// SomePrompt is a prompt with all that the pane has to show.
func SomePrompt() play.PromptView {
	v := play.PromptView{Tokens: 5321, Budget: 7168, PredictedReread: 3912, TokenMS: 3.1, Speaker: "Mara",
		Last: &play.RequestCost{Prompt: 5100, Predicted: 310, Read: 298, MS: 920},
		Miss: &play.CacheMiss{Layer: prompt.LayerDescription, Source: "card: Tove", What: "it changed",
			Tokens: 3912, Seconds: 12.1},
		Warnings: []string{"{{time}} changes by itself: in the stable part it stays as it was when the chat began"}}
	part := func(layer, source, reason string, tokens int, in bool) {
		v.Parts = append(v.Parts, prompt.Part{Layer: layer, Source: source, Reason: reason, Tokens: tokens,
			Included: in})
	}
	part("main", "prompt: chat/main (built-in)", "the card has no system prompt of its own", 409, true)
	part("description", "card: Tove", "in force for the whole chat", 334, true)
	part("lore", "The island", "constant", 60, true)
	part("lore", "The lamp", "over the budget", 0, false)
	for i := range 9 {
		part("history", fmt.Sprintf("messages %d to %d", i*20+1, i*20+20),
			"starts where the last prompt started", 480, true)
	}
	part("memories", "2 memories", "the most important ones", 48, true)
	part("note", "author's note", "", 22, false)
	v.Changes = []prompt.Change{
		{Kind: prompt.Changed, Layer: "description", Source: "card: Tove", Tokens: 334, First: true},
		{Kind: prompt.Removed, Layer: "lore", Source: "The storm", Tokens: 71},
		{Kind: prompt.Moved, Layer: "lore", Source: "The island", Tokens: 60},
		{Kind: prompt.Added, Layer: "history", Source: "message 181", Tokens: 38},
	}
	v.Messages = []prompt.Message{{Role: "system", Content: "You play Tove.\n\nShe keeps the light."},
		{Role: "user", Content: "Is anybody here?"},
		{Role: "assistant", Content: strings.Repeat("A word of the reply. ", 40)}}
	return v
}

// Whatever is pressed, a line that can be chosen is chosen, and it is in view
// together with the reason below it.
func TestPromptList_KeepsTheChoiceInView(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := &promptPane{view: SomePrompt(), loaded: true, stale: true}
		for range rapid.IntRange(0, 40).Draw(t, "more parts") {
			p.view.Parts = append(p.view.Parts, prompt.Part{
				Layer: rapid.SampledFrom([]string{"lore", "history"}).Draw(t, "layer"), Source: "s",
				Reason: rapid.SampledFrom([]string{"", "why"}).Draw(t, "reason"), Included: rapid.Bool().Draw(t, "in")})
		}
		acts := []keys.Name{keys.PaneUp, keys.PaneDown, keys.PaneTop, keys.PaneBottom, keys.PaneFold, promptFoldAll}
		for range 30 {
			h := rapid.IntRange(2, 30).Draw(t, "height")
			p.do(rapid.SampledFrom(acts).Draw(t, "act"))
			p.ShowView(rapid.IntRange(0, 2).Draw(t, "view"))
			p.Move(rapid.IntRange(-5, 5).Draw(t, "wheel"))
			p.buildLines(rapid.IntRange(10, 90).Draw(t, "width"))
			l := p.list()
			l.view(h)
			l.click(rapid.IntRange(-2, 40).Draw(t, "row"))
			from, to := l.view(h)
			line := l.line()
			if line == nil || line.isFixed() || l.at < from || l.at >= to || to > len(l.lines) {
				t.Fatalf("line %d of %d is chosen, %d to %d are in view: %+v", l.at, len(l.lines), from, to, line)
			}
			if l.at+1 < len(l.lines) && l.lines[l.at+1].row == rowReason && l.at+1 >= to {
				t.Fatal("the reason is out of view")
			}
		}
	})
}

// Every part is in one section, in its order, and the sections'
// tokens are those of the prompt.
func TestPromptSections_HoldEveryPart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := &promptPane{}
		want := 0
		for range rapid.IntRange(0, 60).Draw(t, "parts") {
			part := prompt.Part{Layer: rapid.SampledFrom([]string{"main", "lore", "history"}).Draw(t, "layer"),
				Tokens: rapid.IntRange(0, 9).Draw(t, "tokens"), Included: rapid.Bool().Draw(t, "in")}
			if part.Included {
				want += part.Tokens
			}
			p.view.Parts = append(p.view.Parts, part)
		}
		at, got, seen := 0, 0, map[string]bool{}
		for _, s := range p.sections() {
			if s.from != at || s.to <= s.from || seen[s.key] {
				t.Fatalf("section %+v after %d", s, at)
			}
			at, got, seen[s.key] = s.to, got+s.tokens, true
		}
		if at != len(p.view.Parts) || got != want {
			t.Fatalf("%d parts and %d tokens, not %d and %d", at, got, len(p.view.Parts), want)
		}
	})
}

func TestPromptWords(t *testing.T) {
	for n, want := range map[int]string{0: "0", 27: "27", 99: "99", 104: "100", 347: "350", 995: "1,000", 3912: "3,900",
		1234567: "1,234,600"} {
		if n == 995 {
			want = "1,000"
		}
		if got := roughly(n); got != want {
			t.Errorf("%d is roughly %q, not %q", n, got, want)
		}
	}
	for n, want := range map[int]string{-1: "-1", 999: "999", 1000: "1,000", 100000: "100,000", -1000: "-1,000"} {
		if got := grouped(n); got != want {
			t.Errorf("%d reads %q, not %q", n, got, want)
		}
	}
	for s, want := range map[float64]string{0: "0.1 s", 0.42: "0.4 s", 1: "1 s", 1.24: "1.2 s", 12.1: "12 s",
		99: "99 s", 150: "2 min", 1e9: "hours"} {
		if got := secondsWords(s); got != want {
			t.Errorf("%g s reads %q, not %q", s, got, want)
		}
	}
	for want, b := range map[string]play.CacheMiss{
		"the description changed: about 3,900 tokens, 12 s on this computer": {What: "the description changed",
			Tokens: 3912, Seconds: 12.2},
		"the description changed: about 340 tokens":         {What: "the description changed", Tokens: 336},
		"depth prompt (card: Tove) changed: about 9 tokens": {Layer: "depth_prompt", Source: "card: Tove", Tokens: 9},
		"lore (The lamp) is gone: about 9 tokens": {Layer: "lore", Source: "The lamp",
			What: "it is gone", Tokens: 9},
	} {
		if diff := cmp.Diff(want, cacheMissWords(b)); diff != "" {
			t.Error(diff)
		}
	}
	for want, m := range map[string]*play.RequestCost{
		"": nil, "last prompt: estimated 310 tokens to read, actual about 298 · 0.9 s": {Predicted: 310, Read: 298,
			MS: 920}, "last prompt: estimated 1,310 tokens to read": {Predicted: 1310, Read: -1},
	} {
		if diff := cmp.Diff(want, measuredWords(m)); diff != "" {
			t.Error(diff)
		}
	}
}

// visitLog records visits in order.
type visitLog struct {
	mu   sync.Mutex
	said []string
}

func (v *visitLog) say(words string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.said = append(v.said, words)
}
func (v *visitLog) EnterChat(chat storage.ChatID) { v.say("+" + string(chat)) }
func (v *visitLog) LeaveChat(chat storage.ChatID) { v.say("-" + string(chat)) }

// In whatever order commands run, each chat that was entered is left before
// another is entered, and the last word is about the chat on the screen.
func TestPromptVisits_StayInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var v visitTracker
		eng := &visitLog{}
		var all sync.WaitGroup
		last := ""
		for _, chat := range rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b"}), 0, 8).Draw(t, "chats") {
			last = chat
			v.set(storage.ChatID(chat))
			all.Add(1)
			go func() { defer all.Done(); v.notify(eng) }()
		}
		all.Wait()
		at := ""
		for _, words := range eng.said {
			switch chat := words[1:]; {
			case words[0] == '+' && at == "":
				at = chat
			case words[0] == '-' && at == chat:
				at = ""
			default:
				t.Fatalf("%v", eng.said)
			}
		}
		if at != last {
			t.Fatalf("at %q, not %q: %v", at, last, eng.said)
		}
		v.leave(eng)
		v.notify(eng)
		if n := len(eng.said); last != "" && (n == 0 || eng.said[n-1] != "-"+last) {
			t.Fatalf("not left: %v", eng.said)
		}
	})
}

func BenchmarkPromptPane10000(b *testing.B) {
	p := &promptPane{view: SomePrompt(), loaded: true, opened: map[int]bool{0: true, 1: true, 2: true}}
	for i := range 10_000 {
		p.view.Parts = append(p.view.Parts,
			prompt.Part{Layer: "lore", Source: fmt.Sprint("entry ", i), Reason: "fired", Tokens: 20, Included: i%3 > 0})
	}
	p.setFold("lore 2", false)
	p.buildLines(60)
	for b.Loop() {
		p.do(keys.PaneDown)
		p.list().view(40)
		p.do(keys.PaneFold)
		p.buildLines(60)
	}
}

// do does what an action means in the pane.
func (p *promptPane) do(act keys.Name) {
	for _, a := range p.Actions() {
		if a.Name == act && a.IsVisible() {
			a.Do()
			return
		}
	}
}
