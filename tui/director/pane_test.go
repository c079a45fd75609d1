package director_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	enginedirector "github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/director"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
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
func exchanges(n int) []enginedirector.TurnView {
	kinds := []string{"object", "none", "character", "atmosphere", "instruction"}
	var out []enginedirector.TurnView
	for turn := n; turn >= 1; turn-- {
		b := enginedirector.TurnView{Excerpt: "*She turns the key over.* \"Not that one,\" she says.", Phase: "develop",
			Node: storage.NodeID(fmt.Sprintf("n%d", turn)), Turn: turn}
		switch turn % 6 {
		case 5:
			b.Fault = "the answer was no JSON, twice"
		default:
			b.Evaluated, b.Evaluation = true, storage.Evaluation{VisualType: kinds[turn%len(kinds)], VisualHint: "a brass key on the wet sill", Status: "going", Tension: turn * 37 % 101,
				Tone: "wary, warming", Beat: "Tove hands over the key", Why: "the key is in both their hands", Open: "who lit the lamp"}
		}
		switch turn % 3 {
		case 0:
			b.Capture, b.CaptureWhy = "c1", "allowed by you"
		case 1:
			b.CaptureWhy = "no picture: no sparks are left"
		}
		if turn%4 == 3 {
			b.TakenUp = []storage.HookID{"h1"}
		}
		out = append(out, b)
	}
	return out
}

func lampView(n int) enginedirector.View {
	s, ep := lampRoom()
	return enginedirector.View{Series: &s, Episode: &ep, State: enginedirector.PlayActive, Turn: n, Phase: "develop", Mode: storage.ScenesPeaks,
		Sparks: enginedirector.Sparks{Allowance: 50, Left: 35}, Turns: exchanges(n), Moment: "She said: \"Not that one.\" You asked who lit the lamp. Still open: who lit the lamp. In the lamp room, past midnight.",
		Engagement: enginedirector.EngagementView{Sessions: 3, Since: "2 weeks"}}
}

// session is a screen with helpers for plays and series.
type session struct{ *tuitest.Session }

func begin(t testing.TB, o tuitest.Options) session { return session{tuitest.Begin(t, o)} }

// room is the part of the screen about plays on a screen.
func room(scr *tui.Screen) *director.Part { return director.RoomOf(scr.Parts()) }

// shows puts a view in the place of what the engine knows of the open chat.
func (s session) shows(v enginedirector.View) session {
	s.T().Helper()
	s.Until("the end of the reading", func() bool {
		busy := true
		s.In(func(scr *tui.Screen) { busy = room(scr).Reading() })
		return !busy
	})
	s.In(func(scr *tui.Screen) {
		room(scr).Take(v, map[storage.HookID]string{"h1": "the letter from the harbour master"})
	})
	s.Silent()
	return s
}

func TestGolden_Director(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("alt+d").See("─ Director ─")
	s.shows(lampView(8))
	s.Golden("director").GoldenStyled("director")
	s.Press("j", "j").Golden("director-chosen", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("W").See("Director · turn 6").Golden("director-all", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("esc")

	v := lampView(12)
	v.State, v.Ended = enginedirector.PlayComplete, &enginedirector.PlayEnd{By: storage.EndedByTurns}
	next := storage.Episode{ID: "e4", Number: 4, Title: "What the tide brought"}
	v.Next, v.Sparks.Answer, v.Working = &next, storage.SparksRefused, true
	s.shows(v).Golden("director-complete")

	v = lampView(2)
	v.Series, v.Episode, v.State, v.Off = nil, nil, enginedirector.PlayPlain, true
	s.shows(v).Golden("director-plain")
	v.Turns, v.Moment, v.Off = nil, "", false
	s.shows(v).Golden("director-empty")
}

func TestGolden_DirectorPlain(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Profile: colorprofile.Ascii})
	s.See("‹1/3›").Press("alt+d").See("─ Director ─")
	s.shows(lampView(8)).See("tension")
	if f := s.Now(); strings.ContainsAny(f, director.Heights) {
		t.Errorf("steps on a terminal without colours:\n%s", f)
	}
}

// Who has chosen a beat keeps it when others come; who looks at the newest sees
// the next newest.
func TestDirector_StaysOnTheChosenBeat(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("alt+d").See("─ Director ─")
	s.shows(lampView(8)).Now()
	at := func() (turn int) {
		s.In(func(scr *tui.Screen) { turn = room(scr).ChosenTurn() })
		return turn
	}
	s.shows(lampView(9)).Now()
	if got := at(); got != 9 {
		t.Errorf("turn %d is chosen, not the newest", got)
	}
	s.Press("j", "j").Now()
	s.shows(lampView(11)).Now()
	if got := at(); got != 7 {
		t.Errorf("turn %d is chosen, not 7", got)
	}
	s.Press("g").Now()
	if got := at(); got != 11 {
		t.Errorf("turn %d is chosen after g", got)
	}
}

func TestDirector_StatusLine(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), W: 120, H: 30})
	s.See("‹1/3›")
	s.shows(lampView(7)).See("ep 3 · turn 7/12")
	v := lampView(7)
	v.State = enginedirector.PlayPaused
	s.shows(v).See("ep 3 · paused")
	v.Episode, v.State = nil, enginedirector.PlayPlain
	s.shows(v).NotSee("ep 3")
}

