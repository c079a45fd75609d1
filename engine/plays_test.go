package engine

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/director/rules"
	"ghostlight/storage"

	"github.com/google/go-cmp/cmp"
)

func (s *stage) director() DirectorView {
	s.t.Helper()
	v, err := s.Director(s.chat)
	must(s.t, err)
	return v
}

func (s *stage) state(want PlayState) {
	s.t.Helper()
	if v := s.director(); v.State != want || (v.Ended != nil) != (want == PlayComplete) {
		s.t.Errorf("the play is %s (%+v), want %s", v.State, v.Ended, want)
	}
}

// play begins a play of a new series and opens it.
func (s *stage) play(ep storage.Episode, who ...storage.CharacterID) (storage.Chat, []storage.Episode) {
	s.t.Helper()
	_, eps := s.series("S", append([]storage.CharacterID{s.main()}, who...), ep, storage.Episode{Title: "the next"})
	c, err := s.NewPlay(PlayRequest{Episode: eps[0].ID})
	must(s.t, err)
	s.chat = c.ID
	return c, eps
}

func TestNewPlay_BeginsWithTheOpeningLine(t *testing.T) {
	s := newStage(t)
	kit := s.actor("Kit", "*Kit nods.*")
	c, eps := s.play(storage.Episode{Title: "Low tide", Opening: "*{{char}} waves to {{user}}.*"}, kit)
	if c.Title != "S: Low tide" || c.Play.Episode != eps[0].ID || string(c.Play.Series) != string(s.scopeNow()) {
		t.Errorf("%+v", c)
	}
	first := s.node(c.Head)
	persona, err := s.Personas()
	must(t, err)
	if want := "*Tove waves to " + persona[0].Name + ".*"; first.Content != want || first.Speaker != s.main() || first.Role != storage.Assistant || len(s.nodes()) != 1 {
		t.Errorf("%+v", first)
	}
	cast, err := s.Cast(s.chat)
	must(t, err)
	if len(cast.List) != 2 || !cast.List[0].Main || cast.List[1].Character != kit || cast.Order != storage.OrderRobin || cast.Next != kit {
		t.Errorf("%+v", cast)
	}
	again, err := s.NewPlay(PlayRequest{Episode: eps[0].ID, Character: kit, Title: " Mine  alone "})
	must(t, err)
	if again.Character != kit || again.Title != "Mine alone" || len(again.Play.Cast) != 1 || again.Play.Cast[0].Character != s.main() {
		t.Errorf("%+v", again)
	}
	third, err := s.NewPlay(PlayRequest{Episode: eps[0].ID})
	must(t, err)
	if third.Title != "S: Low tide (2)" {
		t.Errorf("title %q", third.Title)
	}
	greeted, err := s.NewPlay(PlayRequest{Episode: eps[1].ID, Character: kit})
	must(t, err)
	s.chat = greeted.ID
	if n := s.node(greeted.Head); n.Content != "*Kit nods.*" || n.Speaker != kit {
		t.Errorf("%+v", n)
	}
	s.sound()
}

func TestNewPlay_NeedsSomebodyToPlayWith(t *testing.T) {
	s := newStage(t)
	kit := s.actor("Kit", "")
	_, eps := s.series("Empty", []storage.CharacterID{kit}, storage.Episode{Title: "a"})
	must(t, s.DeleteCharacter(kit))
	if _, err := s.NewPlay(PlayRequest{Episode: eps[0].ID}); !errors.Is(err, ErrNothing) || !strings.Contains(Words(err), "no character yet") {
		t.Error(err)
	}
	if c, err := s.NewPlay(PlayRequest{Episode: eps[0].ID, Character: s.main()}); err != nil || c.Character != s.main() {
		t.Error(c, err)
	}
	for _, r := range []PlayRequest{{}, {Episode: eps[0].ID, Character: kit}} {
		if _, err := s.NewPlay(r); !errors.Is(err, storage.ErrNotFound) {
			t.Error(err)
		}
	}
	if chats, err := s.Chats(); err != nil || len(chats) != 2 {
		t.Errorf("%d chats: %v", len(chats), err)
	}
}

