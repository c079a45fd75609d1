package settings

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	enginehouse "github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Settings is the config file, as the screen shows and changes it. It is called away
// from the screen's goroutine, one call at a time.
type Settings interface {
	// Path is where the file lies.
	Path() string
	// List are all settings as they are in force.
	List() ([]config.Setting, error)
	// Set writes a setting, and has the engine go by it. What the file's reader would
	// refuse is refused.
	Set(name, value string) (config.Setting, error)
	// Unset takes a setting out of the file, so that its default counts.
	Unset(name string) (config.Setting, error)
}

// item is a row of the settings: one of the config file, or of how this chat or its
// model is asked.
type item struct {
	config.Setting
	label string
	keep  func(value string) error // stores it; nil for what stands in the config file
	open  func() tea.Cmd           // shows what is no single value; nil for all others
}

// The sections that are no section of the config file.
const (
	sectionChat  = "This chat"
	sectionModel = "This model"
)

// subject is the chat that is open, and the model that plays in it.
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
	words := map[string]config.Setting{}
	for _, s := range list {
		if name, ok := strings.CutPrefix(s.Name, "ollama."); ok {
			words[name] = s
		}
	}
	eng := r.host.Engine()
	samplings := func(section, about, source string, rows []enginehouse.Sampling, below func(name string) string, keep func(name, value string) error) {
		for _, s := range rows {
			like := words[s.Name]
			own := config.Setting{Name: s.Name, Section: section, SectionWords: about, Words: like.Words, Kind: like.Kind, Choices: like.Choices, Value: s.Value, Default: below(s.Name), Source: config.FromDefault}
			if s.Source == source {
				own.Source = config.SettingSource(source)
			} else if s.Source != "" {
				own.Source = config.SettingSource("the " + s.Source)
			}
			items = append(items, item{Setting: own, label: s.Name, keep: func(v string) error { return keep(s.Name, v) }})
		}
	}
	value := func(rows []enginehouse.Sampling, name string) string {
		for _, s := range rows {
			if s.Name == name {
				return s.Value
			}
		}
		return ""
	}
	bare := open.chat
	bare.Sampling = storage.Profile{}
	ofModel, ofAll := eng.House.Samplings(bare, open.model), eng.House.Samplings(bare, "")
	if open.chat.ID != "" {
		samplings(sectionChat, "sampling settings of this chat", enginehouse.FromChat, eng.House.Samplings(open.chat, open.model),
			func(name string) string { return value(ofModel, name) }, func(name, v string) error { return eng.Chats.SetSampling(open.chat.ID, name, v) })
	}
	if open.model != "" {
		samplings(sectionModel, open.model+", in all chats", enginehouse.FromModel, ofModel,
			func(name string) string { return value(ofAll, name) }, func(name, v string) error { return eng.House.SetModelSampling(open.model, name, v) })
	}
	for _, s := range list {
		items = append(items, item{Setting: s, label: strings.TrimPrefix(s.Name, s.Section+".")})
	}
	if r.settings != nil {
		quick := config.Setting{Name: "quick_replies", Section: "quick_replies", SectionWords: "short texts to insert or send", Value: "…", Source: config.FromFile,
			Words: "each [[quick_replies]] in " + r.settings.Path() + " adds one: label, text, and optionally key and do"}
		items = append(items, item{Setting: quick, label: "all", open: func() tea.Cmd { return r.host.Run(keys.Quick) }})
	}
	return items, nil
}

// openSettings shows all settings, to be changed in place.
func (r *Part) openSettings() tea.Cmd { return r.openSetting("") }

// openSetting shows the settings that have words in them.
func (r *Part) openSetting(filter string) tea.Cmd {
	s := newSheet(r, filter)
	return s.read(func() tea.Cmd { r.host.Open(s); return nil })
}

// read reads the rows, then does what is asked.
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

// set stores a value, "" the default, and shows what became of it.
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
			s.note = noteOf(it, now)
			return tea.Batch(r.screen.Adopt(now), s.read(nil), r.host.Play().Reload())
		}
	})
}

func (r *Part) store(it item, value string, unset bool) (config.Setting, error) {
	switch {
	case it.keep != nil && unset:
		return it.Setting, it.keep("")
	case it.keep != nil:
		return it.Setting, it.keep(value)
	case unset:
		return r.settings.Unset(it.Name)
	}
	return r.settings.Set(it.Name, value)
}

// noteOf says when a change that was stored counts.
func noteOf(it item, now config.Setting) string {
	switch {
	case it.keep != nil:
		return "saved; applies from the next reply"
	case now.Source == config.FromFlag:
		return "saved, but a command line flag overrides it"
	case now.Restart:
		return "saved; applies after a restart"
	}
	return "saved"
}
