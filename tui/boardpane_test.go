package tui

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/boards"
	"ghostlight/engine/boards/storyboard"
	"ghostlight/engine/pictures"
	"ghostlight/engine/queue"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/painter"
)

// stageBoard is a screen with a storyboard on it and no engine under it.
func stageBoard(tb testing.TB, w, h int, v boards.View) (*app, *boardPane) {
	tb.Helper()
	set, _ := themes.Load("")
	pt := painter.New(io.Discard, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	a := newApp(tb.Context(), nil, &terminal{painter: pt}, Options{Themes: set, Images: "blocks", Log: slog.New(slog.DiscardHandler)}, func(tea.Msg) {})
	if err := pt.Enter(""); err != nil {
		tb.Fatal(err)
	}
	a.update(tea.WindowSizeMsg{Width: w, Height: h})
	a.view.Chat.ID = "c"
	p := newBoardPane(a, a.pictures)
	p.Chat, p.node = "c", "n2"
	a.pane, a.paneFor = p, keys.PaneStory
	a.mode = keys.Pane
	v.Chat, v.Node = "c", "n2"
	v.Scene = scenes.Scene{Number: 2, Name: "The Next Morning", Break: "n2"}
	p.take(v)
	a.paint()
	return a, p
}

// aPlan is a storyboard before its shots.
func aPlan() boards.View {
	var v boards.View
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

// aBoard is a storyboard with shots.
func aBoard() boards.View {
	v := aPlan()
	v.Stage, v.Packages, v.Shots, v.LastShot = storage.BoardShots, nil, aList(), 7
	v.CanUndo = true
	return v
}

// proposed is that storyboard with a change that waits, and a question.
func proposed() boards.View {
	v := aBoard()
	call := func(tool, with string) storage.ToolCall { return storage.ToolCall{Tool: tool, Params: []byte(with)} }
	v.Proposal = &storage.EditPlan{Request: "make the second beat slower", Summary: "Holds Tove's face longer, and takes the shot over the shoulder out.",
		Calls: []storage.ToolCall{call(storyboard.ModifyShot, `{"shot":"s3","seconds":8}`), call(storyboard.RemoveShots, `{"shots":["s4"]}`)}}
	v.Talk = []storage.BoardTalk{{Line: "more of the notebook", Reply: "A filler with Robin's hand stands before the beat.", Calls: 1},
		{Line: "make this more uncomfortable", Reply: "Do you mean closer to Tove, or longer without a cut?", Question: true}}
	return v
}

// sketched is that storyboard, confirmed, while its sketches are made.
func sketched() boards.View {
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

func runs(a *app, typ, params string, p queue.Progress) {
	j := newJob(storage.Operation{ID: "o", Type: typ, Status: storage.InProgress, StartedAt: time.Now(), Params: []byte(params)})
	j.Progress = p
	a.work.running = map[storage.OperationID]*job{"o": j}
}

func TestGolden_Board(t *testing.T) {
	t.Parallel()
	a, p := stageBoard(t, 80, 24, boards.View{})
	goldenFrames(t, a, "board-empty")
	p.take(boards.View{Chat: "c"})
	p.node, p.none = "", true
	goldenFrames(t, a, "board-no-scene")

	v := aPlan()
	v.Working = storyboard.GeneratePackage
	a, p = stageBoard(t, 80, 24, v)
	runs(a, "storyboard_plan", `{"chat":"c","node":"n2"}`, queue.Progress{Tokens: 120, Step: 2, Of: 2})
	p.GoTo("budget b1")
	goldenFrames(t, a, "board-planning")

	a, p = stageBoard(t, 80, 24, aBoard())
	p.GoTo("shot s3")
	p.Marked["shot s1"] = true
	goldenFrames(t, a, "board-shots")

	a, p = stageBoard(t, 80, 24, proposed())
	p.GoTo("proposal")
	goldenFrames(t, a, "board-proposal")
	a.update(keyNamed(t, "s"))
	goldenFrames(t, a, "board-steer")
	a.dialogs.All = nil
	a.update(keyNamed(t, "enter"))
	goldenFrames(t, a, "board-proposal-asked")

	a, p = stageBoard(t, 80, 24, sketched())
	runs(a, desk.Paints, `{"capture":"c-s2","chat":"c"}`, queue.Progress{Text: "KSampler", Step: 12, Of: 20})
	p.GoTo("shot s2")
	goldenFrames(t, a, "board-ready")
	a.update(keyNamed(t, "c"))
	goldenFrames(t, a, "board-sketch")
	a.dialogs.All = nil
	a.update(keyNamed(t, "e"))
	goldenFrames(t, a, "board-edit")
}

// A storyboard that was taken back as a whole says how it comes back.
func TestBoardPane_RedoOfAll(t *testing.T) {
	t.Parallel()
	v := boards.View{CanRedo: true}
	v.Node = "n1"
	if _, p := stageBoard(t, 80, 24, v); p.Hints()[0] != desk.NewHint(keys.PaneAll, "redo") {
		t.Errorf("the hints are %v", p.Hints())
	}
}

// Sketches that wait as drafts say where they are sent from.
func TestBoardPane_DraftsAreSentFromTheGallery(t *testing.T) {
	t.Parallel()
	v := sketched()
	v.Batch.Painting, v.Batch.Prompting, v.Batch.Drafts = 0, 0, 3
	_, p := stageBoard(t, 80, 24, v)
	var all string
	for _, l := range p.headLines(78) {
		all += l.text + "\n"
	}
	if !strings.Contains(all, "3 drafts · f2 to send them") || strings.Contains(all, "x cancels") {
		t.Errorf("the head is %q", all)
	}
}

// The first shots of a storyboard are in view together, not at the foot of what was
// planned before; and what a line has done is told where its row is out of view.
func TestBoardPane_NewsInView(t *testing.T) {
	t.Parallel()
	a, p := stageBoard(t, 80, 24, aPlan())
	v := aBoard()
	v.Chat, v.Node = "c", "n2"
	p.take(v)
	a.paint()
	if text := a.painter.Text(); !strings.Contains(text, "shot 1 of 6") || !strings.Contains(text, "The beam goes out") {
		t.Error(text)
	}
	said := storage.BoardTalk{Line: "closer", Reply: "Closer.", Calls: 2, At: time.Now()}
	if words := p.news([]storage.BoardTalk{said}); words != "→ 2 changes · Closer." {
		t.Errorf("told: %q", words)
	}
	p.view.Talk = []storage.BoardTalk{said}
	if words := p.news(p.view.Talk); words != "" {
		t.Errorf("told again: %q", words)
	}
}

// A beat that is chosen in a form is meant, also where the beats have changed since
// the form was opened.
func TestBoardPane_BeatOfAForm(t *testing.T) {
	t.Parallel()
	a, p := stageBoard(t, 80, 24, aBoard())
	var kept storage.Shot
	p.openShot("Edit shot s1", p.view.Shots[0], func(s storage.Shot) []storage.ToolCall { kept = s; return nil })
	v := aBoard()
	v.Chat, v.Node, v.Beats = "c", "n2", v.Beats[1:]
	p.take(v)
	k := a.dialogs.Top().(*desk.KeptForm)
	if _, err := k.Save(&k.Form); err != nil || kept.Beat != "b1" {
		t.Errorf("kept for beat %q: %v", kept.Beat, err)
	}
}

func TestCallWords(t *testing.T) {
	t.Parallel()
	call := toolCall(storyboard.ProposeEdit, params{"summary": "Slower.", "calls": []params{{"tool": storyboard.ModifyShot, "params": params{"shot": "s1", "seconds": 8}}}})
	if words := callWords(call, 200); words != "proposal · calls: shot changed · seconds: 8; shot: s1; summary: Slower." {
		t.Error(words)
	}
}

// The choice stays with the shot, wherever it goes.
func TestBoardPane_ChoiceFollowsTheShot(t *testing.T) {
	t.Parallel()
	_, p := stageBoard(t, 80, 24, aBoard())
	if s := p.shot(); s == nil || s.ID != "s1" {
		t.Fatalf("it begins at %+v", s)
	}
	p.GoTo("shot s3")
	v := aBoard()
	v.Chat, v.Node = "c", "n2"
	v.Shots = append([]storage.Shot{v.Shots[3], {ID: "s8", Description: "new"}}, v.Shots[0])
	p.take(v)
	if s := p.shot(); s == nil || s.ID != "s3" {
		t.Errorf("chosen: %+v", s)
	}
	v.Shots = v.Shots[1:]
	p.take(v) // what was chosen is gone: the row that is there now
	if s := p.shot(); s == nil || s.ID != "s8" && s.ID != "s1" {
		t.Errorf("chosen: %+v", s)
	}
	v.Shots = nil
	p.take(v)
	if p.shot() != nil || p.Key() == "" {
		t.Errorf("chosen: %q", p.Key())
	}
}

func TestBoardPane_HostileViews(t *testing.T) {
	t.Parallel()
	v := proposed()
	v.Stage = storage.BoardStage(evil)
	v.Shots = append(v.Shots, storage.Shot{ID: storage.ShotID(evil), Kind: evil, Size: evil, Angle: evil, Movement: evil, Job: evil, Subject: evil, Beat: evil,
		Description: strings.Repeat(evil, 50), Dialogue: evil, Seconds: math.Inf(1)}, storage.Shot{Seconds: math.NaN(), Description: strings.Repeat("x", 1<<16)})
	v.Beats = append(v.Beats, storage.BoardBeat{ID: evil, Text: evil, Why: evil})
	v.Budget = append(v.Budget, storage.Allotment{Beat: "gone", Key: -1, Seconds: -5})
	v.Talk = append(v.Talk, storage.BoardTalk{Line: evil, Reply: evil, Question: true})
	v.Proposal.Summary, v.Filler.Where, v.Working = evil, evil, evil
	a, p := stageBoard(t, 80, 24, v)
	var out strings.Builder
	for _, d := range []dims{{1, 1}, {7, 4}, {40, 12}, {80, 24}, {120, 9}, {200, 60}} {
		a.update(tea.WindowSizeMsg{Width: d.w, Height: d.h})
		for i := range p.Lines {
			p.Pick(i)
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

// manyShots is a storyboard of n shots, all with sketches.
func manyShots(n int) boards.View {
	v := aBoard()
	list := aList()
	v.Shots, v.Sketches = nil, map[storage.ShotID]storage.Capture{}
	for i := range n {
		s := list[i%len(list)]
		s.ID = storage.ShotID(fmt.Sprintf("s%d", i+1))
		v.Shots = append(v.Shots, s)
		v.Sketches[s.ID] = storage.Capture{ID: storage.CaptureID(s.ID), Status: storage.CaptureCompleted}
	}
	return v
}

// BenchmarkBoardPane200 is a key in a storyboard of 200 shots, from the key to the
// frame; and what taking over a change of it costs.
func BenchmarkBoardPane200(b *testing.B) {
	v := manyShots(200)
	for _, d := range []dims{{80, 24}, {200, 60}} {
		b.Run(fmt.Sprintf("key-%dx%d", d.w, d.h), func(b *testing.B) {
			a, p := stageBoard(b, d.w, d.h, v)
			b.ReportAllocs()
			for b.Loop() {
				if p.At > len(p.Lines)-3 {
					p.Pick(0)
				}
				a.update(tea.KeyPressMsg{Code: 'j', Text: "j"})
				a.paint()
			}
		})
	}
	b.Run("change", func(b *testing.B) {
		a, p := stageBoard(b, 200, 60, v)
		p.GoTo("shot s150")
		b.ReportAllocs()
		for b.Loop() {
			p.take(v)
			a.paint()
		}
	})
}
