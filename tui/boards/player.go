package boards

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Pictures lays captures out for the terminal.
type Pictures interface {
	// Lines returns a capture as lines of at most w cells and about three fifths of h rows.
	Lines(c *storage.Capture, w, h int, sty *draw.Styles) []string
}

// wakeInterval is the time between redraws while shots are played.
const wakeInterval = 500 * time.Millisecond

// player plays the shots of a storyboard in order. It redraws the screen only while it runs and is
// visible.
type player struct {
	shot    storage.ShotID
	at      time.Duration // into the shot
	running bool
	since   time.Time // start of the time that counts while it runs
	run     int       // number of the run; wake-ups of earlier runs are ignored
	drawn   bool      // it was drawn since the last wake-up
}

// play starts at the selected shot, or at the first one.
func (p *boardPane) play() tea.Cmd {
	id := p.view.Shots[0].ID
	if s := p.shot(); s != nil {
		id = s.ID
	}
	p.playing = &player{shot: id}
	return p.run(true)
}

// stopPlaying shows the list again, with the last played shot selected.
func (p *boardPane) stopPlaying() {
	if pl := p.playing; pl != nil {
		p.playing = nil
		p.GoTo(shotKey(pl.shot))
	}
}

// run resumes or pauses the player.
func (p *boardPane) run(on bool) tea.Cmd {
	pl := p.playing
	pl.at, pl.since = pl.now(), time.Now()
	pl.running = on
	pl.run++
	if !on {
		return nil
	}
	if i := p.shotAt(pl.shot); i == len(p.view.Shots)-1 && pl.at >= storyboard.ShotDuration(p.view.Shots[i]) {
		pl.shot, pl.at = p.view.Shots[0].ID, 0 // it has ended: restart
	}
	pl.drawn = true
	return p.wake()
}

// now returns the time within the current shot.
func (pl *player) now() time.Duration {
	if !pl.running {
		return pl.at
	}
	return pl.at + time.Since(pl.since)
}

// wake redraws the player while it is visible.
func (p *boardPane) wake() tea.Cmd {
	pl := p.playing
	turn, wait := pl.run, wakeInterval
	if i := p.shotAt(pl.shot); i >= 0 {
		wait = max(10*time.Millisecond, min(wait, storyboard.ShotDuration(p.view.Shots[i])-pl.now()))
	}
	return tea.Tick(wait, func(time.Time) tea.Msg {
		return pane.Callback(func() tea.Cmd {
			switch {
			case p.playing != pl || pl.run != turn || !pl.running:
				return nil
			case p.Host.Panes().Current() != pane.Pane(p) || !pl.drawn: // the pane is not visible
				return p.run(false)
			}
			pl.drawn = false
			if p.advance(); !pl.running {
				return nil
			}
			return p.wake()
		})
	})
}

// advance moves to the shot of the current time and stops at the end.
func (p *boardPane) advance() {
	pl := p.playing
	at, i := pl.now(), max(0, p.shotAt(pl.shot))
	for ; ; i++ {
		stands := storyboard.ShotDuration(p.view.Shots[i])
		if at < stands {
			break
		}
		if i == len(p.view.Shots)-1 {
			pl.running, at = false, stands
			break
		}
		at -= stands
	}
	pl.shot, pl.at, pl.since = p.view.Shots[i].ID, at, time.Now()
}

// step moves n shots forward, or back if n is negative, to the beginning of that shot.
func (p *boardPane) step(n int) tea.Cmd {
	pl := p.playing
	i := min(max(p.shotAt(pl.shot)+n, 0), len(p.view.Shots)-1)
	pl.shot, pl.at, pl.since = p.view.Shots[i].ID, 0, time.Now()
	return p.run(pl.running)
}

// playerActions returns the actions while shots are played.
func (p *boardPane) playerActions() []keys.Action {
	step := func(act keys.Name, words string, n func() int) keys.Action {
		return keys.Action{Name: act, Text: words, Do: func() tea.Cmd { return p.step(n()) }}
	}
	by := func(n int) func() int { return func() int { return n } }
	all := func(sign int) func() int { return func() int { return sign * len(p.view.Shots) } }
	toggle := func() tea.Cmd { return p.run(!p.playing.running) }
	stop := func() tea.Cmd { p.stopPlaying(); return nil }
	before, first := step(keys.PaneLeft, "previous shot", by(-1)), step(keys.PaneTop, "first shot", all(-1))
	before.Hint, before.Until, first.Hint = "shots", keys.PaneRight, "first"
	return []keys.Action{
		{Name: keys.PaneOnOff, Text: "pause", Hint: "pause", Visible: func() bool { return p.playing.running },
			Do: toggle},
		{Name: keys.PaneOnOff, Text: "resume", Hint: "resume", Do: toggle},
		{Name: keys.PaneMark, Text: "pause or resume", Do: toggle},
		{Name: keys.PaneEnter, Text: "pause or resume", Do: toggle},
		before, step(keys.PaneRight, "next shot", by(1)), first, step(keys.PaneBottom, "last shot", all(1)),
		step(keys.PaneUp, "", by(-1)), step(keys.PaneDown, "", by(1)),
		{Name: exportBoard, Text: "export the film", Do: p.openExport},
		{Name: playShots, Text: "back to the list", Hint: "the list", Do: stop},
		{Name: keys.ToBrowse, Text: "back to the list", Do: stop},
	}
}