func TestPlay_IsCompleteOnItsBranch(t *testing.T) {
	c := newClock()
	s := newStage(t, withClock(c))
	s.state(PlayPlain)
	for name, err := range map[string]error{"pause": s.PausePlay(s.chat, true), "complete": s.CompletePlay(s.chat, true)} {
		if !errors.Is(err, ErrNothing) {
			t.Errorf("%s without an episode: %v", name, err)
		}
	}
	_, eps := s.play(storage.Episode{Title: "Low tide"})
	a := s.exchange(2, "lamp")
	s.state(PlayActive)
	s.drainFeed()
	must(t, s.CompletePlay(s.chat, true))
	ended := until(s, func(e EpisodeEnded) bool { return e.Chat == s.chat })
	if ended.By != storage.EndedByUser || ended.Next == nil || ended.Next.ID != eps[1].ID {
		t.Errorf("%+v", ended)
	}
	must(t, s.CompletePlay(s.chat, true))
	s.reopen()
	s.state(PlayComplete)
	s.exchange(1, "door")
	s.state(PlayComplete)
	must(t, s.Branch(s.chat, a[1]))
	s.state(PlayActive)
	b := s.exchange(1, "key")
	must(t, s.CompletePlay(s.chat, true))
	s.state(PlayComplete)
	must(t, s.CompletePlay(s.chat, false))
	s.state(PlayActive)
	must(t, s.Goto(s.chat, a[3]))
	s.state(PlayComplete) // that of the other branch was not meant
	must(t, s.Delete(s.chat, a[3], true))
	s.state(PlayActive)
	must(t, s.Undo(s.chat))
	s.state(PlayComplete)
	must(t, s.SetEpisode(s.chat, eps[1].ID))
	s.state(PlayActive)
	if v := s.director(); v.Next != nil || v.Episode.ID != eps[1].ID || v.Series == nil {
		t.Errorf("%+v", v)
	}
	must(t, s.PausePlay(s.chat, true))
	s.state(PlayPaused)
	must(t, s.Goto(s.chat, b[1]))
	must(t, s.PausePlay(s.chat, false))
	c.advance(FadeAfter + time.Second)
	s.state(PlayFaded)
	s.sound()
}

func TestPlay_SparksAreRefilled(t *testing.T) {
	s := newStage(t)
	if v := s.director(); v.Allowance != DefaultSparks || v.Left != DefaultSparks || v.Mode != storage.ScenesOff {
		t.Errorf("%+v", v)
	}
	must(t, s.change(s.chat, func(c *storage.Chat) { c.Play.Spent = 45 }))
	if v := s.director(); v.Left != 5 {
		t.Errorf("%d are left", v.Left)
	}
	must(t, s.RefillSparks(s.chat, 7))
	if v := s.director(); v.Allowance != 7 || v.Left != 7 {
		t.Errorf("%+v", v)
	}
	must(t, s.RefillSparks(s.chat, 0))
	if v := s.director(); v.Allowance != 0 || v.Left != 0 {
		t.Errorf("%+v", v)
	}
	for _, n := range []int{-1, mostSparks + 1} {
		if err := s.RefillSparks(s.chat, n); !errors.Is(err, ErrNothing) {
			t.Error(n, err)
		}
	}
}

// beats gives replies beats, as the director saw them.
func (s *stage) beats(nodes ...storage.NodeID) {
	s.t.Helper()
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		for _, id := range nodes {
			n, err := tx.Node(s.chat, id)
			if err != nil {
				return err
			}
			b := storage.Beat{Node: id, Turn: turnAt(tx, s.chat, n.Parent) + 1, At: s.now(),
				Seen: &storage.Evaluation{Status: "going", Tension: 40, Tone: "wary", Beat: "beat of " + n.Content[:9], Open: "who has the key", Setting: "the boathouse, at dusk"}}
			if err := storage.Beats.Put(tx, s.chat, b); err != nil {
				return err
			}
		}
		return nil
	}))
}

func TestDirector_ShowsTheBeatsOfThePath(t *testing.T) {
	s := newStage(t, withClock(newClock()))
	_, _ = s.play(storage.Episode{Title: "Low tide", SceneMode: storage.ScenesRhythmic})
	a := s.exchange(40, "lamp")
	for i := 1; i < 80; i += 2 {
		if i != 77 {
			s.beats(a[i])
		}
	}
	v := s.director()
	if len(v.Beats) != shownBeats || v.Beats[0].Node != a[79] || v.Beats[1].Node != a[75] || v.Turn != 40 || v.Phase != rules.Resolution || v.Mode != storage.ScenesRhythmic {
		t.Errorf("%d beats of %d turns, %s %s", len(v.Beats), v.Turn, v.Phase, v.Mode)
	}
	if v.Beats[0].Said == "" || v.Beats[0].Phase != rules.Resolution || !strings.Contains(v.Moment, "boathouse") {
		t.Errorf("%+v %q", v.Beats[0], v.Moment)
	}
	must(t, s.Branch(s.chat, a[3]))
	s.exchange(2, "key")
	s.reopen()
	v = s.director()
	if len(v.Beats) != 2 || v.Turn != 4 || v.Phase != rules.Develop || v.Working {
		t.Errorf("%d beats of %d turns, %s", len(v.Beats), v.Turn, v.Phase)
	}
	if _, err := s.Evaluate(s.chat); err != nil {
		t.Fatal(err)
	}
	if !s.director().Working {
		t.Error("a pass waits, and nothing is said of it")
	}
	must(t, s.Delete(s.chat, a[3], false))
	if v := s.director(); len(v.Beats) != 1 {
		t.Errorf("%d beats", len(v.Beats))
	}
}

