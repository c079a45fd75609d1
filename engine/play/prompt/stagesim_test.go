package prompt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// How a simulated play goes: what comes up in it, how often, and how large it is in tokens.
const (
	stageTurns    = 200
	stageSeeds    = 3
	noteTokens    = 60
	passTokens    = 280 // the instruction of the pass after a turn
	passAnswer    = 120
	memoryEvery   = 3 // turns
	memoryTokens  = 20
	maxMemories   = 10
	maxOfType     = 3
	hookTokens    = 30
	hookComes     = 0.25 // each turn
	hookGoes      = 1.0 / 3
	momentEvery   = 6
	momentTokens  = 45
	replyTokens   = 220
	messageLeast  = 8
	replyLeast    = 40
	replySpread   = 60
	messageMean   = 45
	messageSpread = 20
)

// simMemory is something that the simulated play remembers.
type simMemory struct {
	id, kind   int
	importance float64
}

// stageNotes is a stagehand that has memories, hooks, the moment and the author's
// note come and go.
type stageNotes struct {
	r         *rand.Rand
	every     int // user messages from one author's note to the next; 1: in the tail
	memories  []simMemory
	hooks     map[int]bool
	hooked    int
	moment    bool // whether every turn has a description of the current scene
	noteAt    int
	noteTimes int
}

// chosen returns the memories for the prompt: the most important ones, few of a kind.
func (n *stageNotes) chosen() []simMemory {
	all := slices.Clone(n.memories)
	slices.SortStableFunc(all, func(a, b simMemory) int {
		switch {
		case a.importance > b.importance:
			return -1
		case a.importance < b.importance:
			return 1
		}
		return b.id - a.id
	})
	var out []simMemory
	kinds := map[int]int{}
	for _, m := range all {
		if kinds[m.kind] < maxOfType && len(out) < maxMemories {
			kinds[m.kind]++
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b simMemory) int {
		if a.kind != b.kind {
			return a.kind - b.kind
		}
		return a.id - b.id
	})
	return out
}

func (n *stageNotes) turn(turn int, s *Snapshot) {
	want := func(layer, section, id string, tokens int) {
		id = layer + "/" + id
		if i := slices.IndexFunc(s.Lore, func(it LoreItem) bool { return it.ID == id }); i >= 0 {
			s.Lore[i].Active = true
			return
		}
		s.Lore = append(s.Lore, LoreItem{ID: id, Layer: layer, Section: section, Source: id, Text: text("- "+id, tokens), Place: LorePinned, Active: true, Reason: "it is so"})
	}
	if turn%memoryEvery == memoryEvery-1 {
		n.memories = append(n.memories, simMemory{len(n.memories), n.r.IntN(6), n.r.Float64()})
	}
	for _, m := range n.chosen() {
		want(LayerMemories, fmt.Sprintf("Kind %d", m.kind), fmt.Sprint(m.id), memoryTokens)
	}
	for h := range n.hooked {
		if n.hooks[h] && n.r.Float64() < hookGoes {
			delete(n.hooks, h)
		}
	}
	if n.r.Float64() < hookComes {
		n.hooks[n.hooked] = true
		n.hooked++
	}
	for h := range n.hooked {
		if n.hooks[h] {
			want(LayerHooks, "To bring up", fmt.Sprint(h), hookTokens)
		}
	}
	if n.moment {
		s.Moment = text(fmt.Sprint("moment", turn/momentEvery), momentTokens)
	}
	n.note(turn, s, want)
}

func (n *stageNotes) note(turn int, s *Snapshot, want func(layer, section, id string, tokens int)) {
	if n.every == 1 {
		s.AuthorNote = text("note", noteTokens)
		return
	}
	stands := slices.ContainsFunc(s.Lore, func(it LoreItem) bool { return it.ID == fmt.Sprint(LayerNote, "/", n.noteTimes) })
	if !stands || turn-n.noteAt >= n.every {
		n.noteAt = turn
		n.noteTimes++
	}
	want(LayerNote, "", fmt.Sprint(n.noteTimes), noteTokens)
}

