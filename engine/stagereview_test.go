package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ghostlight/engine/rehearsal"
	"ghostlight/engine/script"
	"ghostlight/storage"
)

// crowded is an evening in so small a context that the history folds every few
// turns.
func crowded(t testing.TB, seed uint64, turns, scene int) (*stage, *evening, storage.LorebookID, []storage.EntryID) {
	t.Helper()
	ev := newEvening(turns, scene, seed)
	s := newStage(t, func(o *setup) {
		o.cfg.Scenes.NoDetect = false
		o.cfg.Stage = StageConfig{}
		o.cfg.Sampling.NumCtx, o.cfg.Sampling.NumPredict = 4096, 200
		o.house = rehearsal.Options{Fault: o.house.Fault, Record: true, Script: func(_ []storage.Node, take int) string {
			turn := int(ev.turn.Load())
			return told(uint64(turn)*2+1+uint64(take)<<32, 90, ev.subjects(2*turn+1))
		}}
	})
	who, err := s.SaveCharacter(storage.Character{Card: storage.Card{Name: "Tove", Description: told(502, 100), FirstMessage: told(507, 60)}})
	must(t, err)
	c, err := s.NewChat(who.ID, "An evening")
	must(t, err)
	s.chat = c.ID
	var entries []storage.LoreEntry
	for i := range eveningEntries {
		entries = append(entries, keyed(subjectName(i), told(uint64(i)+1000, 40, "["+subjectName(i)+":"), subjectName(i)))
	}
	book, ids := s.book(storage.Lorebook{Name: "The house", Chat: s.chat}, entries...)
	must(t, s.SetAuthorNote(s.chat, told(77, 30)))
	for _, kind := range []JobKind{JobRecap, JobRunning} {
		s.profileFor(kind, storage.Profile{Name: "large", NumCtx: 64 << 10})
	}
	return s, ev, book, ids
}

// asRead are the messages of a request.
func asRead(c rehearsal.Call) (out []script.Message) {
	for _, m := range c.Messages {
		out = append(out, script.Message{Role: string(m.Role), Content: m.Content})
	}
	return out
}

// parting is where next no longer is as prev, -1 where all of prev is in it.
func parting(prev, next []script.Message) int {
	for i, m := range prev {
		if i >= len(next) || next[i] != m {
			return i
		}
	}
	return -1
}

// recapIn is what a prompt is told of what it has no room for.
func recapIn(list []script.Message) string {
	for _, m := range list {
		if strings.Contains(m.Content, "<roleplay_memory>") {
			return m.Content
		}
	}
	return ""
}

// anewBy tells why a prompt was made anew: "" for one that only adds.
func (s *stage) anewBy() string {
	s.Engine.mu.Lock()
	p := s.Engine.last.prompt
	s.Engine.mu.Unlock()
	for _, part := range p.Ledger {
		if part.Layer == script.LayerHistory && part.Included {
			if _, why, _ := strings.Cut(part.Reason, ", "); why != "begins where the last prompt began" && why != "all there is" {
				return why
			}
		}
	}
	return ""
}

// What is asked about a turn goes on from the prompt of that turn, and so do
// another reply to it and the next turn, however often the history folds.
func TestStage_WhatFollowsATurnGoesOnFromIt(t *testing.T) {
	for seed, scene := range []int{7, 11, 15, 60} {
		t.Run(fmt.Sprint(scene), func(t *testing.T) {
			t.Parallel()
			const turns = 60
			s, ev, book, entries := crowded(t, uint64(seed), turns, scene)
			r := rand.New(rand.NewPCG(uint64(seed), 9))
			anew, followed := 0, 0
			var last []script.Message // of the turn before, with its reply
			for turn := range turns {
				ev.turn.Store(int64(turn))
				had := len(s.house.Calls())
				why := []string{}
				reply := s.say(ev.line(turn))
				why = append(why, s.anewBy())
				for r.IntN(4) == 0 {
					must(t, s.Regenerate(s.chat, reply.Message))
					var err error
					reply, err = s.ended()
					must(t, err)
					why = append(why, s.anewBy())
				}
				s.work()
				s.drainFeed()
				s.seen = nil
				said := script.Message{Role: "assistant", Content: s.node(reply.Message).Content}
				var sent []script.Message
				for _, c := range s.house.Calls()[had:] {
					got, want, what, again := asRead(c), last, "the turn", false
					switch {
					case c.Path != "/api/chat":
						continue
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
						t.Fatalf("turn %d: %s parts from what was read before it at message %d of %d:\n%q\nbefore:\n%q", turn, what, at, len(want),
							clip(got, at), clip(want, at))
					}
				}
				last = append(slices.Clip(sent), said)
				switch turn % 9 { // what is switched off for a while stands nowhere after that
				case 5:
					_, err := s.ActLore(book, s.chat, entries, LoreDisable, "")
					must(t, err)
					last = nil
				case 6:
					_, err := s.ActLore(book, s.chat, entries, LoreEnable, "")
					must(t, err)
				}
			}
			if anew < 10 || followed < turns {
				t.Errorf("%d prompts were made anew, %d went on", anew, followed)
			}
		})
	}
}

// clip is the message of a prompt at which another parts from it.
func clip(list []script.Message, at int) string {
	if at >= len(list) {
		return ""
	}
	return list[at].Role + ": " + firstRunes(list[at].Content, 200)
}
