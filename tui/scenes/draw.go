package scenes

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/markdown"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// bulletPad is the space left of a recap's text, for the mark of the chosen bullet.
const bulletPad = 2

// Draw implements pane.Pane: it draws the strip of versions, the header, and as much of the text as
// fits.
func (p *recapPane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	p.area = area
	if p.host.Play().Chat().Chat.ID == "" {
		draw.PutWrapped(buf, area, p.host.Styles().Dim, "No chat is open.")
		return
	}
	if p.fault != nil {
		draw.PutWrapped(buf, area, p.host.Styles().Failure, failure.Text(p.fault))
		return
	}
	if !p.loaded && !p.open {
		return // it is being read
	}
	j := p.updateLive()
	w := area.Dx()
	head := p.header(w, j)
	if area.Dy() < 8 && len(head) > 0 {
		head = head[:1]
		if p.live {
			head[0] = p.host.Styles().Accent.Styled(draw.Truncate(p.makingWords(j), w))
		}
	}
	for i, l := range head {
		draw.PutStyled(buf, area.Min.X, area.Min.Y+i, w, l)
	}
	p.head = len(head)
	body := uv.Rect(area.Min.X, area.Min.Y+p.head, w, max(0, area.Dy()-p.head))
	p.text, p.page = p.content(max(1, w-bulletPad-2), j), max(1, body.Dy())
	p.scroll(0)
	marked := -1
	if focused && !p.live {
		marked = p.at
	}
	for i := 0; i < body.Dy() && p.top+i < len(p.text); i++ {
		l := p.text[p.top+i]
		if marked >= 0 && l.Bullet == marked {
			draw.Put(buf, body.Min.X, body.Min.Y+i, 1, p.host.Styles().Bar, "▌")
		}
		draw.PutStyled(buf, body.Min.X+bulletPad, body.Min.Y+i, w-bulletPad-2, l.Text)
	}
	draw.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), p.top, len(p.text), p.host.Styles())
}

// header returns the lines above the text.
func (p *recapPane) header(w int, j *pane.Operation) []string {
	sty := p.host.Styles()
	if p.open && p.soFar != nil {
		var head []string
		for _, l := range draw.Wrap(p.aboutOpen(), w) {
			head = append(head, sty.Dim.Styled(l))
		}
		return append(head, "")
	}
	if p.open || len(p.view.Versions) == 0 && j == nil {
		return nil
	}
	head := []string{p.strip(w, j != nil, sty)}
	words, st := p.about(), sty.Dim
	if p.live {
		words, st = p.makingWords(j), sty.Accent
	} else if doing := p.doing(j); doing != "" {
		words, st = doing, sty.Accent
	}
	if used := ansi.StringWidth(head[0]) + 2; used+ansi.StringWidth(words) <= w {
		head[0] += "  " + st.Styled(words)
	} else {
		for _, l := range draw.Wrap(words, w) {
			head = append(head, st.Styled(l))
		}
	}
	if v := p.version(); v != nil && v.Stale && !p.live {
		why := "outdated: its messages have changed"
		if p.running() {
			why = "outdated: one of its sources has changed"
		}
		for _, l := range draw.Wrap(why+draw.Separator+p.key(keys.PaneRegenerate)+" updates it", w) {
			head = append(head, sty.Warning.Styled(l))
		}
	}
	return append(head, "")
}

// strip returns the line of versions, the visible one in brackets; those that do not fit are left
// out at the ends.
func (p *recapPane) strip(w int, making bool, sty *draw.Styles) string {
	var labels []string
	at := p.shown()
	for i, v := range p.view.Versions {
		labels = append(labels, fmt.Sprintf("v%d%s", i+1, p.marks(v)))
	}
	if making {
		labels = append(labels, fmt.Sprintf("v%d…", len(labels)+1))
	}
	if p.live {
		at = len(labels) - 1
	}
	if at < 0 || at >= len(labels) {
		return ""
	}
	labels[at] = "‹" + labels[at] + "›"
	width := func(i int) int { return ansi.StringWidth(labels[i]) + 2 }
	from, to, used := at, at+1, width(at)+4
	for grown := true; grown; {
		grown = false
		if to < len(labels) && used+width(to) <= w {
			used, to, grown = used+width(to), to+1, true
		}
		if from > 0 && used+width(from-1) <= w {
			from, grown = from-1, true
			used += width(from)
		}
	}
	var b strings.Builder
	if from > 0 {
		b.WriteString(sty.Faint.Styled("… "))
	}
	for i := from; i < to; i++ {
		st := sty.Dim
		if i == at {
			st = sty.Accent
		} else if i == p.view.Current {
			st = sty.Base
		}
		b.WriteString(st.Styled(labels[i]) + "  ")
	}
	if to < len(labels) {
		b.WriteString(sty.Faint.Styled("…"))
	}
	return strings.TrimRight(b.String(), " ")
}