// drawPlaying draws the current shot.
func (p *boardPane) drawPlaying(buf uv.ScreenBuffer, area uv.Rectangle) {
	pl, sty := p.playing, p.Host.Styles()
	pl.drawn = true
	i := max(0, p.shotAt(pl.shot))
	s := &p.view.Shots[i]
	at := min(pl.now(), storyboard.ShotDuration(*s))
	w := area.Dx()
	if w < 4 || area.Dy() < 3 {
		return
	}
	before, all := storyboard.TotalDuration(p.view.Shots[:i])+at, storyboard.TotalDuration(p.view.Shots)
	sign := "‖"
	if pl.running {
		sign = "▶"
	}
	clock := playTime(before) + " / " + playTime(all)
	x := draw.PutRight(buf, area.Min.X, area.Min.Y, w, sty.Accent, clock)
	draw.Put(buf, area.Min.X, area.Min.Y, max(1, x-area.Min.X-1), sty.Base,
		draw.Parts(sign+" "+draw.Join(fmt.Sprintf("%d of %d", i+1, len(p.view.Shots)), shotStyle(s)),
			max(1, x-area.Min.X-1)))
	done := 0
	if all > 0 {
		done = int(int64(w) * int64(before) / int64(all))
	}
	y := area.Max.Y - 1
	draw.Put(buf, area.Min.X, y, w, sty.Accent, strings.Repeat("━", min(done, w)))
	draw.Put(buf, area.Min.X+min(done, w), y, w-min(done, w), sty.Faint, strings.Repeat("─", w-min(done, w)))
	said := p.spoken(s, at, w-2)
	y -= len(said)
	for k, l := range said {
		draw.Put(buf, area.Min.X+max(0, w-ansi.StringWidth(l))/2, y+k, w, sty.Strong, l)
	}
	p.drawShot(buf, uv.Rect(area.Min.X, area.Min.Y+1, w, max(0, y-area.Min.Y-1)), i)
	if i+1 < len(p.view.Shots) && pl.running { // laid out before its turn
		_ = p.shotLines(i+1, w, max(1, y-area.Min.Y-1))
	}
}

// maxSpokenLines limits the lines of dialogue below a picture.
const maxSpokenLines = 2

// spoken returns the dialogue at a time of a shot, in lines of at most w cells.
func (p *boardPane) spoken(s *storage.Shot, at time.Duration, w int) []string {
	if s.Dialogue == "" || w < 4 {
		return nil
	}
	var parts [][]string
	for lines := range slices.Chunk(draw.Wrap(draw.Truncate(s.Dialogue, 2000), w), maxSpokenLines) {
		parts = append(parts, lines)
	}
	for _, c := range storyboard.Cues(0, storyboard.ShotDuration(*s), parts) {
		if at < c.To {
			return c.Lines
		}
	}
	return parts[len(parts)-1]
}

// drawShot draws the picture of a shot centered, or its text if it has none.
func (p *boardPane) drawShot(buf uv.ScreenBuffer, area uv.Rectangle, i int) {
	sty := p.Host.Styles()
	if lines := p.shotLines(i, area.Dx(), area.Dy()); len(lines) > 0 {
		wide := 0
		for _, l := range lines {
			wide = max(wide, ansi.StringWidth(l))
		}
		x, y := area.Min.X+max(0, area.Dx()-wide)/2, area.Min.Y+max(0, area.Dy()-len(lines))/2
		for k, l := range lines {
			draw.PutStyled(buf, x, y+k, area.Max.X-x, l)
		}
		return
	}
	s := &p.view.Shots[i]
	w := min(area.Dx()-4, 60)
	if w < 4 || area.Dy() < 1 {
		return
	}
	lines := draw.Wrap(draw.Truncate(s.Description, 600), w)
	lines = lines[:min(len(lines), area.Dy())]
	y := area.Min.Y + (area.Dy()-len(lines))/2
	for k, l := range lines {
		draw.Put(buf, area.Min.X+(area.Dx()-w)/2, y+k, w, sty.Base, l)
	}
	if y > area.Min.Y+1 {
		draw.Put(buf, area.Min.X+(area.Dx()-w)/2, y-2, w, sty.Dim, "no picture yet")
	}
}

// shotLines returns the picture of a shot, nil for none.
func (p *boardPane) shotLines(i, w, h int) []string {
	c, ok := p.view.Sketches[p.view.Shots[i].ID]
	if !ok || c.ImagePath == "" || p.pictures == nil || h < 1 {
		return nil
	}
	lines := p.pictures.Lines(&c, w, (h*5+2)/3, p.Host.Styles())
	return lines[:min(len(lines), h)]
}

// playTime formats a time.
func playTime(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Move implements pane.Pane.
func (p *boardPane) Move(n int) {
	if p.playing == nil {
		p.GroupList.Move(n)
	}
}
