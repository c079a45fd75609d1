package director_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func (s *harness) director() director.View {
	s.T.Helper()
	v, err := s.Director.View(s.Chat)
	enginetest.Must(s.T, err)
	return v
}

func (s *harness) state(want director.PlayState) {
	s.T.Helper()
	if v := s.director(); v.State != want || (v.Ended != nil) != (want == director.PlayComplete) {
		s.T.Errorf("the play is %s (%+v), want %s", v.State, v.Ended, want)
	}
}

// play begins a play of a new series and opens it.
func (s *harness) play(ep storage.Episode, who ...storage.CharacterID) (storage.Chat, []storage.Episode) {
	s.T.Helper()
	_, eps := s.Series("S", append([]storage.CharacterID{s.Main()}, who...), ep, storage.Episode{Title: "the next"})
	c, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[0].ID})
	enginetest.Must(s.T, err)
	s.Chat = c.ID
	return c, eps
}

func TestNewPlay_BeginsWithTheOpeningLine(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	kit := s.Actor("Kit", "*Kit nods.*")
	c, eps := s.play(storage.Episode{Title: "Low tide", Opening: "*{{char}} waves to {{user}}.*"}, kit)
	if c.Title != "S: Low tide" || c.Play.Episode != eps[0].ID || string(c.Play.Series) != string(s.ScopeNow()) {
		t.Errorf("%+v", c)
	}
	first := s.Node(c.Head)
	persona, err := s.Library.Personas()
	enginetest.Must(t, err)
	if want := "*Tove waves to " + persona[0].Name + ".*"; first.Content != want || first.Speaker != s.Main() || first.Role != storage.Assistant || len(s.Nodes()) != 1 {
		t.Errorf("%+v", first)
	}
	cast, err := s.Play.Cast(s.Chat)
	enginetest.Must(t, err)
	if len(cast.List) != 2 || !cast.List[0].Main || cast.List[1].Character != kit || cast.Order != storage.OrderRoundRobin || cast.Next != kit {
		t.Errorf("%+v", cast)
	}
	again, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[0].ID, Character: kit, Title: " Mine  alone "})
	enginetest.Must(t, err)
	if again.Character != kit || again.Title != "Mine alone" || len(again.Play.Cast) != 1 || again.Play.Cast[0].Character != s.Main() {
		t.Errorf("%+v", again)
	}
	third, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[0].ID})
	enginetest.Must(t, err)
	if third.Title != "S: Low tide (2)" {
		t.Errorf("title %q", third.Title)
	}
	greeted, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[1].ID, Character: kit})
	enginetest.Must(t, err)
	s.Chat = greeted.ID
	if n := s.Node(greeted.Head); n.Content != "*Kit nods.*" || n.Speaker != kit {
		t.Errorf("%+v", n)
	}
	s.Sound()
}

func TestNewPlay_NeedsSomebodyToPlayWith(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	kit := s.Actor("Kit", "")
	_, eps := s.Series("Empty", []storage.CharacterID{kit}, storage.Episode{Title: "a"})
	enginetest.Must(t, s.Library.DeleteCharacter(kit))
	if _, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[0].ID}); !errors.Is(err, failure.ErrRefused) || !strings.Contains(failure.Text(err), "no characters yet") {
		t.Error(err)
	}
	if c, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[0].ID, Character: s.Main()}); err != nil || c.Character != s.Main() {
		t.Error(c, err)
	}
	for _, r := range []director.PlayRequest{{}, {Episode: eps[0].ID, Character: kit}} {
		if _, err := s.Director.NewPlay(r); !errors.Is(err, storage.ErrNotFound) {
			t.Error(err)
		}
	}
	if chats, err := s.Chats.List(); err != nil || len(chats) != 2 {
		t.Errorf("%d chats: %v", len(chats), err)
	}
}

