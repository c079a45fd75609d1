package play

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// samplersPane lists the sampler presets, with those of the open chat and its model.
type samplersPane struct {
	pane.UndoStack
	pane.List[library.PresetView]
	settings Settings // nil if there is no config file
	model    string   // of the open chat
}

func openSamplers(r *Part) tea.Cmd {
	return r.host.Panes().Open(keys.PaneSamplers, func() pane.Pane { return newSamplersPane(r) })
}

func newSamplersPane(r *Part) *samplersPane {
	p := &samplersPane{UndoStack: pane.UndoStack{Host: r.host}, settings: r.settings}
	p.List = pane.NewList[library.PresetView](r.host, 1)
	p.After, p.Source, p.OnChatChange = p.Read, p.source, p.UndoStack.Clear
	p.ID = func(v *library.PresetView) string { return v.Ref }
	p.Head = func(v *library.PresetView) string {
		if v.Origin == library.PresetBundled {
			return "Built in"
		}
		return "Saved and imported"
	}
	p.Search = func(v *library.PresetView) []string { return []string{v.Name, v.Why, v.Origin, presetMarks(*v)} }
	p.Row, p.Above, p.Detail, p.FullDetail = p.row, p.head, p.detail, p.whole
	p.Empty = func() string { return "" } // never empty: some are built in
	return p
}

// Title implements pane.Pane.
func (*samplersPane) Title() string { return "Sampler presets" }

// Name implements pane.Pane.
func (*samplersPane) Name() string { return samplersName }

// Actions implements pane.Pane.
func (p *samplersPane) Actions() []keys.Action {
	on := func(name keys.Name, words, hint string, do func(library.PresetView) tea.Cmd) keys.Action {
		return keys.Action{Name: name, Text: words, Hint: hint, Visible: p.Has, Do: p.On(do)}
	}
	unless := func(why func() string, a keys.Action) keys.Action { a.Unavailable = why; return a }
	return slices.Concat(p.Moves(), []keys.Action{
		on(keys.PaneEnter, "use it in this chat", "this chat", p.use),
		on(keys.PaneAll, "use it in all chats of the model", "the model", p.useFor),
		keys.PaneAction(on(samplersWhy, "what its values do", "values", p.details), "pane-why", "W"),
		unless(p.whyNotBan, on(keys.PaneStop, "ban its phrases", "ban its phrases", p.ban)),
		{Name: keys.PaneNew, Text: "save this chat's values as a preset", Hint: "save as", Do: p.saveAs},
	}, p.Filtering(func() pane.Pane { return p }), []keys.Action{
		unless(p.whyBuiltIn, on(keys.PaneRename, "rename", "rename", p.rename)),
		unless(p.whyBuiltIn, on(keys.PaneDelete, "delete", "delete", p.drop)),
	}, p.UndoActions())
}

// whyNotBan returns the reason why the chosen preset's phrases cannot be banned, "" if they can.
func (p *samplersPane) whyNotBan() string {
	v := *p.Item()
	switch {
	case len(v.Banned) == 0:
		return quotedPreset(v) + " has no banned phrases"
	case p.settings == nil:
		return "there is no config file here to write it into"
	}
	return ""
}

// whyBuiltIn returns the reason why the chosen preset cannot be changed because it is built in, ""
// if it is the user's.
func (p *samplersPane) whyBuiltIn() string {
	v := *p.Item()
	if v.Origin != library.PresetBundled {
		return ""
	}
	k := p.Host.Keys().Key(keys.PaneNew, keys.Pane)
	return quotedPreset(v) + " is built in; " + k + " saves the current samplers under another name"
}

// source reads the presets with samplers. At first the chat's preset is selected.
func (p *samplersPane) source() func(storage.ChatID) ([]library.PresetView, func(), error) {
	eng, c, first := p.Host.Engine(), p.Host.Play().Chat().Chat, !p.Loaded
	return func(chat storage.ChatID) ([]library.PresetView, func(), error) {
		model := eng.Models.ModelOf(c)
		list, err := eng.Library.PresetsOf(chat, model)
		list = slices.DeleteFunc(list, func(v library.PresetView) bool { return v.Profile == nil })
		return list, func() {
			p.model = model
			if i := slices.IndexFunc(list, isChats); first && i >= 0 {
				p.PendingKey = list[i].Ref
			}
		}, err
	}
}