// stagePlayed is the cost of simulated plays, over all seeds.
type stagePlayed struct {
	moment                 bool
	tokens, reread         int // of turns
	passTokens, passReread int
	fresh                  []int // tokens that each turn read again
	passShare              []float64
	folds, passFolds       int
	notes, lore, chat      int // tokens of them in a prompt
	lacking                int
}

func (p *stagePlayed) reused() float64 {
	return 1 - float64(p.reread+p.passReread)/float64(p.tokens+p.passTokens)
}

// simulateStage simulates a play with a pass after each turn.
func simulateStage(t testing.TB, every, reserve int, seed uint64, p *stagePlayed) {
	s := snapshot()
	s.Set = bare(t)
	s.Card.SystemPrompt = text("system", 120)
	s.Card.Description, s.Card.Personality, s.Card.Scenario = text("desc", 500), text("pers", 80), text("scen", 120)
	s.Persona.Description, s.Card.MessageExample = text("me", 80), strings.Repeat(text("<START>\nsay", 111)+"\n", 3)
	s.Limits = Limits{Context: 8192, Reply: 350, Pass: reserve}
	r := rand.New(rand.NewPCG(seed, 17))
	size := func(mean, spread float64, least, most int) int {
		return min(max(least, int(mean+spread*r.NormFloat64())), most)
	}
	s.History = []storage.Node{message(0, storage.Assistant, text("greeting", replyTokens))}
	lore, scene := keyed(subjects(2*stageTurns+1, seed), always(LorePinned)), scenes(4)
	notes := &stageNotes{r: rand.New(rand.NewPCG(seed, 23)), every: every, moment: p.moment, hooks: map[int]bool{}}
	var seen []Message
	for turn := range stageTurns {
		scene(turn, &s)
		lore(turn, &s)
		notes.turn(turn, &s)
		n := len(s.History)
		s.History = append(s.History, message(n, storage.User, text(fmt.Sprint("u", n), size(messageMean, messageSpread, messageLeast, 350))))
		prompt := mustCompile(t, s)
		if seen != nil {
			fresh := Reread(seen, prompt.Messages, words)
			p.fresh = append(p.fresh, fresh)
			p.tokens, p.reread = p.tokens+prompt.Tokens, p.reread+fresh
			p.count(prompt)
		}
		reply := message(n+1, storage.Assistant, text(fmt.Sprint("a", n+1), size(replyTokens, replySpread, replyLeast, s.Limits.Reply)))
		reply.Window = prompt.Window
		s.History = append(s.History, reply)
		s.Window, s.Lore = prompt.Window, onwardAsIs(s.Lore, prompt.Lore)
		seen = append(slices.Clone(prompt.Messages), Message{"assistant", reply.Content})
		pass := s
		pass.Appended, pass.Limits = text("job", passTokens), Limits{Context: s.Limits.Context, Reply: passAnswer}
		job := mustCompile(t, pass)
		fresh := Reread(seen, job.Messages, words)
		p.passTokens, p.passReread = p.passTokens+job.Tokens, p.passReread+fresh
		p.passShare = append(p.passShare, float64(fresh)/float64(job.Tokens))
		if job.Folded {
			p.passFolds++
		}
		seen = append(slices.Clone(job.Messages), Message{"assistant", text("answer", passAnswer)})
	}
}

// onwardAsIs is like onward, but keeps which items are active.
func onwardAsIs(lore []LoreItem, at []PinnedLore) []LoreItem {
	next := onward(lore, at)
	for i := range next {
		next[i].Active = lore[slices.IndexFunc(lore, func(it LoreItem) bool { return it.ID == next[i].ID })].Active
	}
	return next
}

