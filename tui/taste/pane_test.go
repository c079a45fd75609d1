package taste_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	enginetaste "github.com/ghostlight-theatre/ghostlight/engine/taste"
	lessons "github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/taste"
)

// stage returns a screen with the taste pane on it and no engine under it.
func stage(tb testing.TB, v enginetaste.View) (*screen, *taste.Pane) {
	tb.Helper()
	s, p := tuitest.Still(tb)
	s.OpenChat(chats.View{Chat: storage.Chat{ID: "c"}})
	v.Name = "The harbour"
	shown := taste.Stage(s.Host(), "c", v)
	s.Host().Panes().Open(keys.PaneTaste, func() pane.Pane { return shown })
	s.Paint()
	return &screen{s, p}, shown
}

// screen is what is drawn, and what draws it.
type screen struct {
	*tui.Screen
	painter *painter.Painter
}

func (s *screen) golden(t testing.TB, name string) {
	t.Helper()
	tuitest.GoldenFrames(t, s.Screen, s.painter, name)
}

func cardOf(id, preference, appliesTo, avoid string, sure storage.Confidence) lessons.Card {
	return lessons.Card{PreferenceCard: storage.PreferenceCard{ID: storage.CardID(id), Preference: preference, AppliesTo: appliesTo, AvoidApplyingTo: avoid,
		Evidence: "seen in 3 scenes", Confidence: sure}}
}

// aProfile returns what three scenes have taught, with the user's hand on it.
func aProfile() enginetaste.View {
	v := enginetaste.View{Cards: []lessons.Card{
		cardOf("k1", "Hold a reaction in a close shot before anybody speaks.", "quiet confrontations between two people", "chases and crowds", storage.HighConfidence),
		cardOf("k2", "A filler on a hand or an object stands between two key shots, so that there is time to breathe before the next turn.", "talks that turn tense", "scenes that press forward", storage.MediumConfidence),
		cardOf("k3", "Angles stay at eye level.", "talk between equals", "scenes with uneven power", storage.LowConfidence),
		cardOf("k4", "Doors are shown before they open.", "entrances", "", storage.HighConfidence),
		cardOf("k5", "One long shot takes the place of several short ones.", "slow dialogue", "action", storage.MediumConfidence),
	}}
	v.Cards[2].Muted, v.Cards[3].Own, v.Cards[4].Deleted = true, true, true
	v.ProfileSummary = "Closeness comes before width when a talk turns tense. Silence is given time, and what is not said is shown by hands and things. Fillers stand where a reaction needs room, and are left out where a scene presses forward."
	v.Summary, v.StatsSummary = v.ProfileSummary, "3 scenes, 8.3 shots a scene, 2.4 for each key beat. 3.6 seconds a shot. Often close up, medium. Changed: size 7, seconds 4. 5 fillers went in, 2 were taken out."
	v.SourceSceneIDs, v.UpdatedAt = []storage.NodeID{"n1", "n2", "n3"}, time.Now().Add(-72*time.Hour)
	v.Overrides.Cards = []storage.CardEdits{{ID: "k3", Was: "Angles stay at eye level.", Muted: true}}
	memory := func(node, name, chat, edits string, events int) enginetaste.Memory {
		m := enginetaste.Memory{SceneName: name, ChatTitle: "The harbour"}
		m.Scene, m.Chat, m.UpdatedAt = storage.NodeID(node), storage.ChatID(chat), v.UpdatedAt
		m.EditSummary, m.SceneContextSummary = edits, "Two people speak of an old promise in a lighthouse. One of them would rather not."
		m.SceneLearnings = []storage.SceneLearning{
			{Learning: "The framing goes closer when pressure rises.", AppliesTo: "moments of pressure between people", AvoidApplyingTo: "moments in which the place has to be understood", Evidence: "E2, E5: sizes became closer.", Confidence: storage.HighConfidence},
			{Learning: "Shots that carry a feeling stand longer.", AppliesTo: "quiet moments", AvoidApplyingTo: "fast action", Evidence: "E3: times became longer.", Confidence: storage.MediumConfidence}}
		for range events {
			m.Events = append(m.Events, storage.EditEvent{Type: storage.EventModify, Summary: "changed the shot of a reaction: size from medium to close up", UserText: "make this more uncomfortable"})
		}
		m.Summary = &storage.ShotSummary{Shots: 6, Key: 4, Filler: 2, AverageSeconds: 3.9, PerKeyBeat: 3, Sizes: []storage.Tally{{Name: "close_up", N: 3}}}
		return m
	}
	v.Memories = []enginetaste.Memory{
		memory("n3", "Scene 3: The cave", "c", "The user moved in on the faces and let the looks stand longer. One filler went in before the answer. A wide shot at the end was taken out.", 2),
		memory("n2", "Scene 2: The Next Morning", "c", "The prompts of two captures were made plainer.", 40),
		memory("n1", "Scene 1", "d", "The recap was shortened.", 1),
		memory("n0", "", "d", "The recap was shortened.", 0),
	}
	v.Memories[2].ChatTitle = "Another evening"
	return v
}