// isChats reports whether the chat uses a preset.
func isChats(v library.PresetView) bool { return v.Chat }

func quotedPreset(v library.PresetView) string { return "“" + draw.Truncate(v.Name, 30) + "”" }

// use makes a preset the chat's.
func (p *samplersPane) use(v library.PresetView) tea.Cmd {
	if v.Chat {
		return p.Host.Say(event.Info, "this chat already uses these values")
	}
	eng, chat := p.Host.Engine(), p.Chat
	return p.ChangeWith(quotedPreset(v)+" for this chat",
		func() (func() error, error) { return eng.Library.UsePreset(chat, v) })
}

// useFor makes a preset the model's, for all chats without values of their own.
func (p *samplersPane) useFor(v library.PresetView) tea.Cmd {
	if v.Model {
		return p.Host.Say(event.Info, "the model already uses these values")
	}
	eng, model := p.Host.Engine(), p.model
	return p.ChangeWith(quotedPreset(v)+" for "+draw.Truncate(model, 40),
		func() (func() error, error) { return eng.Library.UsePresetFor(model, v) })
}

// drop removes a preset.
func (p *samplersPane) drop(v library.PresetView) tea.Cmd {
	eng := p.Host.Engine()
	return p.ChangeWith(quotedPreset(v)+" is deleted",
		func() (func() error, error) { return eng.Library.DeletePreset(v) })
}

// saveAs asks for a name and saves the current samplers as a preset. An existing preset of that
// name is replaced, which can be undone.
func (p *samplersPane) saveAs() tea.Cmd {
	name := ""
	for _, v := range p.Items {
		if v.Chat && v.Origin != library.PresetBundled {
			name = v.Name
		}
	}
	eng, chat := p.Host.Engine(), p.Chat
	p.ask("Save current samplers", "Saves this chat's samplers as a preset. A preset of the same name is replaced.",
		name, func(name string) (func() error, error) {
			return eng.Library.SavePreset(name, chat, "", true)
		}, func(name string) (ref, words string) {
			return library.PresetYours + "/" + name, "saved “" + draw.Truncate(name, 30) + "”"
		})
	return nil
}

// rename asks for a new name of a preset.
func (p *samplersPane) rename(v library.PresetView) tea.Cmd {
	eng := p.Host.Engine()
	p.ask("Rename a preset", "", v.Name, func(name string) (func() error, error) {
		return eng.Library.RenamePreset(v, name)
	},
		func(name string) (ref, words string) {
			if ref = v.Ref; v.Origin == library.PresetYours {
				ref = library.PresetYours + "/" + name
			}
			return ref, quotedPreset(v) + " renamed to “" + draw.Truncate(name, 30) + "”"
		})
	return nil
}

// ask opens a form for a name. keep runs away from the screen's goroutine. done then returns the
// preset to choose and the words of the notice.
func (p *samplersPane) ask(title, note, name string, keep func(string) (func() error, error),
	done func(string) (ref, words string)) {
	f := widget.Form{Title: title,
		Fields: []*widget.Field{widget.LineField(p.Host.Styles(), "Name", name, "for example: my preset")}}
	if note != "" {
		f.Notes = []string{note}
	}
	p.Host.Open(pane.NewSavingForm(p.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		name := strings.TrimSpace(f.Fields[0].Value())
		if name == "" {
			return nil, errors.New("enter a name")
		}
		return func() (func() tea.Cmd, error) {
			back, err := keep(name)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				ref, words := done(name)
				p.PendingKey = ref
				return tea.Batch(p.Changed(words, back), p.Read())
			}, nil
		}, nil
	}))
}

// ban adds the phrases that a preset bans to the user's banned phrases. These are cut from replies.
func (p *samplersPane) ban(v library.PresetView) tea.Cmd {
	eng, settings := p.Host.Engine(), p.settings
	return p.ChangeWith(draw.Plural(len(v.Banned), "phrase")+" of "+quotedPreset(v)+
		" banned", func() (func() error, error) {
		voice, value := eng.Play.VoiceSettings(), ""
		var added []string
		for _, text := range v.Banned {
			list, is := voice.Ban(text)
			if is {
				value, added, voice.Phrases = list, append(added, text),
					append(voice.Phrases[:len(voice.Phrases):len(voice.Phrases)], text)
			}
		}
		if len(added) == 0 {
			return nil, failure.Refusef("all banned phrases of %s are already banned", quotedPreset(v))
		}
		if _, err := settings.Set(config.SettingPhrases, value); err != nil {
			return nil, err
		}
		return func() error {
			voice := eng.Play.VoiceSettings()
			for _, text := range added {
				voice.Phrases = voice.Without(text)
			}
			_, err := settings.Set(config.SettingPhrases, voice.Allow(""))
			return err
		}, nil
	})
}

