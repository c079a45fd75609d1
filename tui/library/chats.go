package library

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (r *Part) openChats() tea.Cmd {
	return pane.Get(r.host, r.host.Engine().Chats.List, r.showChats)
}

func (r *Part) showChats(list []chats.ChatInfo) tea.Cmd {
	var entries []widget.Entry
	for _, c := range list {
		detail := c.Preview
		if c.CharacterName != c.Title {
			detail = c.CharacterName + " · " + detail
		}
		entries = append(entries, widget.Entry{Title: c.Title, Detail: detail,
			Right: fmt.Sprintf("%d · %s", c.Messages, draw.Ago(time.Now(), c.UpdatedAt)), Value: c.Chat})
	}
	p := widget.NewPicker(r.host.Styles(), "Chats", entries,
		widget.With(func(c storage.Chat) tea.Cmd { return r.host.Play().SwitchTo(c.ID) }),
		widget.GlobalExtra(keys.DialogNew, "new", r.openCharacters),
		widget.Extra{Name: keys.DialogDelete, Description: "delete", Do: widget.With(r.askDeleteChat)})
	p.Empty = "no chats yet: " + r.host.Keys().DialogKey(keys.DialogNew, true) + " starts one"
	r.host.Open(p)
	return nil
}

func (r *Part) askDeleteChat(c storage.Chat) tea.Cmd {
	r.host.Open(&widget.Confirm{Title: "Delete chat", Text: "Delete \"" + safetext.Line(c.Title) +
		"\" with all its branches and captures? A backup is made first.",
		Choices: []widget.Choice{{Key: "n", Words: "cancel", Do: nil}, {Key: "y", Words: "delete", Do: func() tea.Cmd {
			return r.host.Do(func() func() tea.Cmd {
				err := r.host.Engine().Play.DeleteChat(c.ID)
				next, ok, _ := r.host.Engine().Chats.Last()
				return func() tea.Cmd {
					if err != nil {
						return r.host.Fail(err)
					}
					if c.ID != r.host.Play().Chat().Chat.ID {
						return r.openChats()
					}
					if !ok {
						return tea.Batch(r.host.Play().SwitchTo(""), r.openCharacters())
					}
					return r.host.Play().SwitchTo(next)
				}
			})
		}}}})
	return nil
}

// newChat begins another chat with the current character.
func (r *Part) newChat() tea.Cmd {
	if r.host.Play().Chat().Character.ID == "" {
		return r.openCharacters()
	}
	return r.beginChat(r.host.Play().Chat().Character.ID)
}

func (r *Part) beginChat(id storage.CharacterID) tea.Cmd {
	if n, shown := r.host.Notices().Last(); shown { // it was about the time before the play
		r.host.Notices().Dismiss(n)
	}
	return pane.Get(r.host, func() (storage.Chat, error) { return r.host.Engine().Chats.New(id, "") },
		func(c storage.Chat) tea.Cmd {
			return r.host.Play().SwitchTo(c.ID)
		})
}

func (r *Part) openRename() tea.Cmd {
	id := r.host.Play().Chat().Chat.ID
	if id == "" {
		return nil
	}
	f := &widget.Form{Title: "Rename this chat",
		Fields: []*widget.Field{widget.LineField(r.host.Styles(), "Title", r.host.Play().Chat().Chat.Title, "")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		title := strings.TrimSpace(f.Fields[0].Value())
		if title == "" {
			return nil, pane.ErrNeedsText
		}
		return pane.Try(r.host, func() error { return r.host.Engine().Chats.Rename(id, title) }), nil
	}
	r.host.Open(f.Start())
	return nil
}