// fullProfile has a card that is beyond those used.
func fullProfile() enginetaste.View {
	v := aProfile()
	v.Cards[1].BeyondLimit, v.Cards[1].For = true, lessons.ForPictures
	v.Cards[0].Seen = storage.CardCount{Scenes: 3}
	return v
}

func TestGolden_Taste(t *testing.T) {
	t.Parallel()
	a, p := stage(t, enginetaste.View{})
	a.golden(t, "taste-empty")
	a.Update(tuitest.KeyNamed(t, "2"))
	p.View().Off = true
	a.golden(t, "taste-off")

	a, p = stage(t, aProfile())
	p.GoTo(taste.CardKey("k2"))
	a.golden(t, "taste-profile")
	p.View().Mute = true
	a.golden(t, "taste-mute")
	p.View().Mute = false
	p.ShowRemoved()
	p.View().Overrides.Summary, p.View().Summary = "Quiet, and close.", "Quiet, and close."
	p.LayOut()
	p.GoTo(taste.CardKey("k5"))
	a.golden(t, "taste-removed")
	p.GoTo(taste.CardKey("k1"))
	a.Update(tuitest.KeyNamed(t, "e"))
	a.golden(t, "taste-card")
	a.CloseDialogs()
	a.Start(a.Host().Run("taste-reset"))
	a.golden(t, "taste-reset")

	a, p = stage(t, fullProfile())
	p.GoTo(taste.CardKey("k2"))
	a.golden(t, "taste-off-card")

	a, p = stage(t, aProfile())
	p.View().Working = true
	a.Event(queue.Changed{Operation: storage.Operation{ID: "o", Type: "taste_harvest", Status: storage.InProgress, StartedAt: time.Now(), Params: []byte(`{"chat":"c","node":"n3"}`)}})
	a.Event(queue.Progressed{ID: "o", Progress: queue.Progress{Tokens: 120}})
	a.Update(tuitest.KeyNamed(t, "tab"))
	a.golden(t, "taste-scenes")
	a.Update(tuitest.KeyNamed(t, "z"))
	p.GoTo("scene n3 lesson 0")
	a.golden(t, "taste-lessons")
}

// The choice stays with the card, wherever it goes.
func TestTastePane_ChoiceFollowsTheCard(t *testing.T) {
	t.Parallel()
	_, p := stage(t, aProfile())
	chosen := func(want string) {
		t.Helper()
		if it := p.Key(); it != want {
			t.Errorf("chosen: %+v, not %s", it, want)
		}
	}
	p.GoTo(taste.CardKey("k3"))
	v := aProfile()
	v.Summary = ""
	v.Cards[0], v.Cards[2] = v.Cards[2], v.Cards[0]
	p.Take(v)
	chosen(taste.CardKey("k3"))
	v.Cards = append(v.Cards[1:3:3], v.Cards[3:]...)
	p.Take(v) // it is gone: the one that is there now
	chosen(taste.CardKey("k2"))
	p.GoTo(taste.CardKey("k4"))
	v.Cards[2].Deleted = true
	p.Take(v)
	if it := p.Key(); it == "" || it == taste.CardKey("k4") {
		t.Errorf("chosen: %+v", it)
	}
	p.Take(enginetaste.View{})
	if p.Key() != "" {
		t.Error("something is chosen where there is nothing")
	}
	p.PendingKey = taste.CardKey("k4")
	p.Take(aProfile())
	chosen(taste.CardKey("k4"))
}