func TestTurns_AreCountedWithAndWithoutBeats(t *testing.T) {
	s := newStage(t)
	turns := func(want int) {
		t.Helper()
		must(t, s.store.View(func(tx *storage.Tx) error {
			c, err := storage.Chats.Get(tx, s.chat)
			if got := turnAt(tx, s.chat, c.Head); got != want {
				t.Errorf("%d turns, want %d", got, want)
			}
			return err
		}))
	}
	turns(0)
	a := s.exchange(3, "lamp")
	turns(3)
	s.tell("And then?")
	turns(3) // not answered yet
	must(t, s.Goto(s.chat, a[5]))
	s.beats(a[3])
	s.reopen()
	b := s.exchange(2, "key")
	turns(5)
	s.sibling(b[3], "another reply")
	turns(5)
	s.sayAlone("Kit comes in.")
	turns(5) // nobody has said anything to that
}

// sayAlone adds a reply that answers nothing.
func (s *stage) sayAlone(text string) storage.NodeID {
	s.t.Helper()
	var n storage.Node
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.chat)
		if err != nil {
			return err
		}
		n = storage.Node{Chat: s.chat, Parent: c.Head, Role: storage.Assistant, Name: "Kit", Content: text, State: storage.Complete, CreatedAt: s.now()}
		if err := tx.AppendNode(&n); err != nil {
			return err
		}
		return s.setHead(tx, s.chat, n.ID)
	}))
	return n.ID
}

// heard has replies of the open chat heard of.
func (s *stage) heard(nodes ...storage.NodeID) {
	s.t.Helper()
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.chat)
		for _, id := range nodes {
			if err == nil {
				err = s.heardTurn(tx, c, id)
			}
		}
		return err
	}))
}

func TestEngagement_IsKeptBySession(t *testing.T) {
	c := newClock()
	s := newStage(t, withClock(c))
	must(t, s.endSession(s.chat)) // none is open
	if v := s.director().Engagement; v.Sessions != 0 || v.Open != nil || v.Text != "" {
		t.Errorf("%+v", v)
	}
	began := c.Now()
	a := s.exchange(3, "lamp")
	s.heard(a[1])
	c.advance(10 * time.Minute)
	s.heard(a[3], a[3])
	s.beats(a[1], a[3])
	s.reopen()
	en := s.director().Engagement
	want := &storage.Session{Chat: s.chat, First: a[1], Last: a[3], Began: began, Heard: c.Now(), Turns: 2}
	if diff := cmp.Diff(want, en.Open); diff != "" || !en.FirstMet.Equal(began) || en.Sessions != 0 {
		t.Errorf("%s %+v", diff, en)
	}
	c.advance(DefaultIdle + time.Second)
	s.heard(a[5])
	en = s.director().Engagement
	if en.Sessions != 1 || !en.LastEnd.Equal(began.Add(10*time.Minute)) || en.Open == nil || en.Open.First != a[5] || en.Dynamic.Tension != 40 || en.Dynamic.Tone != "wary" || len(en.Dynamic.Beats) == 0 {
		t.Errorf("%+v", en)
	}
	must(t, s.endSession(s.chat))
	must(t, s.endSession(s.chat))
	en = s.director().Engagement
	if en.Sessions != 2 || en.Open != nil || !en.LastEnd.Equal(c.Now()) || en.Text == "" {
		t.Errorf("%+v", en)
	}
	if err := s.endSession(storage.ChatID(storage.NewID())); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
}