// doing returns words about work in progress while a finished version is shown, "" for none.
func (p *recapPane) doing(j *pane.Operation) string {
	if j != nil {
		return p.makingWords(j)
	}
	for _, j := range p.host.Work().Running() {
		if j.Op.Type == "examine_recap" && j.Chat == p.host.Play().Chat().Chat.ID && j.Node == p.node && p.of == "" {
			return "recall test · " + draw.Elapsed(time.Since(j.Op.StartedAt)) + " · " +
				draw.Truncate(j.Progress.Text, 30) + draw.Separator + p.key(keys.PaneStop) + " cancels"
		}
	}
	if p.view.Working && p.host.Work().Waiting() > 0 {
		return "queued" + draw.Separator + p.key(keys.PaneStop) + " cancels"
	}
	return ""
}

// makingWords returns the progress of the version that is being made.
func (p *recapPane) makingWords(j *pane.Operation) string {
	words := "generating · " + draw.Elapsed(time.Since(j.Op.StartedAt))
	if n := j.Progress.Tokens; n > 0 {
		words += " · " + draw.Plural(n, "token")
	}
	return words + draw.Separator + p.key(keys.PaneStop) + " cancels"
}

// content returns the lines of the text and its notes.
func (p *recapPane) content(w int, j *pane.Operation) []markdown.Line {
	if p.live {
		lines := markdown.LayoutPartial(j.Progress.Text, w, p.host.Styles())
		if len(lines) == 0 {
			return plainMarks("The model is reading the scene …", w, p.host.Styles().Dim)
		}
		return lines
	}
	v := p.shownRecap()
	if v == nil {
		return plainMarks(p.nothing(), w, p.host.Styles().Dim)
	}
	body := p.part.texts.Lines(v.Text, w, p.host.Styles())
	return append(body[:len(body):len(body)], p.notes(v, w, p.host.Styles())...)
}

func plainMarks(text string, w int, st uv.Style) []markdown.Line {
	var out []markdown.Line
	for _, l := range draw.Wrap(text, w) {
		out = append(out, markdown.Line{Text: st.Styled(l), Bullet: -1})
	}
	return out
}

// nothing returns the reason why there is nothing to show, and what to do.
func (p *recapPane) nothing() string {
	end := p.key(recapEndScene)
	create := "\n\n" + draw.Join(p.key(keys.PaneRegenerate)+" creates one", p.key(keys.PaneInstruct)+" with options")
	switch {
	case p.open && p.node == "":
		return "No scene has ended in this chat yet, so there is nothing to recap.\n\n" + end +
			" ends the scene at the newest message. While browsing, " +
			p.host.Keys().Key(keys.Break, keys.Browse) + " does so at any message."
	case p.open && p.recapping:
		return "This message belongs to the open scene. Its beginning is being recapped because it will leave the " +
			"context soon.\n\n" + end + " ends it at this message: " + p.quote()
	case p.open:
		return "This message belongs to the open scene. It can be recapped once the scene has ended.\n\n" + end +
			" ends it at this message: " + p.quote()
	case p.view.Working:
		words := "Its recap is queued."
		if p.host.Engine().Queue.Paused() {
			words = "The queue is paused (" + p.host.Keys().Key(keys.PaneQueue, keys.Write) + ", then " +
				p.host.Keys().Key("queue-pause", keys.Pane) + ")."
		}
		return words + "\n\n" + p.key(keys.PaneStop) + " cancels it."
	case p.running():
		return "No running recap yet. It starts with the first scene's recap, and later recaps are merged into it: a " +
			"summary of the whole story.\n\n" + p.key(keys.PaneRegenerate) + " creates it from the scene recaps so far."
	case p.message():
		return "This message has no recap yet." + create
	}
	return "This scene has no recap yet." + create
}

// quote returns the beginning of the message that the pane was opened for.
func (p *recapPane) quote() string {
	m, ok := p.host.Play().Message(p.node)
	if !ok {
		return "selected"
	}
	return "“" + draw.Truncate(m.Content, 80) + "”"
}

// notes returns the other texts of a recap.
func (p *recapPane) notes(v *scenes.RecapVersion, w int, sty *draw.Styles) []markdown.Line {
	var out []markdown.Line
	say := func(st uv.Style, text string) { out = append(out, plainMarks(text, w, st)...) }
	section := func(name, text string) {
		if strings.TrimSpace(text) == "" {
			return
		}
		say(sty.Base, "")
		say(draw.Heading(sty), name)
		say(sty.Base, safetext.Block(strings.TrimSpace(text)))
	}
	section("Atmosphere", v.Atmosphere)
	section("Emotional beats", v.EmotionalBeats)
	left := ""
	for _, d := range v.Dropped {
		left += "• " + d.Bullet + " (" + d.Why + ")\n"
	}
	section("Left out of this version", left)
	back := ""
	for _, s := range v.Sources {
		if s.UserEdit == storage.BulletRestored {
			back += "• " + s.Bullet + "\n"
		}
	}
	section("Restored by you, and kept", back)
	if len(v.Lorebooks) > 0 {
		say(sty.Base, "")
		say(draw.Heading(sty), "For the lorebook")
		for _, e := range v.Lorebooks {
			out = append(out, loreLines(e, w, sty)...)
		}
	}
	if x := v.RecallTest; x != nil {
		say(sty.Base, "")
		say(draw.Heading(sty), "Recall test")
		out = append(out, markdown.Line{Text: recallLine(x, w, sty), Bullet: -1})
		say(sty.Dim, pane.PathTo(p.host, recapRecallTest)+" shows it")
	}
	if v.Instruction != "" {
		section("Instruction for this version", v.Instruction)
	}
	return out
}

