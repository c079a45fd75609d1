package play

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// rejected is a dialog over what a reply was not let say. It allows a phrase for ever.
type rejected struct {
	splitDialog
	d        desk.Desk
	settings Settings // nil where there is no config file
	of       chats.Message
	order    widget.InOrder
}

// openRejected shows what a message was not let say.
func openRejected(r *Room, m chats.Message) tea.Cmd {
	if len(m.Rejected) == 0 {
		return r.desk.Say(event.Info, "nothing was filtered in this message")
	}
	r.desk.Open(&rejected{d: r.desk, settings: r.settings, of: m})
	return nil
}

// Actions implements widget.Dialog.
func (d *rejected) Actions() []keys.Action {
	return append([]keys.Action{{Name: keys.DialogEnter, Hint: "always allow", Do: d.allow}}, d.moving()...)
}

// allow lets the chosen phrase stand for ever, whatever list has it.
func (d *rejected) allow() tea.Cmd {
	x := d.of.Rejected[min(d.At, len(d.of.Rejected)-1)]
	switch {
	case x.Rule == "":
		return d.d.Say(event.Info, "this is not a phrase from a list: "+watchedBy(x.Kind)+" in the settings turns this check on or off")
	case d.settings == nil:
		return d.d.Say(event.Warning, "there is no config file here to write it into")
	}
	eng, settings, rule := d.d.Engine(), d.settings, x.Rule
	return d.order.Do(d.d, func() func() tea.Cmd {
		err := allowRule(eng.Play.VoiceSettings(), settings, rule)
		return func() tea.Cmd {
			if err != nil {
				return d.d.Fail(err)
			}
			return d.d.Say(event.Info, "“"+look.Within(rule, 60)+"” is now allowed")
		}
	})
}

// allowRule writes a phrase among those that may stand, and takes it out of the user's own
// list.
func allowRule(v config.Voice, settings Settings, rule string) error {
	if value := v.Allow(rule); len(v.Phrases) > 0 {
		if _, err := settings.Set(config.SettingPhrases, value); err != nil {
			return err
		}
	}
	value, added := v.AllowForEver(rule)
	if !added {
		return failure.Refuse("“%s” is already allowed", look.Within(rule, 60))
	}
	_, err := settings.Set(config.SettingAllowed, value)
	return err
}

// watchedBy is the setting that has something of a kind looked for.
func watchedBy(kind string) string {
	switch kind {
	case "list":
		return "voice.list_items"
	case "end":
		return "voice.ends"
	case "phrase":
		return "voice.sets"
	}
	return "voice." + kind
}

// rejectedKinds are the kinds in words.
var rejectedKinds = map[string]string{"phrase": "banned phrase", "user": "writes your part", "role": "out of character", "speaker": "wrong speaker", "repeat": "repetition",
	"language": "another script", "control": "template token", "list": "endless list", "length": "longer than requested", "end": "over the limit"}

// rejectedEnd is what became of something that was rejected, in words.
func rejectedEnd(x storage.Rejected) string {
	switch {
	case x.Let:
		return "kept after all tries"
	case x.Ended:
		return "the reply ends there"
	case x.Tries > 1:
		return fmt.Sprintf("%d tries", x.Tries)
	}
	return ""
}

// rejectedWords say in a line what was not let say, of something that is kept nowhere.
func rejectedWords(list []storage.Rejected) string {
	return fmt.Sprintf("%d cut: “%s”", len(list), look.Within(list[0].Text, 60))
}

// Draw implements widget.Dialog.
func (d *rejected) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	d.draw(buf, screen, "Filtered text", "", len(d.of.Rejected), d.layout(linesWidth(screen), lk), lk,
		func(line uv.Rectangle, i int) { d.row(buf, line, i, lk) })
	return nil
}

func (d *rejected) row(buf uv.ScreenBuffer, line uv.Rectangle, i int, lk *look.Look) {
	v := d.of.Rejected[i]
	st, dim := lk.Base, lk.Dim
	if i == d.At {
		st, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, line, st)
	}
	kind := rejectedKinds[v.Kind]
	if kind == "" {
		kind = look.Within(v.Kind, 20)
	}
	room := look.PutRight(buf, line.Min.X, line.Min.Y, line.Dx(), dim, kind) - line.Min.X - 1
	look.Put(buf, line.Min.X, line.Min.Y, room, st, "“"+look.Within(v.Text, 200)+"”")
}

// layout are the lines about the chosen one.
func (d *rejected) layout(w int, lk *look.Look) []string {
	v := d.of.Rejected[min(d.At, len(d.of.Rejected)-1)]
	t := look.Lines{Width: w}
	t.Add(lk.Base, look.UpTo(v.Text, look.LongestRead))
	if v.Rule != "" {
		t.Add(lk.Dim, "rule: "+look.Within(v.Rule, 300)+" (list "+look.Within(v.Set, 20)+")")
	}
	if words := rejectedEnd(v); words != "" {
		t.Add(lk.Dim, words)
	}
	return t.Text
}
