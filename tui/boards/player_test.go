package boards_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	engineboards "github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/boards"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// hatched lays every picture out in the same shades.
type hatched struct{}

func (hatched) Lines(_ *storage.Capture, w, h int, _ *draw.Styles) []string {
	rows := max(6, h*3/5)
	cols := min(w, 2*rows)
	lines := make([]string, rows)
	for i := range lines {
		lines[i] = strings.Repeat("░▒", cols/2)
	}
	return lines
}

func TestGolden_Playing(t *testing.T) {
	t.Parallel()
	v := sketched()
	painted := v.Sketches["s3"]
	painted.Status, painted.ImagePath = storage.CaptureCompleted, "captures/c.png"
	v.Sketches["s3"] = painted
	scr, pt, p := stage(t, v)
	p.Pictured(hatched{})
	p.PlayAt("s3", 3200*time.Millisecond)
	tuitest.GoldenFrames(t, scr, pt, "board-playing")
	p.PlayAt("s1", 0)
	tuitest.GoldenFrames(t, scr, pt, "board-playing-card")

	v = aBoard()
	v.Talk = []storage.BoardTalk{{Line: "make it darker", Reply: "I have made everything darker."}}
	scr, pt, p = stage(t, v)
	p.GoTo("talk")
	tuitest.GoldenFrames(t, scr, pt, "board-unchanged")
}

func TestScript_Playing(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withShots(t), W: 120, H: 40})
	playing := func(what string, want func(shot storage.ShotID, running bool) bool) {
		t.Helper()
		s.Until(what, func() (ok bool) {
			s.In(func(scr *tui.Screen) { shot, on, _ := boardPane(scr).Playing(); ok = want(shot, on) })
			return ok
		})
	}
	quick := engineboards.View{}
	s.See("blue boat").Press("alt+h").See("Shots 6")
	s.Press("v").See("▶ 1 of 6", "0:00 / 0:", "The lighthouse against", "no picture yet").Press("right", "l").See("3 of 6").Press("O").See("‖ 3 of 6")
	playing("stopped", func(_ storage.ShotID, on bool) bool { return !on })
	s.Press("left", "left", "left", "g").See("‖ 1 of 6").Press("G").See("6 of 6")
	s.Press("d", "u", "p").See("6 of 6") // what changes the list does nothing meanwhile
	if quick = s.board(2); len(quick.Shots) != 6 || quick.Working != "" {
		t.Errorf("%d shots, %s", len(quick.Shots), quick.Working)
	}
	s.Press("v").See("shot 6 of 6", "Shots 6")

	// Shots follow each other, the last one stays, and space begins again.
	chat, node := s.Chat().Chat.ID, s.Scenes()[1].Break
	for _, shot := range s.board(2).Shots {
		_, err := s.Engine.Boards.Call(chat, node, boards.ToolCall("modify_shot", boards.Params{"shot": shot.ID, "seconds": 0.1}))
		s.Must(err)
	}
	s.See("0.1 s").Press("g", "v")
	playing("to have come to the end", func(shot storage.ShotID, on bool) bool { return shot == "s6" && !on })
	s.See("‖ 6 of 6", "0:00 / 0:00")
	long := func(shot storage.ShotID) {
		t.Helper()
		_, err := s.Engine.Boards.Call(chat, node, boards.ToolCall("modify_shot", boards.Params{"shot": shot, "seconds": 60}))
		s.Must(err)
	}
	long("s6")
	s.See("/ 1:00").Press("space")
	playing("to come to the last shot again", func(shot storage.ShotID, on bool) bool { return shot == "s6" && on })
	s.Press("space").See("‖ 6 of 6")

	// Nobody is woken by what nobody sees.
	long("s1")
	s.See("/ 2:00").Press("g", "space").See("▶ 1 of 6", "/ 2:00")
	var hidden *boards.Pane
	s.In(func(scr *tui.Screen) { hidden = boardPane(scr) })
	s.Press("q").NotSee("1 of 6")
	s.Until("it to stop", func() (stopped bool) {
		s.In(func(*tui.Screen) { _, on, _ := hidden.Playing(); stopped = !on })
		return stopped
	})
}

func TestScript_Film(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := begin(t, tuitest.Options{Prepare: withShots(t), W: 120, H: 40})
	s.See("blue boat").In(func(scr *tui.Screen) { scr.Host().Files().Folder = dir })
	s.Press("alt+h").See("Shots 6")
	path := filepath.Join(dir, "board.gif")
	for range 2 { // the second one overwrites
		s.Do("storyboard-export").See("Export the storyboard").Press("ctrl+u").TypeText(path).Press("enter").NotSee("Export the storyboard")
		if _, err := os.Stat(path); err == nil {
			s.See("already").Press("y")
		}
		s.See("with subtitle files")
	}
	for _, name := range []string{"board.gif", "board.srt", "board.vtt"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