// loreLines returns a lorebook candidate: its name, type and content.
func loreLines(e storage.LoreCandidate, w int, sty *draw.Styles) []markdown.Line {
	name := draw.Truncate(e.Name, max(1, w-2))
	line := sty.Strong.Styled(name)
	if kind := draw.Truncate(e.Type, 30); kind != "" && ansi.StringWidth(name)+ansi.StringWidth(kind)+5 <= w {
		line += sty.Dim.Styled(" · " + kind)
	}
	out := []markdown.Line{{Text: line, Bullet: -1}}
	for _, l := range draw.Wrap(e.Content, max(1, w-2)) {
		out = append(out, markdown.Line{Text: "  " + sty.Base.Styled(l), Bullet: -1})
	}
	return out
}

// scroll moves the text by n lines within its bounds.
func (p *recapPane) scroll(n int) {
	p.top += n
	most := max(0, len(p.text)-p.page)
	if p.live && n == 0 && p.follow {
		p.top = most
	}
	p.top = max(0, min(p.top, most))
	p.follow = p.top == most
	if !p.live {
		p.at = max(0, min(p.at, p.lastBullet()))
	}
}

// reveal scrolls to the chosen bullet, with its heading.
func (p *recapPane) reveal() {
	from, to := p.span(p.at)
	if from < 0 {
		return
	}
	for from > 0 && p.text[from-1].Bullet < 0 {
		from--
	}
	p.top = min(max(p.top, to-p.page), from)
	p.scroll(0)
}

// span returns the range of a bullet's lines, -1 for none.
func (p *recapPane) span(bullet int) (from, to int) {
	from = -1
	for i, l := range p.text {
		if bullet >= 0 && l.Bullet == bullet {
			if from < 0 {
				from = i
			}
			to = i + 1
		}
	}
	return from, to
}

func (p *recapPane) lastBullet() int {
	last := -1
	for _, l := range p.text {
		last = max(last, l.Bullet)
	}
	return last
}

// Move handles the wheel: it scrolls, and leaves the mark where it is.
func (p *recapPane) Move(n int) { p.scroll(3 * n) }

// turn moves by pages.
func (p *recapPane) turn(n int) { p.scroll(n * max(1, p.page-2)) }

// Click implements pane.Pane: it chooses a bullet.
func (p *recapPane) Click(_, y int) tea.Cmd {
	if i := y - p.area.Min.Y - p.head; i >= 0 && i+p.top < len(p.text) && p.text[i+p.top].Bullet >= 0 {
		p.mark(p.text[i+p.top].Bullet)
	}
	return nil
}

func (p *recapPane) mark(bullet int) {
	if bullet != p.at {
		p.at, p.cycle = bullet, 0
	}
}

// step moves the mark to the next or previous bullet; past the last one it scrolls. A mark out of
// sight moves to the first bullet in view.
func (p *recapPane) step(n int) {
	last := p.lastBullet()
	if last < 0 || p.live {
		p.scroll(n)
		return
	}
	from, to := p.span(p.at)
	to1 := p.top + p.page
	switch {
	case from < 0 || to <= p.top || from >= to1:
		for i := p.top; i < min(to1, len(p.text)); i++ {
			if b := p.text[i].Bullet; b >= 0 {
				p.mark(b)
				return
			}
		}
		p.scroll(n)
	case n > 0 && (p.at == last || to > to1), n < 0 && (p.at == 0 || from < p.top):
		p.scroll(n)
	default:
		p.mark(p.at + n)
		p.reveal()
	}
}

// bullet returns the marked fact and its messages; ok is false if no bullet is shown.
func (p *recapPane) bullet() (sources []storage.NodeID, ok bool) {
	v := p.shownRecap()
	if v == nil || p.live {
		return nil, false
	}
	all := scene.Bullets(safetext.Block(v.Text))
	if p.at < 0 || p.at >= len(all) {
		return nil, false
	}
	// The shown text is clean, so the text to compare must be clean too.
	clean := storage.Recap{Sources: make([]storage.Source, len(v.Sources))}
	for i, s := range v.Sources {
		clean.Sources[i] = storage.Source{Bullet: safetext.Block(s.Bullet), Messages: s.Messages}
	}
	return scene.SourcesOf(clean, all[p.at].Text), true
}
