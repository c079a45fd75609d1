package library

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (r *Room) openChats() tea.Cmd {
	return desk.Get(r.desk, r.desk.Engine().Chats.List, r.showChats)
}

func (r *Room) showChats(list []chats.ChatInfo) tea.Cmd {
	var entries []widget.Entry
	for _, c := range list {
		detail := c.Preview
		if c.CharacterName != c.Title {
			detail = c.CharacterName + " · " + detail
		}
		entries = append(entries, widget.Entry{Title: c.Title, Detail: detail,
			Right: fmt.Sprintf("%d · %s", c.Messages, look.Ago(time.Now(), c.UpdatedAt)), Value: c.Chat})
	}
	p := widget.NewPicker(r.desk.Look(), "Chats", entries, widget.With(func(c storage.Chat) tea.Cmd { return r.desk.Play().SwitchTo(c.ID) }),
		widget.Always(keys.DialogNew, "new", r.openCharacters),
		widget.Extra{Name: keys.DialogDelete, Words: "delete", Do: widget.With(r.askDeleteChat)})
	p.Empty = "no chats yet: " + r.desk.Keys().DialogKey(keys.DialogNew, true) + " starts one"
	r.desk.Open(p)
	return nil
}

func (r *Room) askDeleteChat(c storage.Chat) tea.Cmd {
	r.desk.Open(&widget.Confirm{Title: "Delete chat", Text: "Delete \"" + safetext.Line(c.Title) + "\" with all its branches and captures? A backup is made first.",
		Choices: []widget.Choice{{Key: "n", Words: "cancel", Do: nil}, {Key: "y", Words: "delete", Do: func() tea.Cmd {
			return r.desk.Do(func() func() tea.Cmd {
				err := r.desk.Engine().Play.DeleteChat(c.ID)
				next, ok, _ := r.desk.Engine().Chats.Last()
				return func() tea.Cmd {
					if err != nil {
						return r.desk.Fail(err)
					}
					if c.ID != r.desk.Play().Chat().Chat.ID {
						return r.openChats()
					}
					if !ok {
						return tea.Batch(r.desk.Play().SwitchTo(""), r.openCharacters())
					}
					return r.desk.Play().SwitchTo(next)
				}
			})
		}}}})
	return nil
}

// newChat begins another chat with the character that is on the stage.
func (r *Room) newChat() tea.Cmd {
	if r.desk.Play().Chat().Character.ID == "" {
		return r.openCharacters()
	}
	return r.beginChat(r.desk.Play().Chat().Character.ID)
}

func (r *Room) beginChat(id storage.CharacterID) tea.Cmd {
	if n, shown := r.desk.Notices().Last(); shown { // it was about what came before the play
		r.desk.Notices().Dismiss(n)
	}
	return desk.Get(r.desk, func() (storage.Chat, error) { return r.desk.Engine().Chats.New(id, "") }, func(c storage.Chat) tea.Cmd {
		return r.desk.Play().SwitchTo(c.ID)
	})
}

func (r *Room) openRename() tea.Cmd {
	id := r.desk.Play().Chat().Chat.ID
	if id == "" {
		return nil
	}
	f := &widget.Form{Title: "Rename this chat", Fields: []*widget.Field{widget.LineField(r.desk.Look(), "Title", r.desk.Play().Chat().Chat.Title, "")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		title := strings.TrimSpace(f.Fields[0].Value())
		if title == "" {
			return nil, desk.ErrNeedsText
		}
		return desk.Try(r.desk, func() error { return r.desk.Engine().Chats.Rename(id, title) }), nil
	}
	r.desk.Open(f.Start())
	return nil
}