func TestPlay_IsCompleteOnItsBranch(t *testing.T) {
	c := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(c))})
	s.state(director.PlayPlain)
	for name, err := range map[string]error{"pause": s.Director.PausePlay(s.Chat, true), "complete": s.Director.CompletePlay(s.Chat, true)} {
		if !errors.Is(err, failure.ErrRefused) {
			t.Errorf("%s without an episode: %v", name, err)
		}
	}
	_, eps := s.play(storage.Episode{Title: "Low tide"})
	a := s.Exchange(2, "lamp")
	s.state(director.PlayActive)
	s.DrainFeed()
	enginetest.Must(t, s.Director.CompletePlay(s.Chat, true))
	ended := enginetest.Until(s.Harness, func(e director.EpisodeEnded) bool { return e.Chat == s.Chat })
	if ended.By != storage.EndedByUser || ended.Next == nil || ended.Next.ID != eps[1].ID {
		t.Errorf("%+v", ended)
	}
	enginetest.Must(t, s.Director.CompletePlay(s.Chat, true))
	s.Reopen()
	s.state(director.PlayComplete)
	s.Exchange(1, "door")
	s.state(director.PlayComplete)
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[1]))
	s.state(director.PlayActive)
	b := s.Exchange(1, "key")
	enginetest.Must(t, s.Director.CompletePlay(s.Chat, true))
	s.state(director.PlayComplete)
	enginetest.Must(t, s.Director.CompletePlay(s.Chat, false))
	s.state(director.PlayActive)
	enginetest.Must(t, s.Chats.Goto(s.Chat, a[3]))
	s.state(director.PlayComplete) // that of the other branch was not meant
	enginetest.Must(t, s.Chats.Delete(s.Chat, a[3], true))
	s.state(director.PlayActive)
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.state(director.PlayComplete)
	enginetest.Must(t, s.Director.SetEpisode(s.Chat, eps[1].ID))
	s.state(director.PlayActive)
	if v := s.director(); v.Next != nil || v.Episode.ID != eps[1].ID || v.Series == nil {
		t.Errorf("%+v", v)
	}
	enginetest.Must(t, s.Director.PausePlay(s.Chat, true))
	s.state(director.PlayPaused)
	enginetest.Must(t, s.Chats.Goto(s.Chat, b[1]))
	enginetest.Must(t, s.Director.PausePlay(s.Chat, false))
	c.Advance(config.InactiveAfter + time.Second)
	s.state(director.PlayInactive)
	s.Sound()
}

func TestPlay_SparksAreRefilled(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	if v := s.director(); v.Sparks.Allowance != config.DefaultSparks || v.Sparks.Left != config.DefaultSparks || v.Mode != storage.ScenesOff {
		t.Errorf("%+v", v)
	}
	enginetest.Must(t, s.Chats.Change(s.Chat, func(c *storage.Chat) { c.Play.Spent = 45 }))
	if v := s.director(); v.Sparks.Left != 5 {
		t.Errorf("%d are left", v.Sparks.Left)
	}
	enginetest.Must(t, s.Director.RefillSparks(s.Chat, 7))
	if v := s.director(); v.Sparks.Allowance != 7 || v.Sparks.Left != 7 {
		t.Errorf("%+v", v)
	}
	enginetest.Must(t, s.Director.RefillSparks(s.Chat, 0))
	if v := s.director(); v.Sparks.Allowance != 0 || v.Sparks.Left != 0 {
		t.Errorf("%+v", v)
	}
	for _, n := range []int{-1, director.MaxSparks + 1} {
		if err := s.Director.RefillSparks(s.Chat, n); !errors.Is(err, failure.ErrRefused) {
			t.Error(n, err)
		}
	}
}

// beats gives replies beats, as the director saw them.
func (s *harness) beats(nodes ...storage.NodeID) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		for _, id := range nodes {
			n, err := tx.Node(s.Chat, id)
			if err != nil {
				return err
			}
			b := storage.TurnRecord{Node: id, Turn: chats.TurnAt(tx, s.Chat, n.Parent) + 1, At: s.Now(),
				Seen: &storage.Evaluation{Status: "going", Tension: 40, Tone: "wary", Beat: "beat of " + n.Content[:9], Open: "who has the key", Setting: "the boathouse, at dusk"}}
			if err := storage.TurnRecords.Put(tx, s.Chat, b); err != nil {
				return err
			}
		}
		return nil
	}))
}

func TestDirector_ShowsTheBeatsOfThePath(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(enginetest.NewClock()))})
	_, _ = s.play(storage.Episode{Title: "Low tide", SceneMode: storage.ScenesRhythmic})
	a := s.Exchange(40, "lamp")
	for i := 1; i < 80; i += 2 {
		if i != 77 {
			s.beats(a[i])
		}
	}
	v := s.director()
	if len(v.Turns) != director.ShownTurns || v.Turns[0].Node != a[79] || v.Turns[1].Node != a[75] || v.Turn != 40 || v.Phase != rules.Resolution || v.Mode != storage.ScenesRhythmic {
		t.Errorf("%d beats of %d turns, %s %s", len(v.Turns), v.Turn, v.Phase, v.Mode)
	}
	if v.Turns[0].Excerpt == "" || v.Turns[0].Phase != rules.Resolution || !strings.Contains(v.Moment, "boathouse") {
		t.Errorf("%+v %q", v.Turns[0], v.Moment)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[3]))
	s.Exchange(2, "key")
	s.Reopen()
	v = s.director()
	if len(v.Turns) != 2 || v.Turn != 4 || v.Phase != rules.Develop || v.Working {
		t.Errorf("%d beats of %d turns, %s", len(v.Turns), v.Turn, v.Phase)
	}
	if _, err := s.Director.Evaluate(s.Chat); err != nil {
		t.Fatal(err)
	}
	if !s.director().Working {
		t.Error("a pass waits, and nothing is said of it")
	}
	enginetest.Must(t, s.Chats.Delete(s.Chat, a[3], false))
	if v := s.director(); len(v.Turns) != 1 {
		t.Errorf("%d beats", len(v.Turns))
	}
}

