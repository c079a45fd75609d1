package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ghostlight/engine/director"
	"ghostlight/storage"
)

// lampRoom is an episode in the middle of a series.
func lampRoom() (storage.Series, storage.Episode) {
	s := storage.Series{ID: "s1", Title: "Harbour nights", Genre: "slow mystery"}
	return s, storage.Episode{ID: "e3", Series: "s1", Number: 3, Title: "The lamp room", TurnBudget: 12,
		Situation: "After the last show, in the lamp room above the stage. Rain on the skylight; one lamp is warm and nobody has lit it.",
		Frame:     "Close, quiet, a little funny.", Question: "Whom is Tove keeping the light on for?",
		Resolutions: []string{"positive", "surprise"}, Objective: "keep the visitor from the third door"}
}

// exchanges are n beats, the newest first, with everything in them that a beat
// can have.
func exchanges(n int) []director.BeatView {
	kinds := []string{"object", "none", "character", "atmosphere", "instruction"}
	var out []director.BeatView
	for turn := n; turn >= 1; turn-- {
		b := director.BeatView{Said: "*She turns the key over.* \"Not that one,\" she says.", Phase: "develop",
			Beat: storage.Beat{Node: storage.NodeID(fmt.Sprintf("n%d", turn)), Turn: turn}}
		switch turn % 6 {
		case 5:
			b.Fault = "the answer was no JSON, twice"
		default:
			b.Seen = &storage.Evaluation{VisualType: kinds[turn%len(kinds)], VisualHint: "a brass key on the wet sill", Status: "going", Tension: turn * 37 % 101,
				Tone: "wary, warming", Beat: "Tove hands over the key", Why: "the key is in both their hands", Open: "who lit the lamp"}
		}
		switch turn % 3 {
		case 0:
			b.Capture, b.Why = "c1", "you have allowed it"
		case 1:
			b.Why = "no picture: no sparks are left"
		}
		if turn%4 == 3 {
			b.Taken = []storage.HookID{"h1"}
		}
		out = append(out, b)
	}
	return out
}

func lampView(n int) director.View {
	s, ep := lampRoom()
	return director.View{Series: &s, Episode: &ep, State: director.PlayActive, Turn: n, Phase: "develop", Mode: storage.ScenesPeaks,
		Allowance: 50, Left: 35, Beats: exchanges(n), Moment: "She said: \"Not that one.\" You asked who lit the lamp. Still open: who lit the lamp. In the lamp room, past midnight.",
		Engagement: director.EngagementView{Engagement: storage.Engagement{Sessions: 3}, Since: "2 weeks"}}
}

// shows puts a view in the place of what the engine knows of the open chat.
func (s *session) shows(v director.View) *session {
	s.t.Helper()
	s.until("the end of the reading", func() bool {
		busy := true
		s.in(func(a *app) { busy = a.director.busy })
		return !busy
	})
	s.in(func(a *app) {
		v.Chat.ID, v.Chat.Head = a.view.Chat.ID, a.view.Chat.Head
		a.director.chat, a.director.view, a.director.loaded, a.director.fault = v.Chat.ID, v, true, nil
		a.director.hooks = map[storage.HookID]string{"h1": "the letter from the harbour master"}
		a.notice.text = ""
	})
	return s
}

func TestGolden_Director(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("alt+d").see("─ Director ─").shows(lampView(8))
	s.golden("director").goldenStyled("director")
	s.press("j", "j").golden("director-chosen", dims{40, 12}, dims{80, 24})
	s.press("w").see("Director · turn 6").golden("director-all", dims{40, 12}, dims{80, 24})
	s.press("esc")

	v := lampView(12)
	v.State, v.Ended = director.PlayComplete, &storage.PlayEnd{By: storage.EndedByTurns}
	next := storage.Episode{ID: "e4", Number: 4, Title: "What the tide brought"}
	v.Next, v.Chat.Play.Asked, v.Working = &next, storage.SparksRefused, true
	s.shows(v).golden("director-complete")

	v = lampView(2)
	v.Series, v.Episode, v.State, v.Off = nil, nil, director.PlayPlain, true
	s.shows(v).golden("director-plain")
	v.Beats, v.Moment, v.Off = nil, "", false
	s.shows(v).golden("director-empty")
}

func TestGolden_DirectorPlain(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), profile: colorprofile.Ascii})
	s.see("‹1/3›").press("alt+d").see("─ Director ─").shows(lampView(8)).see("tension")
	if f := s.now(); strings.ContainsAny(f, string(heights)) {
		t.Errorf("steps on a terminal without colours:\n%s", f)
	}
}