// details shows all values of a preset, with their effects.
func (p *samplersPane) details(v library.PresetView) tea.Cmd {
	p.Host.Open(&widget.Reader{Title: draw.Truncate(v.Name, 60),
		Lines: widget.PlainLines(strings.TrimSpace(v.Why + "\n\n" + strings.Join(presetWords(v), "\n")))})
	return nil
}

// presetWords returns lines about a preset's values and its unsupported settings.
func presetWords(v library.PresetView) (words []string) {
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	for _, s := range models.SamplerValues(*v.Profile) {
		add("%s %s: %s", s.Name, draw.Truncate(s.Value, 200), s.Description)
	}
	for _, l := range v.Unsupported {
		add("%s (%s): %s", l.Name, draw.Truncate(strings.Join(l.Requested, ", "), 200),
			cmp.Or(l.Instead, "not supported by Ollama, no equivalent"))
	}
	if len(v.Banned) > 0 {
		add("It bans “%s”.", draw.Truncate(strings.Join(v.Banned, "”, “"), 2000))
	}
	return words
}

// presetMarks returns words for who uses a preset.
func presetMarks(v library.PresetView) string {
	switch {
	case v.Chat && v.Model:
		return "this chat, model"
	case v.Chat:
		return "this chat"
	case v.Model:
		return "model"
	}
	return ""
}

// head returns the model, and whether the chat uses no preset.
func (p *samplersPane) head(w, _ int) []string {
	words := "model " + draw.Truncate(p.model, 60)
	if !slices.ContainsFunc(p.Items, isChats) {
		words = "this chat: no preset, custom values" + draw.Separator + words
	}
	return []string{p.Host.Styles().Dim.Styled(draw.Parts(words, w))}
}

func (p *samplersPane) row(v *library.PresetView, _ int) pane.Row {
	r := pane.Row{SignStyle: p.Host.Styles().Accent, Text: v.Name, Right: presetMarks(*v)}
	if v.Chat {
		r.Sign = "✓"
	}
	if n := len(v.Unsupported); n > 0 && r.Right == "" {
		r.Right = "lacks " + strconv.Itoa(n)
	}
	return r
}

// whole returns lines about a preset with the effect of each value.
func (p *samplersPane) whole(v *library.PresetView, w int) []string {
	sty, t := p.Host.Styles(), draw.Lines{Width: w}
	if v.Why != "" {
		t.Add(sty.Accent, v.Why)
	}
	for _, words := range presetWords(*v) {
		if name, rest, is := strings.Cut(words, ": "); is {
			t.Hang(sty.Base.Styled(draw.Truncate(name, max(8, w/2)))+"  ", sty.Dim, rest)
		} else {
			t.Add(sty.Dim, words)
		}
	}
	return t.Text
}

// detail returns lines about a preset with its values only.
func (p *samplersPane) detail(v *library.PresetView, w int) []string {
	sty, t := p.Host.Styles(), draw.Lines{Width: w}
	if v.Why != "" {
		t.Add(sty.Accent, v.Why)
	}
	var values, lacks []string
	for _, s := range models.SamplerValues(*v.Profile) {
		values = append(values, s.Name+" "+draw.Truncate(s.Value, 40))
	}
	if len(values) > 0 {
		t.Add(sty.Base, strings.Join(values, draw.Separator))
	}
	for _, l := range v.Unsupported {
		lacks = append(lacks, l.Name)
	}
	if len(lacks) > 0 {
		k := p.Host.Keys().Key(samplersWhy, keys.Pane)
		t.Add(sty.Dim, "not supported by Ollama: "+strings.Join(lacks, ", ")+"; "+k+" shows alternatives")
	}
	if n := len(v.Banned); n > 0 {
		k := p.Host.Keys().Key(keys.PaneStop, keys.Pane)
		t.Add(sty.Dim, k+" has the "+draw.Plural(n, "phrase")+" that it bans cut here too")
	}
	return t.Text
}