func TestTurns_AreCountedWithAndWithoutBeats(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	turns := func(want int) {
		t.Helper()
		enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
			c, err := storage.Chats.Get(tx, s.Chat)
			if got := chats.TurnAt(tx, s.Chat, c.Head); got != want {
				t.Errorf("%d turns, want %d", got, want)
			}
			return err
		}))
	}
	turns(0)
	a := s.Exchange(3, "lamp")
	turns(3)
	s.Tell("And then?")
	turns(3) // not answered yet
	enginetest.Must(t, s.Chats.Goto(s.Chat, a[5]))
	s.beats(a[3])
	s.Reopen()
	b := s.Exchange(2, "key")
	turns(5)
	s.Sibling(b[3], "another reply")
	turns(5)
	s.sayAlone("Kit comes in.")
	turns(5) // nobody has answered that
}

// sayAlone adds a reply that answers nothing.
func (s *harness) sayAlone(text string) storage.NodeID {
	s.T.Helper()
	var n storage.Node
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		n = storage.Node{Chat: s.Chat, Parent: c.Head, Role: storage.Assistant, Name: "Kit", Content: text, State: storage.Complete, CreatedAt: s.Now()}
		if err := tx.AppendNode(&n); err != nil {
			return err
		}
		return s.Chats.SetHead(tx, s.Chat, n.ID)
	}))
	return n.ID
}

// heard reports replies of the open chat as finished.
func (s *harness) heard(nodes ...storage.NodeID) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.Chat)
		for _, id := range nodes {
			if err == nil {
				err = director.HeardTurn(s.Director, tx, c, id)
			}
		}
		return err
	}))
}

// open is the session that runs in the story of the open chat, nil for none.
func (s *harness) open() *storage.Session {
	s.T.Helper()
	var e storage.Engagement
	scope := s.ScopeNow()
	err := s.Core().Store.View(func(tx *storage.Tx) (err error) { e, err = storage.Engagements.Get(tx, scope); return err })
	enginetest.Must(s.T, failure.IgnoreMissing(err))
	return e.Open
}

func TestEngagement_IsKeptBySession(t *testing.T) {
	c := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(c))})
	enginetest.Must(t, s.Director.EndSession(s.Chat)) // none is open
	if v := s.director().Engagement; v.Sessions != 0 || s.open() != nil || v.Text != "" {
		t.Errorf("%+v", v)
	}
	began := c.Now()
	a := s.Exchange(3, "lamp")
	s.heard(a[1])
	c.Advance(10 * time.Minute)
	s.heard(a[3], a[3])
	s.beats(a[1], a[3])
	s.Reopen()
	en := s.director().Engagement
	want := &storage.Session{Chat: s.Chat, First: a[1], Last: a[3], Began: began, Heard: c.Now(), Turns: 2}
	if diff := cmp.Diff(want, s.open()); diff != "" || !en.FirstMet.Equal(began) || en.Sessions != 0 {
		t.Errorf("%s %+v", diff, en)
	}
	c.Advance(config.DefaultIdle + time.Second)
	s.heard(a[5])
	en = s.director().Engagement
	if en.Sessions != 1 || !en.LastEnd.Equal(began.Add(10*time.Minute)) || s.open() == nil || s.open().First != a[5] || en.Dynamic.Tension != 40 || en.Dynamic.Tone != "wary" || len(en.Dynamic.Beats) == 0 {
		t.Errorf("%+v", en)
	}
	enginetest.Must(t, s.Director.EndSession(s.Chat))
	enginetest.Must(t, s.Director.EndSession(s.Chat))
	en = s.director().Engagement
	if en.Sessions != 2 || s.open() != nil || !en.LastEnd.Equal(c.Now()) || en.Text == "" {
		t.Errorf("%+v", en)
	}
	if err := s.Director.EndSession(storage.ChatID(storage.NewID())); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
}

