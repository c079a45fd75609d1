package settings_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// fakeFile is a config file that is none: what was set is kept as it was typed.
type fakeFile struct {
	list []config.Setting
	said chan [2]string
}

func (s *fakeFile) Path() string { return "/home/robin/config.toml" }

func (s *fakeFile) List() ([]config.Setting, error) { return s.list, nil }

func (s *fakeFile) Set(name, value string) (config.Setting, error) {
	s.said <- [2]string{name, value}
	for i, have := range s.list {
		if have.Name != name {
			continue
		}
		if have.Kind == config.SettingInteger && len(value) > 4 {
			return have, errors.New(name + " must be a number of tokens from 256 to 1048576, not " + value)
		}
		s.list[i].Value, s.list[i].Source = value, config.FromFile
		return s.list[i], nil
	}
	return config.Setting{}, errors.New("unknown setting " + name)
}

func (s *fakeFile) Unset(name string) (config.Setting, error) {
	for i, have := range s.list {
		if have.Name == name {
			s.list[i].Value, s.list[i].Source = have.Default, config.FromDefault
			return s.list[i], nil
		}
	}
	return config.Setting{}, errors.New("unknown setting " + name)
}

func newFakeFile() *fakeFile {
	return &fakeFile{said: make(chan [2]string, 9), list: []config.Setting{
		{Name: "ollama.url", Section: "ollama", SectionPurpose: "the language model", Purpose: "where the server is", Kind: config.SettingText, Value: "http://flag:1", Default: "http://127.0.0.1:11434", Source: config.FromFlag, Restart: true},
		{Name: "ollama.num_ctx", Section: "ollama", SectionPurpose: "the language model", Purpose: "tokens of context; more need more memory", Kind: config.SettingInteger, Value: "4096", Default: "8192", Source: config.FromFile},
		{Name: "ollama.temperature", Section: "ollama", SectionPurpose: "the language model", Purpose: "randomness (0 = deterministic)", Kind: config.SettingNumber, Value: "0.8", Default: "0.8", Source: config.FromDefault},
		{Name: "ui.dark", Section: "ui", SectionPurpose: "the screen", Purpose: "dark or light", Kind: config.SettingChoice, Choices: []string{"auto", "dark", "light"}, Value: "auto", Default: "auto", Source: config.FromDefault},
	}}
}

// Settings are found by typing, changed in place, refused with words and put back; what
// is said of the chat and of its model is among them.
func TestSettings(t *testing.T) {
	t.Parallel()
	file := newFakeFile()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Screen: tui.Options{Settings: file}})
	s.See("‹1/3›").Press("ctrl+p").TypeText("settings").Press("enter").See("This chat", "This model: demo").Golden("settings")
	s.TypeText("more memory").NotSee("temperature").See("4096")
	s.Press("tab", "tab", "enter", "end").TypeText("0").Press("enter").See("from 256 to 1048576, not 40960", "enter save").Golden("settings-refused", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("backspace", "backspace").TypeText("5").Press("enter").See("4095", "saved")
	s.Press("ctrl+d").See("8192").NotSee("4095")
	s.Press("esc").TypeText("dark or light").Press("right").See("‹ dark ›").Press("enter").See("‹ light ›")
	s.Until("the light look", func() (light bool) {
		s.In(func(v *tui.Screen) { light = !v.Host().Styles().Dark })
		return light
	})
	// On auto the terminal is asked at once.
	if strings.Contains(s.Written(), ansi.RequestBackgroundColor) {
		t.Error("the terminal was asked for its background although the user has said what it is")
	}
	s.Press("enter").See("‹ auto ›", "saved")
	s.Until("the terminal is asked", func() bool { return strings.Contains(s.Written(), ansi.RequestBackgroundColor) })
	s.Press("esc").TypeText("short texts").See("[[quick_replies]]").Press("tab", "enter").See("Quick replies").NotSee("Settings").Press("esc").NotSee("Quick replies")
	open := func(title string, to ...string) {
		s.Press("ctrl+p").TypeText("settings").Press("enter").See("This chat").TypeText("sampling").Press(to...).See(title).NotSee("Settings")
	}
	open("Sampling: this chat", "enter")
	s.Golden("sampling").Size(80, 24)
	s.TypeText("1.5").Press("ctrl+s").See("applies from the next reply").NotSee("Sampling: this chat")
	if got := s.Chat().Chat.Sampling.Temperature; got == nil || *got != 1.5 {
		t.Errorf("the chat has the temperature %v", got)
	}
	open("Sampling: this model", "tab", "enter")
	s.TypeText("9").Press("ctrl+s").See("temperature must be a number from 0 to 5").Press("backspace").TypeText("0.2").Press("ctrl+s").NotSee("Sampling: this model")
	if got := s.Engine.Models.ModelSampling(demo.Model).Temperature; got == nil || *got != 0.2 {
		t.Errorf("the model has the temperature %v", got)
	}
	if got := <-file.said; got != [2]string{"ollama.num_ctx", "40960"} {
		t.Errorf("first %q was said", got)
	}
}
