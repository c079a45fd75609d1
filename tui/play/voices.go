package play

import (
	"maps"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// Cast passes the cast to the list of messages, for the colours of their names and the words about
// whispers.
func (p *List) Cast(c storage.Chat, list chats.CastList) {
	voices, names := map[storage.CharacterID]int{}, map[storage.CharacterID]string{}
	for i, m := range c.Play.Cast {
		voices[m.Character] = i + 1
	}
	for _, v := range list.List {
		names[v.Character] = draw.Truncate(v.Name, 40)
	}
	if maps.Equal(voices, p.voices) && maps.Equal(names, p.names) {
		return
	}
	p.voices, p.names = voices, names
	for _, it := range p.Items {
		it.Touch()
	}
}

// voice returns the style of a character's name: the theme's colour for characters for the main
// one, an own colour for each other one, as far as the theme has them.
func (p *List) voice(who storage.CharacterID) uv.Style {
	st := p.sty.Character
	if n := p.voices[who]; n > 0 {
		if own := p.sty.Voices(); len(own) > 0 {
			st.Fg = own[(n-1)%len(own)]
		}
	}
	return st
}

// namesLine returns names in a row: "Ada, Berta and Cäcilie".
func namesLine(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// whispered returns words about who heard a message, "" if it was not whispered.
func (p *List) whispered(m *chats.Message) string {
	if m.Presence == nil || !m.Presence.Whisper {
		return ""
	}
	var names []string
	others := 0
	for _, id := range m.Presence.Witnesses {
		switch name := p.nameOf(id); {
		case id == m.Speaker:
		case name == "":
			others++ // no longer in the cast, and without a loaded message
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	if m.Role != storage.User {
		names = slices.Insert(names, 0, "you")
	}
	if others > 0 {
		who := "someone else"
		if others > 1 {
			who = draw.Plural(others, "other")
		} else if len(names) == 0 {
			who = "somebody"
		}
		names = append(names, who)
	}
	return "whispered to " + namesLine(names)
}

// nameOf returns a character's name: from the cast, else from its last message; "" if that is not
// loaded.
func (p *List) nameOf(id storage.CharacterID) string {
	if name := p.names[id]; name != "" {
		return name
	}
	for i := len(p.Items) - 1; i >= 0; i-- {
		if m := &p.Items[i].Msg; m.Speaker == id && m.Name != "" {
			return draw.Truncate(m.Name, 40)
		}
	}
	return ""
}