func TestEngagement_OfASeriesGoesThroughItsChats(t *testing.T) {
	c := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(c))})
	plain, began := s.Chat, c.Now()
	s.Exchange(2, "lamp")
	c.Advance(48 * time.Hour)
	b := s.Exchange(1, "lamp")
	s.heard(b[1])
	if v := s.director().Engagement; !v.FirstMet.Equal(began) || v.Since != "2 days" {
		t.Errorf("%+v", v) // the chat was there before
	}
	first, eps := s.play(storage.Episode{Title: "one"})
	enginetest.Must(t, s.Director.SetEpisode(plain, eps[0].ID))
	if v := s.director().Engagement; v.Sessions != 1 || !v.FirstMet.Equal(began) || s.open() != nil {
		t.Errorf("the series did not go on from the chat: %+v", v)
	}
	a := s.Exchange(1, "key")
	s.heard(a[1])
	s.Chat = plain
	d := s.Exchange(1, "door")
	s.heard(d[1])
	if v := s.director().Engagement; v.Sessions != 2 || s.open() == nil || s.open().Chat != plain {
		t.Errorf("%+v", v)
	}
	enginetest.Must(t, s.Director.EndSession(first.ID)) // that of the other chat goes on
	if v := s.director().Engagement; v.Sessions != 2 || s.open() == nil {
		t.Errorf("%+v", v)
	}
	enginetest.Must(t, s.Director.SetEpisode(plain, ""))
	s.Chat = first.ID
	if v := s.director().Engagement; v.Sessions != 3 || s.open() != nil {
		t.Errorf("%+v", v)
	}
	s.Sound()
}

func TestEngagement_SwipesAreOneTurn(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(enginetest.NewClock()))})
	a := s.Exchange(1, "lamp")
	s.heard(a[1])
	s.heard(s.Sibling(a[1], "another"))
	if v := s.director().Engagement; v.Turns != 1 {
		t.Errorf("%+v", v)
	}
}

func TestCast_ComesAndGoes(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	kit := s.Actor("Kit", "")
	s.Exchange(1, "lamp")
	if err := s.Chats.SetAway(s.Chat, s.Main(), true); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("nobody is left: %v", err)
	}
	enginetest.Must(t, s.Chats.JoinCast(s.Chat, kit))
	for name, err := range map[string]error{"joins twice": s.Chats.JoinCast(s.Chat, kit), "the main one joins": s.Chats.JoinCast(s.Chat, s.Main()),
		"the main one leaves": s.Chats.LeaveCast(s.Chat, s.Main()), "an order": s.Chats.SetTurnOrder(s.Chat, "dice")} {
		if !errors.Is(err, failure.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Chats.JoinCast(s.Chat, storage.CharacterID(storage.NewID())); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
	enginetest.Must(t, s.Chats.SetAway(s.Chat, s.Main(), true))
	enginetest.Must(t, s.Chats.SetTurnOrder(s.Chat, storage.OrderMention))
	s.Reopen()
	cast, err := s.Play.Cast(s.Chat)
	enginetest.Must(t, err)
	want := chats.CastList{Chat: s.Chat, Order: storage.OrderMention, Next: kit, NextName: "Kit", Why: cast.Why}
	want.List = []chats.CastView{
		{Character: s.Main(), Name: "Tove", Main: true, Away: true, HasAvatar: cast.List[0].HasAvatar, Since: 1},
		{Character: kit, Name: "Kit", Since: 4},
	}
	if diff := cmp.Diff(want, cast); diff != "" || cast.Why == "" {
		t.Error(diff)
	}
	c, err := s.Chats.Find(string(s.Chat))
	enginetest.Must(t, err)
	if c.Play.Cast[0].Since != 3 {
		t.Errorf("it knows of what was said before: %+v", c.Play.Cast)
	}
	if err := s.Chats.SetAway(s.Chat, kit, true); !errors.Is(err, failure.ErrRefused) {
		t.Error(err)
	}
	enginetest.Must(t, s.Chats.LeaveCast(s.Chat, kit))
	if err := s.Chats.LeaveCast(s.Chat, kit); !errors.Is(err, failure.ErrRefused) {
		t.Error(err)
	}
	if cast, err := s.Play.Cast(s.Chat); err != nil || len(cast.List) != 1 || cast.List[0].Away || cast.Next != s.Main() {
		t.Errorf("%+v %v", cast, err)
	}
}