func mustCompile(t testing.TB, s Snapshot) Prompt {
	p, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *stagePlayed) count(prompt Prompt) {
	if prompt.Folded {
		p.folds++
	}
	if prompt.Uncovered > 0 {
		p.lacking++
	}
	for _, l := range prompt.Parts {
		switch {
		case !l.Included:
		case l.Layer == LayerHistory:
			p.chat += l.Tokens
		case l.Layer == LayerLore:
			p.lore += l.Tokens
		case l.Layer == LayerMemories || l.Layer == LayerHooks || l.Layer == LayerMoment || l.Layer == LayerNote:
			p.notes += l.Tokens
		}
	}
}

// With the note in every second message and room for the pass, as in the engine. With a description
// of the current scene after each newest message, the reply to that is read once more; the engine
// does so before the user sends the next.
func TestThePlayKeepsTheCache(t *testing.T) {
	keepsTheCache(t, stagePlayed{}, 0.90, 350)
	keepsTheCache(t, stagePlayed{moment: true}, 0.89, 350+replyTokens/2)
}

func keepsTheCache(t *testing.T, p stagePlayed, reused float64, most int) {
	t.Helper()
	simulateStage(t, 2, passTokens+passAnswer, 0, &p)
	slices.Sort(p.fresh)
	t.Logf("%.1f %% of all tokens reused, passes and folds included; %d read by the median turn; passes read %.1f %%; %d folds",
		100*p.reused(), p.fresh[len(p.fresh)/2], 100*float64(p.passReread)/float64(p.passTokens), p.folds)
	if p.reused() < reused {
		t.Errorf("%.3f of all prompt tokens are reused", p.reused())
	}
	if median := p.fresh[len(p.fresh)/2]; median > most {
		t.Errorf("the median turn reads %d tokens", median)
	}
	if share := float64(p.passReread) / float64(p.passTokens); share > 0.05 {
		t.Errorf("passes read %.3f of their prompts", share)
	}
	if want := stageTurns * (passTokens + messageTokens); p.passReread != want || p.passFolds > 0 {
		t.Errorf("passes read %d tokens, of which %d are new; %d of them fold", p.passReread, want, p.passFolds)
	}
}

func BenchmarkStageSim(b *testing.B) {
	for _, reserve := range []int{0, passTokens + passAnswer} {
		for _, every := range []int{1, 2, 3, 4} {
			b.Run(fmt.Sprintf("note-every=%d/reserve=%d", every, reserve), func(b *testing.B) {
				var p stagePlayed
				for b.Loop() {
					p = stagePlayed{moment: true}
					for seed := range uint64(stageSeeds) {
						simulateStage(b, every, reserve, seed, &p)
					}
				}
				slices.Sort(p.fresh)
				slices.Sort(p.passShare)
				n := len(p.fresh)
				mean := 0.0
				for _, share := range p.passShare {
					mean += share / float64(len(p.passShare))
				}
				b.ReportMetric(100*p.reused(), "%reused-all")
				b.ReportMetric(100*(1-float64(p.reread)/float64(p.tokens)), "%reused-turns")
				b.ReportMetric(float64(p.fresh[n/2]), "new-median")
				b.ReportMetric(float64(p.fresh[n*95/100]), "new-p95")
				b.ReportMetric(100*float64(p.passReread)/float64(p.passTokens), "%pass-all")
				b.ReportMetric(100*mean, "%pass-mean")
				b.ReportMetric(100*p.passShare[len(p.passShare)/2], "%pass-median")
				b.ReportMetric(100*p.passShare[len(p.passShare)-1], "%pass-max")
				b.ReportMetric(float64(p.folds)/stageSeeds, "folds")
				b.ReportMetric(float64(p.passFolds)/stageSeeds, "pass-folds")
				b.ReportMetric(float64(p.chat/n), "chat-tokens")
				b.ReportMetric(float64(p.lore/n), "lore-tokens")
				b.ReportMetric(float64(p.notes/n), "note-tokens")
				b.ReportMetric(float64(p.lacking)/stageSeeds, "lacking-turns")
			})
		}
	}
}
