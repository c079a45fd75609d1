package main

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/clipboard"
)

// openScreen shows the terminal interface until the user leaves it. Switching to demo mode closes
// everything and opens it again.
func openScreen(ctx context.Context, app *cli.App, theme, chat string) error {
	for {
		out, err := showScreen(ctx, app, theme, chat)
		if err != nil || !out.Demo {
			return err
		}
		app.Demo = true
	}
}

// showScreen opens the engine and shows the screen once.
func showScreen(ctx context.Context, app *cli.App, theme, chat string) (out tui.Outcome, err error) {
	e, err := app.Open(cli.OnScreen)
	if err != nil {
		return out, app.Close(nil, err)
	}
	defer func() { err = app.Close(e, err) }()
	o, err := screenOptions(app, e, theme)
	if err != nil {
		return out, err
	}
	if chat != "" {
		var c storage.Chat
		if c, err = e.Chats.Find(chat); err != nil {
			return out, err
		}
		o.Chat = c.ID
	}
	if err := e.Start(); err != nil {
		return out, err
	}
	hosting, _ := app.Host(e) // the log says why not
	defer hosting.Close()
	return tui.Run(ctx, e, o, app.Dirs.State)
}

// screenOptions returns what flags, settings and the user's last choice say of the
// screen.
func screenOptions(app *cli.App, e *engine.Engine, theme string) (tui.Options, error) {
	now := app.Current()
	set, faults := themes.Load(app.ConfigDir("themes"))
	o := tui.Options{Copy: clipboard.Find(os.Getenv, exec.LookPath).Copy, Themes: set, Dark: now.UI.DarkMode(),
		Keys: now.Keys, QuickReplies: now.QuickReplies(), Images: cmp.Or(now.UI.Images, "auto"), Demo: app.Demo,
		Settings: &fileSettings{app: app, eng: e, theme: theme}, Name: userName(), Log: app.Log,
		Tips: !settings.IsOff(now.UI.Tips), Warnings: cli.ErrorTexts(faults)}
	if words := now.OutdatedWords(); words != "" {
		o.Warnings = append(o.Warnings, words)
	}
	o.LockAfter, _ = config.LockAfter(now.UI.LockAfter) // it was checked when it was read
	o.Theme = cmp.Or(theme, now.UI.Theme, e.Settings.Theme())
	if _, ok := set.Find(o.Theme); o.Theme != "" && !ok {
		words := "unknown theme " + cli.Quote(o.Theme)
		if theme != "" {
			return o, cli.UsageError(words)
		}
		o.Warnings = append(o.Warnings, words)
	}
	return o, nil
}

// fileSettings are the settings that the screen shows and changes. A change takes effect
// immediately, as far as the engine allows.
type fileSettings struct {
	app   *cli.App
	eng   *engine.Engine
	theme string // that a flag names
	mu    sync.Mutex
}

// Path implements admin.Settings.
func (f *fileSettings) Path() string { return f.app.Dirs.File }

// List implements admin.Settings.
func (f *fileSettings) List() ([]config.Setting, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list, err := f.app.SettingList()
	for i := range list {
		list[i] = f.chosen(list[i])
	}
	return list, err
}

// chosen returns a setting with what the user has chosen in the program and by flags of the
// screen alone.
func (f *fileSettings) chosen(s config.Setting) config.Setting {
	switch chosen := ""; s.Name {
	case "ui.theme":
		if f.theme != "" {
			s.Value, s.Source = f.theme, config.FromFlag
		} else if chosen = f.eng.Settings.Theme(); s.Value == "" && chosen != "" {
			s.Value, s.Source = chosen, config.FromProgram
		}
		set, _ := themes.Load(f.app.ConfigDir("themes")) // its errors were reported at the start
		s.Choices, s.Kind, s.Default = set.Names(), config.SettingChoice, set[0].Name
		s.Value = cmp.Or(s.Value, s.Default)
	case "ollama.model":
		if chosen = f.eng.Models.ModelOf(storage.Chat{}); s.Source != config.FromFlag && chosen != s.Value {
			s.Value, s.Source = chosen, config.FromProgram
		}
	}
	return s
}

// Set implements admin.Settings.
func (f *fileSettings) Set(name, value string) (config.Setting, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.app.SetSetting(name, value)
	if err == nil && name == "ollama.model" {
		err = f.eng.Models.SetDefaultModel("") // the last choice counts
	}
	return f.inForce(s), err
}

// Unset implements admin.Settings.
func (f *fileSettings) Unset(name string) (config.Setting, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.app.UnsetSetting(name)
	return f.inForce(s), err
}

// inForce applies the present settings to the engine, and returns s with the user's choices in it.
func (f *fileSettings) inForce(s config.Setting) config.Setting {
	f.app.Reconfigure(f.eng)
	return f.chosen(s)
}

// userName returns a name for the user: the first name that the system knows, else the login name,
// made presentable; "" for a name that belongs to no person.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return presentable(u.Name, u.Username)
}

func presentable(full, login string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(full), " ")
	if name, _, _ = strings.Cut(name, ","); name == "" || strings.EqualFold(name, login) {
		login = login[strings.LastIndexByte(login, '\\')+1:] // on Windows, the machine's name precedes it
		name, _, _ = strings.Cut(login, "@")
		if parts := strings.FieldsFunc(name, func(r rune) bool {
			return !unicode.IsLetter(r) && r != '-'
		}); len(parts) > 0 {
			name = parts[0]
		}
	}
	if slices.Contains(strings.Fields("root user admin administrator guest ubuntu debian pi nobody runner"),
		strings.ToLower(name)) {
		return ""
	}
	if r, n := utf8.DecodeRuneInString(name); unicode.IsLower(r) {
		name = string(unicode.ToUpper(r)) + name[n:]
	}
	return name
}