func TestEngagement_OfASeriesGoesThroughItsChats(t *testing.T) {
	c := newClock()
	s := newStage(t, withClock(c))
	plain, began := s.chat, c.Now()
	s.exchange(2, "lamp")
	c.advance(48 * time.Hour)
	b := s.exchange(1, "lamp")
	s.heard(b[1])
	if v := s.director().Engagement; !v.FirstMet.Equal(began) || v.Since != "2 days" {
		t.Errorf("%+v", v) // the chat was there before
	}
	first, eps := s.play(storage.Episode{Title: "one"})
	must(t, s.SetEpisode(plain, eps[0].ID))
	if v := s.director().Engagement; v.Sessions != 1 || !v.FirstMet.Equal(began) || v.Open != nil {
		t.Errorf("the series did not go on from the chat: %+v", v)
	}
	a := s.exchange(1, "key")
	s.heard(a[1])
	s.chat = plain
	d := s.exchange(1, "door")
	s.heard(d[1])
	if v := s.director().Engagement; v.Sessions != 2 || v.Open == nil || v.Open.Chat != plain {
		t.Errorf("%+v", v)
	}
	must(t, s.endSession(first.ID)) // that of the other chat goes on
	if v := s.director().Engagement; v.Sessions != 2 || v.Open == nil {
		t.Errorf("%+v", v)
	}
	must(t, s.SetEpisode(plain, ""))
	s.chat = first.ID
	if v := s.director().Engagement; v.Sessions != 3 || v.Open != nil {
		t.Errorf("%+v", v)
	}
	s.sound()
}

func TestEngagement_SwipesAreOneTurn(t *testing.T) {
	s := newStage(t, withClock(newClock()))
	a := s.exchange(1, "lamp")
	s.heard(a[1])
	s.heard(s.sibling(a[1], "another"))
	if v := s.director().Engagement; v.Open.Turns != 1 {
		t.Errorf("%+v", v.Open)
	}
}

func TestCast_ComesAndGoes(t *testing.T) {
	s := newStage(t)
	kit := s.actor("Kit", "")
	s.exchange(1, "lamp")
	if err := s.SetAway(s.chat, s.main(), true); !errors.Is(err, ErrNothing) {
		t.Errorf("nobody is left: %v", err)
	}
	must(t, s.JoinCast(s.chat, kit))
	for name, err := range map[string]error{"joins twice": s.JoinCast(s.chat, kit), "the main one joins": s.JoinCast(s.chat, s.main()),
		"the main one leaves": s.LeaveCast(s.chat, s.main()), "an order": s.SetTurnOrder(s.chat, "dice")} {
		if !errors.Is(err, ErrNothing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.JoinCast(s.chat, storage.CharacterID(storage.NewID())); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
	must(t, s.SetAway(s.chat, s.main(), true))
	must(t, s.SetTurnOrder(s.chat, storage.OrderMention))
	s.reopen()
	cast, err := s.Cast(s.chat)
	must(t, err)
	want := CastList{Order: storage.OrderMention, Next: kit, Why: cast.Why, List: []CastView{
		{Character: s.main(), Name: "Tove", Main: true, Away: true, HasAvatar: cast.List[0].HasAvatar}, {Character: kit, Name: "Kit"}}}
	if diff := cmp.Diff(want, cast); diff != "" || cast.Why == "" {
		t.Error(diff)
	}
	c, err := s.FindChat(string(s.chat))
	must(t, err)
	if c.Play.Cast[0].Since != 3 {
		t.Errorf("it knows of what was said before: %+v", c.Play.Cast)
	}
	if err := s.SetAway(s.chat, kit, true); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	must(t, s.LeaveCast(s.chat, kit))
	if err := s.LeaveCast(s.chat, kit); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	if cast, err := s.Cast(s.chat); err != nil || len(cast.List) != 1 || cast.List[0].Away || cast.Next != s.main() {
		t.Errorf("%+v %v", cast, err)
	}
}

func TestActor_IsBounded(t *testing.T) {
	s := newStage(t)
	must(t, s.EditActor(s.main(), storage.Actor{Goal: "leave", Weights: map[string]int{" Dry  Wit": 70}}))
	s.reopen()
	c, err := s.FindCharacter(string(s.main()))
	must(t, err)
	if diff := cmp.Diff(storage.Actor{Goal: "leave", Weights: map[string]int{"dry wit": 70}}, c.Actor); diff != "" {
		t.Error(diff)
	}
	many := map[string]int{}
	for i := range mostWeights + 1 {
		many[strings.Repeat("x", i+1)] = 1
	}
	for want, bad := range map[string]storage.Actor{
		"boundaries": {Boundaries: strings.Repeat("x", longestActorText+1)},
		"wit":        {Weights: map[string]int{"wit": 101}},
		"trait":      {Weights: map[string]int{" ": 1}},
		"32 weights": {Weights: many},
	} {
		if err := s.EditActor(s.main(), bad); !errors.Is(err, ErrNothing) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
