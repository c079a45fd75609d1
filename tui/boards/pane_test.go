package boards_test

import (
	"math"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	engineboards "github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/boards"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// stage returns a screen with a storyboard on it and no engine under it.
func stage(t testing.TB, v engineboards.View) (*tui.Screen, *painter.Painter, *boards.Pane) {
	t.Helper()
	scr, pt := tuitest.Still(t)
	scr.OpenChat(chats.View{Chat: storage.Chat{ID: "c"}})
	p := boards.Stage(scr.Host(), v)
	scr.Host().Panes().Show(keys.PaneStory, p)
	scr.Paint()
	return scr, pt, p
}

// aPlan returns a storyboard before its shots.
func aPlan() engineboards.View {
	var v engineboards.View
	v.Begun, v.Stage = true, storage.BoardBudget
	v.Beats = []storage.BoardBeat{
		{ID: "b1", Text: "Aksel's notebook lies under the lamp", Why: "From here on Robin knows where to look.", Messages: []storage.NodeID{"n1", "n2"}},
		{ID: "b2", Text: "Tove goes pale at the name of the cave", Why: "She has a reason of her own to stay away, and Robin sees it before she says so."}}
	v.Filler = &storage.FillerStrategy{Amount: "light", Jobs: []string{"reaction", "physical_detail"}, Where: "between the two beats, never inside one", Why: "The silence does the work."}
	v.Budget = []storage.Allotment{{Beat: "b1", Key: 2, Filler: 1, Seconds: 11.5}, {Beat: "b2", Key: 3, Seconds: 14}}
	v.Packages = []storage.BeatPackage{{Beat: "b1", Shots: aList()[:3]}}
	return v
}

func aList() []storage.Shot {
	return []storage.Shot{
		{ID: "s1", Beat: "b1", Kind: storage.KeyShot, Size: "wide", Angle: "low", Movement: "static", Job: "establishing", Subject: "the lighthouse", Description: "The lighthouse against a white sky; two figures on the stairs, small.", Seconds: 4},
		{ID: "s2", Beat: "b1", Kind: storage.KeyShot, Size: "extreme_close_up", Angle: "overhead", Movement: "push_in", Job: "physical_detail", Subject: "the notebook", Description: "The notebook under the lamp. Its last page is dog-eared.", Seconds: 3.5},
		{ID: "s7", Beat: "b1", Kind: storage.FillerShot, Size: "through the banisters", Movement: "handheld", Description: "Robin's hand hesitates over it.", Seconds: 2},
		{ID: "s3", Beat: "b2", Kind: storage.KeyShot, Size: "medium_close_up", Angle: "eye_level", Movement: "static", Job: "reaction", Subject: "Tove", Description: "Tove goes pale. She looks not at the page but at the window, where the cliff is, and takes a step back against the wall without noticing that she does.", Seconds: 5,
			Dialogue: "My mother drowned in that cave. I promised never to go there again."},
		{ID: "s4", Beat: "b2", Kind: storage.KeyShot, Size: "medium", Angle: "over_the_shoulder", Job: "relationship_pressure", Description: "Over Robin's shoulder: Tove between the lamp and the door.", Seconds: 6},
		{ID: "s5", Kind: storage.FillerShot, Size: "wide", Movement: "pull_out", Description: "The beam goes out over the water."},
	}
}

// aBoard returns a storyboard with shots.
func aBoard() engineboards.View {
	v := aPlan()
	v.Stage, v.Packages, v.Shots, v.LastShot = storage.BoardShots, nil, aList(), 7
	v.CanUndo = true
	return v
}

// proposed is that storyboard with a change that waits, and a question.
func proposed() engineboards.View {
	v := aBoard()
	call := func(tool, with string) storage.ToolCall { return storage.ToolCall{Tool: tool, Params: []byte(with)} }
	v.Proposal = &storage.EditPlan{Request: "make the second beat slower", Summary: "Holds Tove's face longer, and takes the shot over the shoulder out.",
		Calls: []storage.ToolCall{call(storyboard.ModifyShot, `{"shot":"s3","seconds":8}`), call(storyboard.RemoveShots, `{"shots":["s4"]}`)}}
	v.Talk = []storage.BoardTalk{{Line: "more of the notebook", Reply: "A filler with Robin's hand stands before the beat.", Calls: 1},
		{Line: "make this more uncomfortable", Reply: "Do you mean closer to Tove, or longer without a cut?", Question: true}}
	return v
}

// sketched is that storyboard, confirmed, while its sketches are made.
func sketched() engineboards.View {
	v := aBoard()
	v.Stage, v.Stale = storage.BoardReady, true
	v.Sketches = map[storage.ShotID]storage.Capture{}
	for id, s := range map[storage.ShotID]storage.CaptureStatus{"s1": storage.CaptureCompleted, "s2": storage.CaptureGenerating, "s7": storage.CapturePrompting, "s3": storage.CaptureFailed, "s4": storage.CaptureDraft} {
		v.Sketches[id] = storage.Capture{ID: storage.CaptureID("c-" + id), Chat: "c", Status: s, Board: "n2", Shot: id}
	}
	lost := v.Sketches["s3"]
	lost.Error = "Load Checkpoint: painter_v3.safetensors is not there"
	v.Sketches["s3"] = lost
	v.Batch = &pictures.BatchView{Batch: storage.Batch{ID: "b", By: storage.ByShots}, Chat: "c", Total: 5, Done: 1, Painting: 1, Prompting: 1, Failed: 1, Drafts: 1}
	return v
}

// runs has an operation run that has come so far.
func runs(scr *tui.Screen, typ, params string, p queue.Progress) {
	scr.Event(queue.Changed{Operation: storage.Operation{ID: "o", Type: typ, Status: storage.InProgress, StartedAt: time.Now(), Params: []byte(params)}})
	scr.Event(queue.Progressed{ID: "o", Progress: p})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	scr, pt, p := stage(t, engineboards.View{})
	tuitest.GoldenFrames(t, scr, pt, "board-empty")
	p.TakeNone()
	tuitest.GoldenFrames(t, scr, pt, "board-no-scene")

	v := aPlan()
	v.Working = storyboard.GeneratePackage
	scr, pt, p = stage(t, v)
	runs(scr, "storyboard_plan", `{"chat":"c","node":"n2"}`, queue.Progress{Tokens: 120, Step: 2, Of: 2})
	p.GoTo("budget b1")
	tuitest.GoldenFrames(t, scr, pt, "board-planning")

	scr, pt, p = stage(t, aBoard())
	p.GoTo("shot s3")
	p.Marked["shot s1"] = true
	tuitest.GoldenFrames(t, scr, pt, "board-shots")

	scr, pt, p = stage(t, proposed())
	p.GoTo("proposal")
	tuitest.GoldenFrames(t, scr, pt, "board-proposal")
	scr.Update(tuitest.KeyNamed(t, "s"))
	tuitest.GoldenFrames(t, scr, pt, "board-steer")
	scr.CloseDialogs()
	scr.Update(tuitest.KeyNamed(t, "enter"))
	tuitest.GoldenFrames(t, scr, pt, "board-proposal-asked")

	scr, pt, p = stage(t, sketched())
	runs(scr, pane.Paints, `{"capture":"c-s2","chat":"c"}`, queue.Progress{Text: "KSampler", Step: 12, Of: 20})
	p.GoTo("shot s2")
	tuitest.GoldenFrames(t, scr, pt, "board-ready")
	scr.Update(tuitest.KeyNamed(t, "c"))
	tuitest.GoldenFrames(t, scr, pt, "board-sketch")
	scr.CloseDialogs()
	scr.Update(tuitest.KeyNamed(t, "e"))
	tuitest.GoldenFrames(t, scr, pt, "board-edit")
}

// A storyboard that was taken back as a whole says how it comes back.
func TestPane_RedoOfAll(t *testing.T) {
	t.Parallel()
	v := engineboards.View{CanRedo: true}
	v.Node = "n1"
	if _, pt, _ := stage(t, v); !strings.Contains(pt.Text(), " U redo · ") {
		t.Error(pt.Text())
	}
}

// Sketches that wait as drafts say where they are sent from.
func TestPane_DraftsAreSentFromTheGallery(t *testing.T) {
	t.Parallel()
	v := sketched()
	v.Batch.Painting, v.Batch.Prompting, v.Batch.Drafts = 0, 0, 3
	_, _, p := stage(t, v)
	if all := p.HeadText(78); !strings.Contains(all, "3 drafts · f2 to send them") || strings.Contains(all, "x cancels") {
		t.Errorf("the head is %q", all)
	}
}

// The first shots of a storyboard are in view together, not below what was planned before. The
// result of a line is shown in a notice if its row is out of view.
func TestPane_NewsInView(t *testing.T) {
	t.Parallel()
	scr, pt, p := stage(t, aPlan())
	v := aBoard()
	p.Take(v)
	scr.Paint()
	if text := pt.Text(); !strings.Contains(text, "shot 1 of 6") || !strings.Contains(text, "The beam goes out") {
		t.Error(text)
	}
	said := storage.BoardTalk{Line: "closer", Reply: "Closer.", Calls: 2, At: time.Now()}
	if words := p.News([]storage.BoardTalk{said}); words != "→ 2 changes · Closer." {
		t.Errorf("told: %q", words)
	}
	p.Talk([]storage.BoardTalk{said})
	if words := p.News(p.View().Talk); words != "" {
		t.Errorf("told again: %q", words)
	}
}

// The choice stays with the shot, wherever it goes.
func TestPane_ChoiceFollowsTheShot(t *testing.T) {
	t.Parallel()
	_, _, p := stage(t, aBoard())
	if s := p.Shot(); s == nil || s.ID != "s1" {
		t.Fatalf("it starts at %+v", s)
	}
	p.GoTo("shot s3")
	v := aBoard()
	v.Shots = append([]storage.Shot{v.Shots[3], {ID: "s8", Description: "new"}}, v.Shots[0])
	p.Take(v)
	if s := p.Shot(); s == nil || s.ID != "s3" {
		t.Errorf("chosen: %+v", s)
	}
	v.Shots = v.Shots[1:]
	p.Take(v) // what was chosen is gone: the row that is there now
	if s := p.Shot(); s == nil || s.ID != "s8" && s.ID != "s1" {
		t.Errorf("chosen: %+v", s)
	}
	v.Shots = nil
	p.Take(v)
	if p.Shot() != nil || p.Key() == "" {
		t.Errorf("chosen: %q", p.Key())
	}
}

func TestPane_HostileViews(t *testing.T) {
	t.Parallel()
	const evil = tuitest.Evil
	v := proposed()
	v.Stage = storage.BoardStage(evil)
	v.Shots = append(v.Shots, storage.Shot{ID: storage.ShotID(evil), Kind: evil, Size: evil, Angle: evil, Movement: evil, Job: evil, Subject: evil, Beat: evil,
		Description: strings.Repeat(evil, 50), Dialogue: evil, Seconds: math.Inf(1)}, storage.Shot{Seconds: math.NaN(), Description: strings.Repeat("x", 1<<16)})
	v.Beats = append(v.Beats, storage.BoardBeat{ID: evil, Text: evil, Why: evil})
	v.Budget = append(v.Budget, storage.Allotment{Beat: "gone", Key: -1, Seconds: -5})
	v.Talk = append(v.Talk, storage.BoardTalk{Line: evil, Reply: evil, Question: true})
	v.Proposal.Summary, v.Filler.Where, v.Working = evil, evil, evil
	scr, pt, p := stage(t, v)
	var out strings.Builder
	for _, d := range []tuitest.Size{{W: 1, H: 1}, {W: 7, H: 4}, {W: 40, H: 12}, {W: 80, H: 24}, {W: 120, H: 9}, {W: 200, H: 60}} {
		scr.Update(tea.WindowSizeMsg{Width: d.W, Height: d.H})
		for i := range p.Lines {
			p.Pick(i)
			scr.Paint()
			out.WriteString(pt.Text())
		}
	}
	for _, r := range out.String() {
		if !tuitest.Fit(r) {
			t.Fatalf("%U is shown", r)
		}
	}
}
