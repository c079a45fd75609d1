package memorybench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// How long a prompt may be, and a reply.
const (
	context = 8192
	reply   = 350
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// run plays a story through a whole engine.
type run struct {
	*enginetest.Harness
	promptReader
	model  *Model
	who    [2]storage.CharacterID
	user   []storage.NodeID // of each turn
	answer []storage.NodeID
	last   [2]string       // prompt of each speaker, with the reply
	seen   map[string]bool // what is counted once
	f      *Results
	each   func(a Asked, s promptFacts) // is shown every prompt of a reply; nil for nobody
}

// start opens an engine as users have it, with two characters that the story is told
// between, and a model of some carelessness.
func start(t testing.TB, story *Story, rates Rates, seed uint64) *run {
	r := &run{promptReader: promptReader{story: story, played: map[string]bool{}}, model: NewModel(story, rates, seed), seen: map[string]bool{}, f: newResults()}
	r.Harness = enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Scenes, o.Cfg.Lore, o.Cfg.Stage = config.Scenes{}, config.Lore{}, config.Stage{}
		o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = context, reply
		o.Servers = demo.Options{Answer: r.model.Answer, OnRead: func(read demo.Read) {
			if !read.Structured || read.Job == demo.AfterTurnJob || read.Job == demo.DetectJob {
				r.f.Fresh, r.f.Read = r.f.Fresh+read.Fresh, r.f.Read+read.Prompt
			}
		}}
	})
	for i, name := range story.Speakers {
		who, err := r.Library.SaveCharacter(storage.Character{Immersion: storage.Full, Card: storage.Card{Name: name,
			Description: name + " keeps the house by the water. " + strings.Repeat("The house is old and has many rooms. ", 30), FirstMessage: "The lamp is lit, and nobody speaks yet."}})
		enginetest.Must(t, err)
		r.who[i] = who.ID
	}
	c, err := r.Chats.New(r.who[0], "A story")
	enginetest.Must(t, err)
	r.Chat = c.ID
	enginetest.Must(t, r.Chats.JoinCast(r.Chat, r.who[1]))
	r.played["The lamp is lit, and nobody speaks yet."] = true
	return r
}

// play tells the whole story.
func (r *run) play() {
	for n, sc := range r.story.Scenes {
		for at := sc.First; at < sc.End; at++ {
			r.turn(n, at)
		}
		if n >= 2 {
			r.afterwards(r.story.Scenes[n-2])
		}
	}
	r.f.Stories, r.f.Turns = 1, len(r.story.Turns)
	for _, f := range r.story.Facts {
		if f.Ended > 0 {
			r.f.Ended++
		}
	}
	list, err := r.Engine.Scenes.List(r.Chat)
	enginetest.Must(r.T, err)
	ends := map[storage.NodeID]bool{}
	for _, sc := range r.story.Scenes {
		ends[r.answer[sc.End-1]] = true
	}
	for _, s := range list.List {
		if s.Break != "" && !ends[s.Break] {
			r.f.Stray++
		}
	}
}

// turn plays a turn, with what the user does around it.
func (r *run) turn(n, at int) {
	t, sc := r.story.Turns[at], r.story.Scenes[n]
	if e := t.Edit; e != nil {
		r.played[e.Text] = true
		enginetest.Must(r.T, r.Chats.Edit(r.Chat, r.user[e.Turn], e.Text))
	}
	if at == sc.First && (n == 0 && sc.Away || n > 0 && sc.Away != r.story.Scenes[n-1].Away) {
		enginetest.Must(r.T, r.Chats.SetAway(r.Chat, r.who[1], sc.Away))
	}
	r.played[t.User], r.played[t.Reply] = true, true
	said := t.Reply
	if t.Swiped != "" {
		said = t.Swiped
	}
	var to []storage.CharacterID
	if t.Whisper {
		to = []storage.CharacterID{r.who[t.Speaker]}
	}
	r.model.Next(at, t.Speaker, said)
	turn := r.SayTo(t.User, r.who[t.Speaker], to...)
	r.user, r.answer = append(r.user, turn.UserMessage), append(r.answer, turn.Message)
	if at == sc.First && n > 0 && r.story.Scenes[n-1].Late {
		r.cancelRecaps()
	}
	r.work()
	if t.Swiped != "" {
		r.model.Next(at, t.Speaker, t.Reply)
		if on, err := r.Play.Swipe(r.Chat, turn.Message, 1); err != nil || !on {
			r.T.Fatalf("swiping: %v %v", on, err)
		}
		again, err := r.Ended()
		enginetest.Must(r.T, err)
		r.answer[at] = again.Message
		r.work()
	}
	r.see(at, t.Reply)
	if at == sc.First && n > 0 {
		r.ends(r.story.Scenes[n-1])
	}
}

