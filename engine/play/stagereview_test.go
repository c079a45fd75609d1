package play_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// crowded is an evening in so small a context that the history folds every few
// turns.
func crowded(t testing.TB, seed uint64,
	turns, scene int) (*harness, *scriptedSession, storage.LorebookID, []storage.EntryID) {
	t.Helper()
	ev := newSession(turns, scene, seed)
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Scenes.NoDetect = false
		o.Cfg.Stage = config.Stage{}
		o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 4096, 200
		o.Servers = demo.Options{Fault: o.Servers.Fault, Record: true, Scripted: o.Servers.Scripted,
			Script: func(_ []storage.Node, take int) string {
				turn := int(ev.turn.Load())
				return told(uint64(turn)*2+1+uint64(take)<<32, 90, ev.subjects(2*turn+1))
			}}
	})})
	who, err := s.Library.SaveCharacter(
		storage.Character{Card: storage.Card{Name: "Tove", Description: told(502, 100), FirstMessage: told(507, 60)}})
	enginetest.Must(t, err)
	c, err := s.Chats.New(who.ID, "An evening")
	enginetest.Must(t, err)
	s.Chat = c.ID
	var entries []storage.LoreEntry
	for i := range sessionEntries {
		entries = append(entries, enginetest.Keyed(subjectName(i), told(uint64(i)+1000, 40, "["+subjectName(i)+":"),
			subjectName(i)))
	}
	book, ids := s.Book(storage.Lorebook{Name: "The house", Chat: s.Chat}, entries...)
	enginetest.Must(t, s.Chats.SetAuthorNote(s.Chat, told(77, 30)))
	for _, kind := range []models.JobKind{models.JobRecap, models.JobRunning} {
		s.ProfileFor(kind, storage.Profile{Name: "large", NumCtx: 64 << 10})
	}
	return s, ev, book, ids
}

// asRead are the messages of a request.
func asRead(c demo.Call) (out []prompt.Message) {
	for _, m := range c.Messages {
		out = append(out, prompt.Message{Role: string(m.Role), Content: m.Content})
	}
	return out
}

// parting returns the index at which next differs from prev, -1 if it contains all of prev.
func parting(prev, next []prompt.Message) int {
	for i, m := range prev {
		if i >= len(next) || next[i] != m {
			return i
		}
	}
	return -1
}

// withoutTail returns a turn's prompt with its reply, without the part between the user's message
// and the reply: the next turn has that after its own message.
func withoutTail(list []prompt.Message) []prompt.Message {
	if n := len(list); n > 1 && list[n-2].Role == "system" {
		return append(slices.Clone(list[:n-2]), list[n-1])
	}
	return list
}

// recapIn returns the memory of a prompt.
func recapIn(list []prompt.Message) string {
	for _, m := range list {
		if strings.Contains(m.Content, "<roleplay_memory>") {
			return m.Content
		}
	}
	return ""
}

// anewBy returns the reason why a prompt has a new window: "" if it only adds.
func (s *harness) anewBy() string {
	p, _ := play.LastPrompt(s.Engine.Play)
	for _, part := range p.Parts {
		if part.Layer == prompt.LayerHistory && part.Included {
			if _, why, _ := strings.Cut(part.Reason, ", "); why != "starts where the last prompt started" &&
				why != "all messages" {
				return why
			}
		}
	}
	return ""
}

// A request about a turn continues the prompt of that turn, and so do another reply to it and the
// next turn, however often the history folds.
func TestStage_WhatFollowsATurnGoesOnFromIt(t *testing.T) {
	for seed, scene := range []int{7, 11, 15, 60} {
		t.Run(fmt.Sprint(scene), func(t *testing.T) {
			t.Parallel()
			const turns = 60
			s, ev, book, entries := crowded(t, uint64(seed), turns, scene)
			r := rand.New(rand.NewPCG(uint64(seed), 9))
			anew, followed := 0, 0
			var last []prompt.Message // of the turn before, with its reply
			for turn := range turns {
				ev.turn.Store(int64(turn))
				had := len(s.Servers.Calls())
				why := []string{}
				reply := s.Say(ev.line(turn))
				why = append(why, s.anewBy())
				for r.IntN(4) == 0 {
					enginetest.Must(t, s.Play.Regenerate(s.Chat, reply.Message))
					var err error
					reply, err = s.Ended()
					enginetest.Must(t, err)
					why = append(why, s.anewBy())
				}
				s.Work()
				s.DrainFeed()
				s.Seen = nil
				said := prompt.Message{Role: "assistant", Content: s.Node(reply.Message).Content}
				var sent []prompt.Message
				for _, c := range s.Servers.Calls()[had:] {
					got, want, what, again := asRead(c), withoutTail(last), "the turn", false
					switch {
					case c.Path != "/api/chat" || bytes.Contains(c.Body, []byte(`"num_predict":1,`)):
						continue // the second is part of the request about it
					case len(c.Format) == 0:
						if sent != nil {
							want, what = sent, "another reply"
						}
						again, why = why[0] != "", why[1:]
						sent = got
					case len(sent) == 0 || got[0] != sent[0]:
						continue // it has a prompt of its own
					default:
						want, what = append(slices.Clip(sent), said), "what is asked about it"
					}
					if again || last == nil && what == "the turn" || recapIn(got) != recapIn(want) {
						anew++
						continue
					}
					followed++
					if at := parting(want, got); at >= 0 {
						t.Fatalf("turn %d: %s parts from what was read before it at message %d of %d:\n%q\nbefore:\n%q",
							turn, what, at, len(want),
							clip(got, at), clip(want, at))
					}
				}
				last = append(slices.Clip(sent), said)
				switch turn % 9 { // what is switched off for a while leaves the prompt
				case 5:
					_, err := s.Lore.Act(book, s.Chat, entries, lore.Disable, "")
					enginetest.Must(t, err)
					last = nil
				case 6:
					_, err := s.Lore.Act(book, s.Chat, entries, lore.Enable, "")
					enginetest.Must(t, err)
				}
			}
			if anew < 10 || followed < turns {
				t.Errorf("%d prompts were made anew, %d went on", anew, followed)
			}
		})
	}
}

