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

// Cast tells the list of messages who plays, for the colours of their names and
// the words about whispers.
func (p *List) Cast(c storage.Chat, list chats.CastList) {
	voices, names := map[storage.CharacterID]int{}, map[storage.CharacterID]string{}
	for i, m := range c.Play.Cast {
		voices[m.Character] = i + 1
	}
	for _, v := range list.List {
		names[v.Character] = draw.Within(v.Name, 40)
	}
	if maps.Equal(voices, p.voices) && maps.Equal(names, p.names) {
		return
	}
	p.voices, p.names = voices, names
	for _, it := range p.Items {
		it.Touch()
	}
}

// voice returns how the name of a character is shown: the main one's in the theme's
// colour for characters, each other one's in one of its own, as far as the theme
// has others.
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

// whispered says of a message who heard it, "" where it was said aloud.
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
			others++ // no longer in the cast, and never heard here
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

// nameOf returns what a character is called: as the cast has it, else as it was when
// it spoke last; "" where that is not at hand.
func (p *List) nameOf(id storage.CharacterID) string {
	if name := p.names[id]; name != "" {
		return name
	}
	for i := len(p.Items) - 1; i >= 0; i-- {
		if m := &p.Items[i].Msg; m.Speaker == id && m.Name != "" {
			return draw.Within(m.Name, 40)
		}
	}
	return ""
}