// see counts the prompts of a turn.
func (r *run) see(at int, said string) {
	for _, a := range r.model.Take() {
		text := flat(a.Messages)
		switch {
		case r.bare[a.Speaker] == nil:
			r.bare[a.Speaker] = map[string]bool{}
			for line := range strings.Lines(text) {
				r.bare[a.Speaker][strings.TrimSpace(line[strings.LastIndexByte(line, 0)+1:])] = true
			}
		case a.Pass:
			r.f.PassSame, r.f.PassWhole = r.f.PassSame+common(text, r.last[a.Speaker]), r.f.PassWhole+len(text)
		default:
			r.f.Same, r.f.Whole = r.f.Same+common(text, r.last[a.Speaker]), r.f.Whole+len(text)
			r.f.addPrefixLoss(&r.promptReader, text, r.last[a.Speaker])
		}
		if a.Pass {
			r.f.addLeaks(r.read(a.Speaker, a.Messages[len(a.Messages)-1:]), a, r.seen)
			continue
		}
		r.last[a.Speaker] = text + "\x00assistant\x00" + said
		s := r.read(a.Speaker, a.Messages)
		r.f.addPrompt(s, a, r.seen)
		if at >= len(r.story.Turns)*3/4 {
			r.f.Memory, r.f.Counted, r.f.Largest = r.f.Memory+s.bytes, r.f.Counted+1, max(r.f.Largest, s.bytes)
		}
		if r.each != nil {
			r.each(a, s)
		}
	}
}

// work lets the queue come to its end, and counts what failed on the way.
func (r *run) work() {
	if _, err := r.Queue.Drain(r.Context()); err == nil {
		return
	}
	ops, err := r.Queue.List()
	enginetest.Must(r.T, err)
	for _, op := range ops {
		if op.Status == storage.Failed && !r.seen[string(op.ID)] {
			r.seen[string(op.ID)] = true
			r.f.Failed++
			r.f.Faults[fmt.Sprintf("%s: %s", op.Type, op.Error)]++
		}
	}
}

// cancelRecaps takes from the queue what would recap the scene that has just ended.
func (r *run) cancelRecaps() {
	ops, err := r.Queue.List()
	enginetest.Must(r.T, err)
	for _, op := range ops {
		if op.Status == storage.Pending && strings.Contains(op.Type, "recap") {
			enginetest.Must(r.T, r.Queue.Cancel(op.ID))
		}
	}
}

// ends sees to it that a scene has ended where it does: the user sets the break that
// nobody has found.
func (r *run) ends(sc Scene) {
	set, err := r.Engine.Scenes.SetBreak(r.Chat, r.answer[sc.End-1], true)
	enginetest.Must(r.T, err)
	if set && !sc.Late {
		_, err = r.Engine.Scenes.Recap(r.Chat, r.answer[sc.End-1], scenes.RecapRequest{})
		enginetest.Must(r.T, err)
		r.work()
	}
}

// afterwards does what the user comes to late: the recap of a scene, its recall test, another
// one.
func (r *run) afterwards(sc Scene) {
	end := r.answer[sc.End-1]
	if sc.Late {
		_, err := r.Engine.Scenes.Recap(r.Chat, end, scenes.RecapRequest{})
		enginetest.Must(r.T, err)
		r.work()
	}
	if !sc.Again {
		return
	}
	if _, err := r.Engine.Scenes.QueueRecallTest(r.Chat, end); err != nil {
		r.f.Faults["recall test: "+err.Error()]++
		return
	}
	r.work()
	if _, err := r.Engine.Scenes.RepairRecap(r.Chat, end); err != nil {
		_, err := r.Engine.Scenes.Recap(r.Chat, end, scenes.RecapRequest{Force: true, Instruction: "More of what was agreed on."})
		enginetest.Must(r.T, err)
	}
	r.work()
}

// probe asks a speaker something, reads the prompt, and takes it back.
func (r *run) probe(speaker int, line string) promptFacts {
	head := r.Last().ID
	r.played[line] = true
	r.model.Next(len(r.story.Turns), speaker, "Let me think.")
	r.SayTo(line, r.who[speaker])
	asked := r.model.Take()
	enginetest.Must(r.T, r.Chats.Goto(r.Chat, head))
	a := asked[len(asked)-1]
	s := r.read(speaker, a.Messages)
	r.f.addLeaks(s, a, r.seen)
	return s
}

// examine counts what each speaker knows in the end, and what comes back when its
// subject is named.
func (r *run) examine() {
	enginetest.Must(r.T, r.Chats.SetAway(r.Chat, r.who[1], false))
	for speaker := range r.story.Speakers {
		now := r.probe(speaker, "And now?")
		for f := range now.tellers {
			if f.Invented {
				r.f.Invented++
			}
		}
		asked := map[string]promptFacts{}
		for _, f := range r.story.Facts {
			if f.Ended > 0 || !f.Known[speaker] {
				continue
			}
			r.f.Hold++
			if len(now.tellers[f]) > 0 {
				r.f.InPrompt++
				continue
			}
			if _, done := asked[f.Subject]; !done {
				asked[f.Subject] = r.probe(speaker, "What of "+f.Subject+"?")
			}
			if len(asked[f.Subject].tellers[f]) > 0 {
				r.f.Back++
				continue
			}
			why := r.model.notes[f]
			if why == "" {
				why = "left out by the program"
				if f.Secret {
					why += ", a secret"
				}
			}
			r.f.Lost[why]++
		}
	}
}
