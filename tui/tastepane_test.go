package tui

import (
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/engine/queue"
	"ghostlight/engine/taste"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/keys"
	"ghostlight/tui/painter"
)

// stageTaste is a screen with the taste pane on it and no engine under it.
func stageTaste(tb testing.TB, v engine.TasteView) (*app, *tastePane) {
	tb.Helper()
	set, _ := themes.Load("")
	pt := painter.New(io.Discard, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	a := newApp(tb.Context(), nil, &terminal{painter: pt}, Options{Themes: set, Images: "blocks", Log: slog.New(slog.DiscardHandler)}, func(tea.Msg) {})
	if err := pt.Enter(""); err != nil {
		tb.Fatal(err)
	}
	a.update(tea.WindowSizeMsg{Width: 80, Height: 24})
	a.view.Chat.ID = "c"
	p := newTastePane(a)
	p.chat, p.loaded, p.open = "c", true, map[storage.NodeID]bool{}
	a.setPane(p)
	a.mode = keys.Pane
	v.Name = "The harbour"
	p.take("c", v)
	a.paint()
	return a, p
}

func cardOf(id, preference, appliesTo, avoid string, sure storage.Confidence) taste.Card {
	return taste.Card{PreferenceCard: storage.PreferenceCard{ID: storage.CardID(id), Preference: preference, AppliesTo: appliesTo, AvoidApplyingTo: avoid,
		Evidence: "seen in 3 scenes", Confidence: sure}}
}

// aProfile is what three scenes have taught, with the user's hand on it.
func aProfile() engine.TasteView {
	v := engine.TasteView{Cards: []taste.Card{
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
	v.Hand.Cards = []storage.HandCard{{ID: "k3", Was: "Angles stay at eye level.", Muted: true}}
	memory := func(node, name, chat, edits string, events int) engine.TasteMemory {
		m := engine.TasteMemory{SceneName: name, ChatTitle: "The harbour"}
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
	v.Memories = []engine.TasteMemory{
		memory("n3", "Scene 3: The cave", "c", "The user moved in on the faces and let the looks stand longer. One filler went in before the answer. A wide shot at the end was taken out.", 2),
		memory("n2", "Scene 2: The Next Morning", "c", "The prompts of two captures were made plainer.", 40),
		memory("n1", "Scene 1", "d", "The recap was shortened.", 1),
		memory("n0", "", "d", "The recap was shortened.", 0),
	}
	v.Memories[2].ChatTitle = "Another evening"
	return v
}

func TestGolden_Taste(t *testing.T) {
	t.Parallel()
	a, p := stageTaste(t, engine.TasteView{})
	goldenFrames(t, a, "taste-empty")
	a.update(keyNamed(t, "2"))
	p.view.Off = true
	goldenFrames(t, a, "taste-off")

	a, p = stageTaste(t, aProfile())
	p.list().goTo(cardKey("k2"))
	goldenFrames(t, a, "taste-profile")
	p.view.Mute = true
	goldenFrames(t, a, "taste-mute")
	p.view.Mute = false
	p.all, p.view.Hand.Summary, p.view.Summary = true, "Quiet, and close.", "Quiet, and close."
	p.layOut()
	p.list().goTo(cardKey("k5"))
	goldenFrames(t, a, "taste-removed")
	p.list().goTo(cardKey("k1"))
	a.update(keyNamed(t, "e"))
	goldenFrames(t, a, "taste-card")
	a.dialogs.All = nil
	a.update(keyNamed(t, "R"))
	goldenFrames(t, a, "taste-reset")

	a, p = stageTaste(t, aProfile())
	p.view.Working = true
	runs(a, "taste_harvest", `{"chat":"c","node":"n3"}`, queue.Progress{Tokens: 120})
	a.update(keyNamed(t, "tab"))
	goldenFrames(t, a, "taste-scenes")
	a.update(keyNamed(t, "z"))
	p.list().goTo("scene n3 lesson 0")
	goldenFrames(t, a, "taste-lessons")
}

// The choice stays with the card, wherever it goes.
func TestTastePane_ChoiceFollowsTheCard(t *testing.T) {
	t.Parallel()
	_, p := stageTaste(t, aProfile())
	chosen := func(want string) {
		t.Helper()
		if it := p.list().item(); it == nil || it.key != want {
			t.Errorf("chosen: %+v, not %s", it, want)
		}
	}
	p.list().goTo(cardKey("k3"))
	v := aProfile()
	v.Summary = ""
	v.Cards[0], v.Cards[2] = v.Cards[2], v.Cards[0]
	p.take("c", v)
	chosen(cardKey("k3"))
	v.Cards = append(v.Cards[1:3:3], v.Cards[3:]...)
	p.take("c", v) // it is gone: the one that is there now
	chosen(cardKey("k2"))
	p.list().goTo(cardKey("k4"))
	v.Cards[2].Deleted = true
	p.take("c", v)
	if it := p.list().item(); it == nil || it.key == cardKey("k4") {
		t.Errorf("chosen: %+v", it)
	}
	p.take("c", engine.TasteView{})
	if p.list().item() != nil {
		t.Error("something is chosen where there is nothing")
	}
	p.list().wish = cardKey("k4")
	p.take("c", aProfile())
	chosen(cardKey("k4"))
}

func TestTastePane_HostileViews(t *testing.T) {
	t.Parallel()
	v := aProfile()
	long := strings.Repeat(evil, 60)
	v.Cards = append(v.Cards, cardOf(evil, evil, long, evil, storage.Confidence(evil)), cardOf("", "", "", "", ""))
	v.Cards = append(v.Cards, cardOf("long", long, long, long, "high"))
	v.Summary, v.StatsSummary, v.Hand.Summary, v.ProfileSummary = long, evil, evil, long
	for i := range v.Memories {
		m := &v.Memories[i]
		m.SceneName, m.ChatTitle, m.EditSummary, m.SceneContextSummary = evil, evil, long, evil
		m.SceneLearnings = append(m.SceneLearnings, storage.SceneLearning{Learning: long, AppliesTo: long, AvoidApplyingTo: long, Evidence: evil, Confidence: evil}, storage.SceneLearning{})
		m.Events = append([]storage.EditEvent{{Type: evil, About: evil, Summary: evil, UserText: long}}, m.Events...)
		m.Summary.Sizes = []storage.Tally{{Name: evil, N: -3}}
	}
	a, p := stageTaste(t, v)
	p.all, p.view.Name = true, evil
	for i := range v.Memories {
		p.open[v.Memories[i].Scene] = true
	}
	p.layOut()
	var out strings.Builder
	for _, d := range []dims{{1, 1}, {7, 4}, {40, 12}, {80, 24}, {120, 9}, {200, 60}} {
		a.update(tea.WindowSizeMsg{Width: d.w, Height: d.h})
		for p.at = range p.lists {
			a.paint()
			for i := range p.list().items {
				p.list().Choose(i)
				a.paint()
				out.WriteString(a.painter.Text())
			}
		}
	}
	p.at = tasteProfile
	for _, key := range []string{cardKey(evil), cardKey("")} {
		p.list().goTo(key)
		for _, k := range []string{"e", "esc", "R", "esc", "E", "esc"} {
			a.update(keyNamed(t, k))
			a.paint()
			out.WriteString(a.painter.Text())
		}
	}
	for _, r := range out.String() {
		if !fit(r) {
			t.Fatalf("%U is shown", r)
		}
	}
}

func TestTastePane_Mouse(t *testing.T) {
	t.Parallel()
	a, p := stageTaste(t, aProfile())
	click := func(x, y int) {
		a.update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		a.paint()
	}
	y := a.lay.pane.Min.Y
	click(a.lay.pane.Min.X+14, y+1)
	if p.at != tasteScenes {
		t.Error("a click on the tab of the scenes does not show them")
	}
	click(a.lay.pane.Min.X+3, y+3+3)
	if it := p.list().item(); it == nil || it.key != "scene n2" {
		t.Errorf("chosen: %+v", it)
	}
	a.update(tea.MouseWheelMsg{X: a.lay.pane.Min.X + 3, Y: y + 6, Button: tea.MouseWheelDown})
	if it := p.list().item(); it == nil || it.key == "scene n2" {
		t.Errorf("the wheel chooses %+v", it)
	}
}

// What is pressed while a change is being stored waits for it: the one may be what
// takes the other back.
func TestUndoing_InOrder(t *testing.T) {
	t.Parallel()
	_, p := stageTaste(t, aProfile())
	var did string
	change := func(words string) tea.Cmd {
		return p.change(words, func() error { did += words; return nil }, nil)
	}
	cmd := change("a")
	if change("b") != nil || change("c") != nil {
		t.Fatal("two changes are stored at once")
	}
	after := cmd().(answerFunc)()
	after = after().(tea.BatchMsg)[0]().(answerFunc)()
	after().(tea.BatchMsg)[0]()
	if did != "abc" {
		t.Error(did)
	}
}
