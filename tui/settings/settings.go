package settings

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Settings is the config file, as the screen shows and changes it. It is called away
// from the screen's goroutine, one call at a time.
type Settings interface {
	// Path returns the path of the file.
	Path() string
	// List returns all settings with their current values.
	List() ([]config.Setting, error)
	// Set writes a setting and applies it to the engine. It refuses values that the reader of the
	// file would refuse.
	Set(name, value string) (config.Setting, error)
	// Unset removes a setting from the file, so that its default applies.
	Unset(name string) (config.Setting, error)
}

// item is a row of the settings: a setting of the config file, or something that is not a single
// value.
type item struct {
	config.Setting
	label string
	open  func() tea.Cmd // opens a setting that is not a single value; nil for all others
}

// Sections that are not in the config file.
const (
	sectionChat  = "This chat"
	sectionModel = "This model"
)

// subject is the open chat with its model.
type subject struct {
	chat  storage.Chat
	model string
}

// readSettings reads all rows.
func (r *Part) readSettings(open subject) ([]item, error) {
	var items []item
	var list []config.Setting
	if r.settings != nil {
		var err error
		if list, err = r.settings.List(); err != nil {
			return nil, err
		}
	}
	items = append(items, r.samplings(open)...)
	for _, s := range list {
		items = append(items, item{Setting: s, label: strings.TrimPrefix(s.Name, s.Section+".")})
	}
	if r.settings != nil {
		quick := config.Setting{
			Name:           "quick_replies",
			Section:        "quick_replies",
			SectionPurpose: "short texts to insert or send",
			Value:          "…",
			Source:         config.FromFile,
			Purpose: "each [[quick_replies]] in " + r.settings.Path() +
				" adds one: label, text, and optionally key and do",
		}
		items = append(
			items,
			item{Setting: quick, label: "all", open: func() tea.Cmd { return r.host.Run(keys.Quick) }},
		)
	}
	return items, nil
}

// samplings returns the rows of the samplers of the chat and its model.
func (r *Part) samplings(open subject) (items []item) {
	eng, bare := r.host.Engine(), open.chat
	bare.Sampling = storage.Profile{}
	ofModel, ofAll := eng.Models.Samplings(bare, open.model), eng.Models.Samplings(bare, "")
	add := func(section, about string, p storage.Profile, below []models.Sampling,
		save func(change func(*storage.Profile)) error) {
		own := config.Setting{Name: "sampling", Section: section, SectionPurpose: about, Value: samplingWords(p),
			Purpose: "sampling settings and other options: " + strings.Join(models.SamplingNames(), ", ")}
		form := func() tea.Cmd { return r.openSampling("Sampling: "+strings.ToLower(section), p, below, save) }
		items = append(items, item{Setting: own, label: "sampling", open: form})
	}
	if id := open.chat.ID; id != "" {
		add(
			sectionChat,
			"sampling settings of this chat",
			open.chat.Sampling,
			ofModel,
			func(change func(*storage.Profile)) error {
				return eng.Chats.ChangeSampling(id, func(p *storage.Profile) error { change(p); return nil })
			})
	}
	if model := open.model; model != "" {
		add(
			sectionModel,
			model+", in all chats",
			eng.Models.ModelSampling(model),
			ofAll,
			func(change func(*storage.Profile)) error {
				p := eng.Models.ModelSampling(model)
				change(&p)
				return eng.Models.PutModelSampling(model, p)
			})
	}
	return items
}

// samplingWords returns a line about the samplers of a profile.
func samplingWords(p storage.Profile) string {
	var words []string
	for _, v := range models.SamplerValues(p) {
		words = append(words, v.Name+" "+v.Value)
	}
	return strings.Join(words, ", ")
}

// openSampling edits the samplers of a chat or a model. below holds the values that apply to unset
// ones.
func (r *Part) openSampling(
	title string,
	p storage.Profile,
	below []models.Sampling,
	save func(change func(*storage.Profile)) error,
) tea.Cmd {
	record := models.SamplingFields.Without()
	for i := range record.Fields {
		record.Fields[i].Hint = "model default"
		for _, b := range below {
			if b.Name == record.Fields[i].Name && b.Value != "" {
				record.Fields[i].Hint = "empty: " + b.Value
			}
		}
	}
	f := &pane.RecordForm[storage.Profile]{Title: title, Record: record, Value: p}
	f.Save = func(change func(*storage.Profile)) (func() tea.Cmd, error) {
		if err := save(change); err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			return tea.Batch(r.host.Say(event.Info, "saved; applies from the next reply"), r.host.Play().Reload())
		}, nil
	}
	f.Open(r.host)
	return nil
}

// openSettings shows all settings for editing in place.
func (r *Part) openSettings() tea.Cmd { return r.openSetting("") }

// openSetting shows the settings that match a filter.
func (r *Part) openSetting(filter string) tea.Cmd {
	s := newSheet(r, filter)
	return s.read(func() tea.Cmd { r.host.Open(s); return nil })
}

// read reads the rows, then calls then, which may be nil.
func (s *sheet) read(then func() tea.Cmd) tea.Cmd {
	newest, r := s.reads.Begin(), s.part
	open := subject{r.host.Play().Chat().Chat, r.host.Play().Chat().Model}
	return r.host.Do(func() func() tea.Cmd {
		if id := open.chat.ID; id != "" {
			if c, err := r.host.Engine().Chats.Find(string(id)); err == nil {
				open.chat = c
			}
		}
		items, err := r.readSettings(open)
		return func() tea.Cmd {
			switch {
			case !newest():
				return nil
			case err != nil:
				return r.host.Fail(err)
			}
			s.fill(items)
			if then == nil {
				return nil
			}
			return then()
		}
	})
}

// set stores a value, or the default if unset is set, and shows the result.
func (s *sheet) set(it item, value string, unset bool) tea.Cmd {
	r := s.part
	s.fault, s.note = "", ""
	return r.host.Do(func() func() tea.Cmd {
		now, err := r.store(it, value, unset)
		return func() tea.Cmd {
			if err != nil {
				s.fault = err.Error()
				return nil
			}
			s.editing = nil
			s.note = noteOf(now)
			return tea.Batch(r.screen.Adopt(now), s.read(nil), r.host.Play().Reload())
		}
	})
}

func (r *Part) store(it item, value string, unset bool) (config.Setting, error) {
	if unset {
		return r.settings.Unset(it.Name)
	}
	return r.settings.Set(it.Name, value)
}

// noteOf returns when a stored change takes effect.
func noteOf(now config.Setting) string {
	switch {
	case now.Source == config.FromFlag:
		return "saved, but a command line flag overrides it"
	case now.Restart:
		return "saved; applies after a restart"
	}
	return "saved"
}
