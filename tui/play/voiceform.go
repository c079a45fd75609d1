package play

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// voiceWords describes the checks, by their names.
var voiceWords = map[string]string{"backtrack": "all checks", "user": "writes your part", "speaker": "wrong speaker",
	"repeat": "repetition", "language": "other script", "lists": "endless lists", "ends": "full sentences",
	"mine": "your phrases", "card": "the card's"}

// openVoice opens the form of the reply checks of the open chat.
func openVoice(r *Part) tea.Cmd {
	d, chat := r.host, r.view.Chat.ID
	return d.Do(func() func() tea.Cmd {
		v, err := d.Engine().Play.Voice(chat)
		return func() tea.Cmd {
			if err != nil {
				return d.Fail(err)
			}
			if d.Play().Chat().Chat.ID == chat {
				d.Open(voiceForm(r, v))
			}
			return nil
		}
	})
}

// voiceField returns a field for a chat's own choice: the first option follows the settings, the
// others are the values.
func voiceField(label, name, now, source string, values []string) (f *widget.Field, value func() string) {
	options := []string{"same as settings"}
	if source == play.FromSettings {
		options[0] += ": " + now
	}
	f = widget.PickField(label, "", append(options, values...))
	if source == play.FromChat {
		f.Chosen = 1 + max(0, slices.Index(values, now))
	}
	was := f.Chosen
	return f, func() string {
		switch f.Chosen {
		case was:
			return ""
		case 0:
			return play.VoiceDefault
		}
		return values[f.Chosen-1]
	}
}

func voiceForm(r *Part, v play.VoiceView) *widget.Form {
	f := &widget.Form{Title: "Reply checks of this chat"}
	values := map[string]func() string{}
	add := func(label, name, now, source string, list []string) {
		field, value := voiceField(label, name, now, source, list)
		f.Fields, values[name] = append(f.Fields, field), value
	}
	words := map[bool]string{true: "on", false: "off"}
	for _, s := range slices.Concat(v.Watch, v.Sets) {
		label := voiceWords[s.Name]
		if label == "" {
			label = "list " + s.Name
		}
		now := words[s.On]
		add(fmt.Sprintf("%-15s", draw.Truncate(label, 24)), s.Name, now, s.Source, []string{"on", "off"})
		if s.Rules > 0 {
			field := f.Fields[len(f.Fields)-1]
			field.Options = slices.Clone(field.Options)
			for i := range field.Options {
				field.Options[i] += fmt.Sprintf("%s%s", draw.Separator, draw.Plural(s.Rules, "phrase"))
			}
		}
		for _, fault := range s.Faults[:min(len(s.Faults), 2)] {
			f.Notes = append(f.Notes, draw.Truncate(fault, 200))
		}
	}
	add(fmt.Sprintf("%-15s", "length"), play.VoiceLength, v.Length, v.LengthSource, play.VoiceLengths())
	f.Save = func(*widget.Form) (tea.Cmd, error) {
		said := map[string]string{}
		for name, value := range values {
			if is := value(); is != "" {
				said[name] = is
			}
		}
		return saveVoice(r, v, said), nil
	}
	return f.Start()
}

// saveVoice stores the chat's own choices.
func saveVoice(r *Part, v play.VoiceView, said map[string]string) tea.Cmd {
	if len(said) == 0 {
		return nil
	}
	d := r.host
	return d.Do(func() func() tea.Cmd {
		err := d.Engine().Play.SetVoice(v.Chat, said)
		return func() tea.Cmd {
			if err != nil {
				return d.Fail(err)
			}
			return d.Say(event.Info, "reply checks saved; they apply from the next reply")
		}
	})
}