// clip returns the message of a prompt at which another one differs.
func clip(list []prompt.Message, at int) string {
	if at >= len(list) {
		return ""
	}
	return list[at].Role + ": " + failure.FirstRunes(list[at].Content, 200)
}

// The director's findings in a whisper are not in the notes of those who did not hear it.
func TestPresence_TheMomentOfAWhisper(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	main := s.Main()
	bea := s.Joined("Bea")
	whisper := s.SayTo("Between us: the violet stone.", main, main)
	s.sees(whisper.Message, storage.Evaluation{Status: "going", Tension: 40, Tone: "violet", Beat: "violet beat",
		Open: "who has the violet stone", Setting: "the violet cellar"})
	s.SayTo("What do you know, Bea?", bea)
	if strings.Contains(s.Sent(), "violet") {
		t.Error("Bea is told of it")
	}
	open := s.SayTo("Let us go to the amber hall.", main)
	if !strings.Contains(s.Sent(), "the violet cellar") {
		t.Error("who heard it is not told")
	}
	s.sees(open.Message, storage.Evaluation{Status: "going", Open: "where is the amber hall",
		Setting: "the violet cellar"})
	s.SayTo("Come, Bea.", bea)
	if strings.Contains(s.Sent(), "violet") {
		t.Error("what the director was shown is partly a whisper, and Bea is told what it made of that")
	}
	// The session ends: everybody learns the relationship's state.
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		en, err := storage.Engagements.Get(tx, s.ScopeNow())
		if err != nil {
			return err
		}
		return storage.Engagements.Put(tx, en.Scope, s.Director.CloseSession(tx, en))
	}))
	s.SayTo("Good morning, Bea.", bea)
	if strings.Contains(s.Sent(), "violet") {
		t.Error("how things stand tells Bea of a whisper")
	}
}

// sees stores an evaluation of a reply by the director.
func (s *harness) sees(reply storage.NodeID, seen storage.Evaluation) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		b, err := storage.TurnRecords.Get(tx, s.Chat, reply)
		if err != nil {
			return err
		}
		b.Seen = &seen
		return storage.TurnRecords.Put(tx, s.Chat, b)
	}))
}

// A character that joins late does not know what was remembered, planned or recapped while one
// character played alone.
func TestPresence_WhoJoinsLate(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	main := s.Main()
	first := s.Say("I keep a violet boat.")
	s.Remembers(first.Message, "The user keeps a violet boat")
	s.Hears(first.Message, rules.FoundHook{Type: storage.FollowUpHook, Content: "Ask about the violet sail",
		Priority: 3})
	s.Exchange(3, "violet lamp")
	s.End(s.Last().ID)
	s.Exchange(6, "amber lamp")
	bea := s.Joined("Bea")
	s.SayTo("What do you know of me, Bea?", bea)
	if sent := s.Sent(); strings.Contains(sent, "violet") {
		t.Errorf("Bea knows what was said before she came: %s", sent)
	}
	if s.SayTo("And you?", main); !strings.Contains(s.Sent(), "violet boat") ||
		!strings.Contains(s.Sent(), "violet sail") {
		t.Error("the main character has forgotten it")
	}
	hooks := s.Hooks(memory.Query{Chat: s.Chat})
	if len(hooks.List) != 1 {
		t.Errorf("%+v", hooks.List)
	}
}