func TestTastePane_HostileViews(t *testing.T) {
	t.Parallel()
	v := aProfile()
	long := strings.Repeat(tuitest.Evil, 60)
	v.Cards = append(v.Cards, cardOf(tuitest.Evil, tuitest.Evil, long, tuitest.Evil, storage.Confidence(tuitest.Evil)), cardOf("", "", "", "", ""))
	v.Cards = append(v.Cards, cardOf("long", long, long, long, "high"))
	v.Summary, v.StatsSummary, v.Overrides.Summary, v.ProfileSummary = long, tuitest.Evil, tuitest.Evil, long
	for i := range v.Memories {
		m := &v.Memories[i]
		m.SceneName, m.ChatTitle, m.EditSummary, m.SceneContextSummary = tuitest.Evil, tuitest.Evil, long, tuitest.Evil
		m.SceneLearnings = append(m.SceneLearnings, storage.SceneLearning{Learning: long, AppliesTo: long, AvoidApplyingTo: long, Evidence: tuitest.Evil, Confidence: tuitest.Evil}, storage.SceneLearning{})
		m.Events = append([]storage.EditEvent{{Type: tuitest.Evil, About: tuitest.Evil, Summary: tuitest.Evil, UserText: long}}, m.Events...)
		m.Summary.Sizes = []storage.Tally{{Name: tuitest.Evil, N: -3}}
	}
	a, p := stage(t, v)
	p.ShowRemoved()
	p.View().Name = tuitest.Evil
	for i := range v.Memories {
		p.Unfold(v.Memories[i].Scene)
	}
	p.LayOut()
	var out strings.Builder
	for _, d := range []tuitest.Size{{W: 1, H: 1}, {W: 7, H: 4}, {W: 40, H: 12}, {W: 80, H: 24}, {W: 120, H: 9}, {W: 200, H: 60}} {
		a.Update(tea.WindowSizeMsg{Width: d.W, Height: d.H})
		for at := range 2 {
			p.SetAt(at)
			a.Paint()
			for i := range p.Len() {
				p.Choose(i)
				a.Paint()
				out.WriteString(a.painter.Text())
			}
		}
	}
	p.SetAt(0)
	for _, key := range []string{taste.CardKey(tuitest.Evil), taste.CardKey("")} {
		p.GoTo(key)
		for _, k := range []string{"e", "esc", "W", "esc"} {
			a.Update(tuitest.KeyNamed(t, k))
			a.Paint()
			out.WriteString(a.painter.Text())
		}
	}
	for _, r := range out.String() {
		if !tuitest.Fit(r) {
			t.Fatalf("%U is shown", r)
		}
	}
}

func TestTastePane_Mouse(t *testing.T) {
	t.Parallel()
	a, p := stage(t, aProfile())
	click := func(x, y int) {
		a.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		a.Paint()
	}
	y := 0
	click(0+14, y+1)
	if p.ViewAt() != 1 {
		t.Error("a click on the tab of the scenes does not show them")
	}
	click(0+3, y+3+3)
	if it := p.Key(); it != "scene n2" {
		t.Errorf("chosen: %+v", it)
	}
	a.Update(tea.MouseWheelMsg{X: 0 + 3, Y: y + 6, Button: tea.MouseWheelDown})
	if it := p.Key(); it == "" || it == "scene n2" {
		t.Errorf("the wheel chooses %+v", it)
	}
}