// The line of tension goes from the oldest to the newest, within its steps.
func TestDirector_Tension(t *testing.T) {
	for name, c := range map[string]struct {
		tension []int // the newest first
		plain   bool
		want    string
	}{
		"none":       {nil, false, ""},
		"one":        {[]int{100}, false, "tension █ 100"},
		"rising":     {[]int{72, 35, 0}, false, "tension ▁▃▆ 72"},
		"beyond":     {[]int{4000, -3}, false, "tension ▁█ 100"},
		"in numbers": {[]int{72, 35, 0}, true, "tension 0 35 72"},
	} {
		v := director.View{}
		for _, n := range c.tension {
			v.Beats = append(v.Beats, director.BeatView{Beat: storage.Beat{Seen: &storage.Evaluation{Tension: n}}}, director.BeatView{})
		}
		if got := tensionWords(&v, 80, c.plain); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Who has chosen a beat keeps it when others come; who looks at the newest sees
// the next newest.
func TestDirector_StaysOnTheChosenBeat(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("alt+d").see("─ Director ─").shows(lampView(8)).now()
	at := func() (turn int) {
		s.in(func(a *app) { turn = a.director.view.Beats[thePane[*directorPane](a).At].Turn })
		return turn
	}
	s.shows(lampView(9)).now()
	if got := at(); got != 9 {
		t.Errorf("turn %d is chosen, not the newest", got)
	}
	s.press("j", "j").now()
	s.shows(lampView(11)).now()
	if got := at(); got != 7 {
		t.Errorf("turn %d is chosen, not 7", got)
	}
	s.press("g").now()
	if got := at(); got != 11 {
		t.Errorf("turn %d is chosen after g", got)
	}
}

func TestDirector_StatusLine(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), w: 120, h: 30})
	s.see("‹1/3›").shows(lampView(7)).see("ep 3 · turn 7/12")
	v := lampView(7)
	v.State = director.PlayPaused
	s.shows(v).see("ep 3 · paused")
	v.Episode, v.State = nil, director.PlayPlain
	s.shows(v).notSee("ep 3")
}

func TestDirector_KeysWithoutAnEpisode(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	v := lampView(0)
	v.Series, v.Episode, v.State = nil, nil, director.PlayPlain
	s.see("‹1/3›").press("alt+d").see("─ Director ─").shows(v).see("no episode")
	for _, k := range []string{"p", "C", "e"} {
		s.press(k).see("this chat plays no episode · t chooses one").silent()
	}
	s.press("enter", "G").see("no episode")
}

// A question that waits opens when the user is not writing, and never takes what
// is being typed.
func TestDirector_PicturesQuestionWaits(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").typeText("I ask").shows(lampView(3))
	ask := func() {
		s.in(func(a *app) {
			a.send2(a.event(director.SparksWanted{Chat: a.view.Chat.ID, Node: "n3", Cost: 5, Left: 35}))
		})
	}
	ask()
	s.see("may pictures be made by themselves here, for 5 sparks each? · alt+y answers").typeText(" you").see("I ask you")
	s.in(func(a *app) { a.director.ask.typed = time.Time{} }) // long ago
	s.typeText("?").see("I ask you?").notSee("Pictures by themselves")
	for range len("I ask you?") {
		s.press("backspace")
	}
	s.see("Pictures by themselves", "5 sparks; 35 are left").golden("director-ask", dims{40, 12}, dims{80, 24})
	s.press("enter").see("Pictures by themselves")
	s.typeText("no, I").notSee("Pictures by themselves").see("no, I")
	s.in(func(a *app) {
		if a.director.ask.typed = (time.Time{}); !a.director.ask.waits {
			t.Error("who went on writing is not asked any more")
		}
	})
	s.press("backspace", "backspace", "backspace", "backspace", "backspace").notSee("no, I").notSee("Pictures by themselves") // by itself it opens once
}

func TestDirector_EndNeverTakesKeys(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), w: 100, h: 30})
	s.see("‹1/3›").typeText("One more")
	next := storage.Episode{ID: "e4", Number: 4, Title: "What the tide brought"}
	s.in(func(a *app) {
		a.send2(a.event(director.EpisodeEnded{Chat: a.view.Chat.ID, By: storage.EndedSemantic, Next: &next}))
		a.send2(a.event(director.EpisodeEnded{Chat: "another", By: storage.EndedByUser}))
	})
	s.see("Episode complete (the director says so). Next: 4 · What the tide brought — alt+o begins it")
	s.typeText(" word").see("One more word")
	s.in(func(a *app) {
		if a.dialogs.Top() != nil {
			t.Error("a dialog has opened")
		}
	})
}

func TestDirector_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), w: 120, h: 40})
	huge := strings.Repeat("lamp ", 20<<10) // 100 KB
	v := lampView(6)
	v.Series.Title, v.Series.Genre = evil+huge, evil
	v.Episode.Title, v.Episode.Question, v.Episode.Situation, v.Episode.Resolutions = evil+huge, huge+evil, evil+huge, []string{evil, huge}
	v.Moment, v.Phase, v.Engagement.Since = evil+huge, evil, huge
	v.State, v.Ended, v.Next = director.PlayComplete, &storage.PlayEnd{By: storage.EndedBy(evil)}, v.Episode
	for i := range v.Beats {
		b := &v.Beats[i]
		b.Said, b.Why, b.Fault = evil+huge, evil+huge, evil+huge
		if b.Seen != nil {
			*b.Seen = storage.Evaluation{VisualType: evil + huge, VisualHint: evil + huge, Status: evil + huge, Tension: 1 << 40, Tone: evil + huge, Beat: evil, Why: huge, Open: evil}
		}
	}
	s.see("‹1/3›").press("alt+d").see("─ Director ─").shows(v).see("moved")
	s.in(func(a *app) { a.director.hooks["h1"] = evil + huge })
	s.press("j", "w").see("Director · turn").press("pgdown", "end", "esc", "$").see("Sparks of this chat").press("esc")
	s.in(func(a *app) {
		a.send2(a.event(director.EpisodeEnded{Chat: a.view.Chat.ID, By: storage.EndedBy(evil), Next: v.Episode}))
		a.askNext(&v)
	})
	s.see("Next episode").press("esc")
	s.in(func(a *app) {
		for w := 1; w <= 90; w += 11 {
			for h := 1; h <= 31; h += 5 {
				a.update(tea.WindowSizeMsg{Width: w, Height: h})
				a.paint()
			}
		}
	})
	scan(t, s.out.bytes())
}