// A deleted line was never said, though its answer stays. A hook that was taken up stays taken
// until the reply that did so is deleted.
func TestTree_DeletedLinesAreNotRemembered(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(3, "lamp")
	mention := s.MentionAt(s.Chat, a[1])
	mention.Sources = a[:2]
	s.RemembersBy(mention, enginetest.Tea)
	s.Hears(a[1], rules.FoundHook{Type: storage.FollowUpHook, Content: "Ask about the heron", Priority: 3})
	var hook storage.HookID
	for _, h := range s.Hooks(memory.Query{Chat: s.Chat}).List {
		hook = h.ID
	}
	taken := s.MentionAt(s.Chat, a[5])
	taken.Sources = a[4:]
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		return memory.MarkHooksTaken(tx, s.ScopeNow(), taken, []storage.HookID{hook})
	}))
	state := func(memories string, hook memory.HookState) {
		t.Helper()
		s.Knows(memories)
		if list := s.Hooks(memory.Query{Chat: s.Chat, All: true}).List; len(list) != 1 || list[0].State != hook {
			t.Errorf("%+v, want %s", list, hook)
		}
	}
	state(enginetest.Tea, memory.HookTakenUp)
	enginetest.Must(t, s.Chats.Delete(s.Chat, a[4], false))
	state(enginetest.Tea, memory.HookTakenUp)
	enginetest.Must(t, s.Chats.Delete(s.Chat, a[5], false))
	state(enginetest.Tea, memory.HookDue)
	enginetest.Must(t, s.Chats.Delete(s.Chat, a[0], false))
	state("", memory.HookDue)
	err := s.Chats.Undo(s.Chat)
	enginetest.Must(t, err)
	state(enginetest.Tea, memory.HookDue)
}

// remembering returns a long story: 2,000 memories, spread over 10,000 messages.
func remembering(b *testing.B) (s *harness, leaf storage.NodeID) {
	s = (&harness{enginetest.NewHarness(b)})
	s.Grow(5000)
	leaf = s.Last().ID
	scope := s.ScopeNow()
	enginetest.Must(b, s.Core().Store.Update(func(tx *storage.Tx) error {
		i := 0
		for p := range tx.PathInfos(s.Chat, leaf) {
			if i++; i%5 != 0 {
				continue
			}
			n := i / 5
			m := storage.Memory{ID: storage.MemoryID(storage.NewID()),
				Type: storage.MemoryTypes[n%len(storage.MemoryTypes)], Content: told(uint64(n), 20),
				Mentions: []storage.Mention{{Chat: s.Chat, Node: p.ID, Depth: p.Depth,
					Sources: []storage.NodeID{p.Parent, p.ID}, Importance: 0.5}}}
			if err := storage.Memories.Put(tx, scope, m); err != nil {
				return err
			}
		}
		return nil
	}))
	b.ResetTimer()
	return s, leaf
}

func BenchmarkHeldMemories(b *testing.B) {
	s, leaf := remembering(b)
	scope := s.ScopeNow()
	for b.Loop() {
		enginetest.Must(b, s.Core().Store.View(func(tx *storage.Tx) error {
			held := memory.PathsOf(tx, scope, s.Chat, leaf).Memories()
			if len(held) < 1990 {
				b.Errorf("%d memories", len(held))
			}
			return nil
		}))
	}
}

func BenchmarkKeepMemories(b *testing.B) {
	s, leaf := remembering(b)
	scope, at, n := s.ScopeNow(), s.MentionAt(s.Chat, leaf), uint64(10000)
	for b.Loop() {
		var found []rules.FoundMemory
		for i := range 3 {
			n++
			found = append(found, rules.FoundMemory{Type: storage.MemoryTypes[i], Content: told(n, 20),
				Importance: 0.5, Mention: at})
		}
		enginetest.Must(b, s.Core().Store.Update(func(tx *storage.Tx) error {
			_, err := memory.StoreMemories(tx, scope, found)
			return err
		}))
	}
}

// Lore that is activated at a reply that another reply follows stays in its place too, in later
// prompts.
func TestLore_FiresAtAReply(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	s.Plain()
	s.Book(storage.Lorebook{Name: "The house", Chat: s.Chat}, enginetest.Keyed("Boat", "[Boat: violet]", "boat"))
	s.Say("Hello.")
	enginetest.Must(t, s.Chats.Edit(s.Chat, s.Last().ID, "There is a boat."))
	enginetest.Must(t, s.Play.Speak(s.Chat, ""))
	_, err := s.Ended()
	enginetest.Must(t, err)
	want := asRead(s.TurnsSent()[1])
	want = want[:len(want)-1] // but for the word that asks for another turn
	if !strings.Contains(fmt.Sprint(want), "violet") {
		t.Fatal("it has not fired")
	}
	s.Say("And then?")
	got := asRead(s.TurnsSent()[2])
	if at := parting(want, got); at >= 0 {
		t.Errorf("message %d: %q, before %q", at, clip(got, at), clip(want, at))
	}
}
