package play

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// rejectedDialog lists the phrases that a reply was not allowed to use. It can allow them
// permanently.
type rejectedDialog struct {
	pane.ListDialog[storage.Rejected]
	settings Settings // nil if there is no config file
	order    widget.Sequence
}

// openRejected shows the text that was filtered from a message.
func openRejected(r *Part, m chats.Message) tea.Cmd {
	if len(m.Rejected) == 0 {
		return r.host.Say(event.Info, "nothing was filtered in this message")
	}
	d := &rejectedDialog{settings: r.settings}
	d.List, d.Title = pane.NewList[storage.Rejected](r.host, 1), "Filtered text"
	d.ID = func(x *storage.Rejected) string { return fmt.Sprint(*x) }
	d.Row, d.Text = rejectedRow, d.text
	d.Own = []keys.Action{{Name: keys.DialogEnter, Hint: "always allow", Do: d.On(d.allow)}}
	d.Show(m.Rejected)
	r.host.Open(d)
	return nil
}

// allow permanently allows the chosen phrase, in any list.
func (d *rejectedDialog) allow(x storage.Rejected) tea.Cmd {
	switch {
	case x.Rule == "":
		return d.Host.Say(event.Info, "this is not a phrase from a list: "+watchedBy(x.Kind)+
			" in the settings turns this check on or off")
	case d.settings == nil:
		return d.Host.Say(event.Warning, "there is no config file here to write it into")
	}
	return d.order.Do(d.Host, func() func() tea.Cmd {
		err := allowRule(d.Host.Engine().Play.VoiceSettings(), d.settings, x.Rule)
		return func() tea.Cmd {
			if err != nil {
				return d.Host.Fail(err)
			}
			return d.Host.Say(event.Info, "“"+draw.Truncate(x.Rule, 60)+"” is now allowed")
		}
	})
}

// allowRule adds a phrase to the allowed ones, and removes it from the user's own list.
func allowRule(v config.Voice, settings Settings, rule string) error {
	if value := v.Allow(rule); len(v.Phrases) > 0 {
		if _, err := settings.Set(config.SettingPhrases, value); err != nil {
			return err
		}
	}
	value, added := v.AllowForEver(rule)
	if !added {
		return failure.Refusef("“%s” is already allowed", draw.Truncate(rule, 60))
	}
	_, err := settings.Set(config.SettingAllowed, value)
	return err
}

// watchedBy returns the setting of the check for a kind.
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

// rejectedKinds are the display words of the kinds.
var rejectedKinds = map[string]string{"phrase": "banned phrase", "user": "writes your part", "role": "out of character",
	"speaker": "wrong speaker", "repeat": "repetition",
	"language": "another script", "control": "template token", "list": "endless list",
	"length": "longer than requested", "end": "over the limit"}

// rejectedEnd describes what happened to rejected text.
func rejectedEnd(x storage.Rejected) string {
	switch {
	case x.Allowed:
		return "kept after all tries"
	case x.Ended:
		return "the reply ends there"
	case x.Tries > 1:
		return fmt.Sprintf("%d tries", x.Tries)
	}
	return ""
}

// rejectedWords returns a line about filtered text that is not stored.
func rejectedWords(list []storage.Rejected) string {
	return fmt.Sprintf("%d cut: “%s”", len(list), draw.Truncate(list[0].Text, 60))
}

func rejectedRow(x *storage.Rejected, _ int) pane.Row {
	kind := cmp.Or(rejectedKinds[x.Kind], draw.Truncate(x.Kind, 20))
	return pane.Row{Text: "“" + draw.Truncate(x.Text, 200) + "”", Right: kind}
}

// text returns the lines about a rejected text.
func (d *rejectedDialog) text(x *storage.Rejected, w int) []string {
	sty, t := d.Host.Styles(), draw.Lines{Width: w}
	t.Add(sty.Base, draw.UpTo(x.Text, draw.MaxReadLen))
	if x.Rule != "" {
		t.Add(sty.Dim, "rule: "+draw.Truncate(x.Rule, 300)+" (list "+draw.Truncate(x.Set, 20)+")")
	}
	if words := rejectedEnd(*x); words != "" {
		t.Add(sty.Dim, words)
	}
	return t.Text
}