func TestDirector_KeysWithoutAnEpisode(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	v := lampView(0)
	v.Series, v.Episode, v.State = nil, nil, enginedirector.PlayPlain
	s.See("‹1/3›").Press("alt+d").See("─ Director ─")
	s.shows(v).See("no episode")
	for _, k := range []string{"O", "C", "e"} {
		s.Press(k).See("this chat has no episode · ^X d c chooses one").Silent()
	}
	s.Press("enter", "G").See("no episode")
}

// A question that waits opens when the user is not writing, and never takes what
// is being typed.
func TestDirector_PicturesQuestionWaits(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").TypeText("I ask")
	s.shows(lampView(3))
	ask := func() {
		s.In(func(scr *tui.Screen) {
			scr.Start(scr.Event(enginedirector.SparksWanted{Chat: scr.Host().Play().Chat().Chat.ID, Node: "n3", Cost: 5, Left: 35}))
		})
	}
	ask()
	s.See("allow automatic pictures here, for 5 sparks each? · alt+y answers").TypeText(" you").See("I ask you")
	s.In(func(scr *tui.Screen) { room(scr).TypedLongAgo() })
	s.TypeText("?").See("I ask you?").NotSee("Automatic pictures")
	for range len("I ask you?") {
		s.Press("backspace")
	}
	s.See("Automatic pictures", "5 sparks").Golden("director-ask", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("enter").See("Automatic pictures")
	s.TypeText("no, I").NotSee("Automatic pictures").See("no, I")
	s.In(func(scr *tui.Screen) {
		if !room(scr).TypedLongAgo() {
			t.Error("who went on writing is not asked any more")
		}
	})
	s.Press("backspace", "backspace", "backspace", "backspace", "backspace").NotSee("no, I").NotSee("Automatic pictures") // by itself it opens once
}

func TestDirector_EndNeverTakesKeys(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), W: 100, H: 30})
	s.See("‹1/3›").TypeText("One more")
	next := storage.Episode{ID: "e4", Number: 4, Title: "What the tide brought"}
	s.In(func(scr *tui.Screen) {
		scr.Start(scr.Event(enginedirector.EpisodeEnded{Chat: scr.Host().Play().Chat().Chat.ID, By: storage.EndedSemantic, Next: &next}))
		scr.Start(scr.Event(enginedirector.EpisodeEnded{Chat: "another", By: storage.EndedByUser}))
	})
	s.See("Episode complete (set by the director). Next: 4 · What the tide brought — alt+o starts it")
	s.TypeText(" word").See("One more word")
	s.In(func(scr *tui.Screen) {
		if scr.Dialogs() > 0 {
			t.Error("a dialog has opened")
		}
	})
}

func TestDirector_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), W: 120, H: 40})
	huge := strings.Repeat("lamp ", 20<<10) // 100 KB
	v := lampView(6)
	v.Series.Title, v.Series.Genre = tuitest.Evil+huge, tuitest.Evil
	v.Episode.Title, v.Episode.Question, v.Episode.Situation, v.Episode.Resolutions = tuitest.Evil+huge, huge+tuitest.Evil, tuitest.Evil+huge, []string{tuitest.Evil, huge}
	v.Moment, v.Phase, v.Engagement.Since = tuitest.Evil+huge, tuitest.Evil, huge
	v.State, v.Ended, v.Next = enginedirector.PlayComplete, &enginedirector.PlayEnd{By: storage.EndedBy(tuitest.Evil)}, v.Episode
	for i := range v.Turns {
		b := &v.Turns[i]
		b.Excerpt, b.CaptureWhy, b.Fault = tuitest.Evil+huge, tuitest.Evil+huge, tuitest.Evil+huge
		if b.Evaluated {
			b.Evaluation = storage.Evaluation{VisualType: tuitest.Evil + huge, VisualHint: tuitest.Evil + huge, Status: tuitest.Evil + huge, Tension: 1 << 40, Tone: tuitest.Evil + huge, Beat: tuitest.Evil, Why: huge, Open: tuitest.Evil}
		}
	}
	s.See("‹1/3›").Press("alt+d").See("─ Director ─")
	s.shows(v).See("moved")
	s.In(func(scr *tui.Screen) { room(scr).Hook("h1", tuitest.Evil+huge) })
	s.Press("j", "W").See("Director · turn").Press("pgdown", "end", "esc", "ctrl+x", "d", "r").See("Sparks of this chat").Press("esc")
	s.In(func(scr *tui.Screen) {
		scr.Start(scr.Event(enginedirector.EpisodeEnded{Chat: scr.Host().Play().Chat().Chat.ID, By: storage.EndedBy(tuitest.Evil), Next: v.Episode}))
		room(scr).AskNext(&v)
	})
	s.See("Next episode").Press("esc")
	s.In(func(scr *tui.Screen) {
		for w := 1; w <= 90; w += 11 {
			for h := 1; h <= 31; h += 5 {
				scr.Update(tea.WindowSizeMsg{Width: w, Height: h})
				scr.Paint()
			}
		}
	})
	tuitest.Scan(t, s.Written())
}
