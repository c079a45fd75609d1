// Package cli is the common base of ghostlight's commands: the global flags, the settings, standard
// output as pages or as JSON, exit codes, opening and closing the engine around a command, and how
// chats, scenes and other things are named on the command line.
//
// A command is built from its usage line and a function that works with the engine. A command about
// one thing is built from that thing's Noun:
//
//	cli.Chats.Act(app, "undo CHAT", "undo the last change",
//		func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
//			…
//			return app.Print(doc, func(p *cli.Page) { p.Line(…) })
//		})
//
// Finish derives the number of arguments and the completion of every command from its usage line.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/demo/tove"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// App is one run of the program: its flags, its streams, and everything that it has opened.
type App struct {
	Version  string // of the program
	In       io.Reader
	Out, Err io.Writer
	Printed  bool // a document or text went to standard output
	// Args are the arguments of the run. They are sent to the program that has the data open; nil
	// if no program is to be asked.
	Args []string
	// Tree returns a new tree of commands, to run a command for another process; nil if this run
	// serves no commands.
	Tree func(*App) *cobra.Command

	// The flags that commands look at themselves.
	JSON bool // one document is printed, and nothing else
	Demo bool // simulated servers replace both servers

	// What Prepare has found, read and opened.
	Dirs     Dirs
	Settings settings.Settings // of the config file alone
	Log      *slog.Logger      // never nil

	data, configFile, ollama, model string
	passphrase                      string // the file that holds it
	comfy, debug                    []string
	ring                            *keyring

	closeLog  func()
	demo      *demo.Servers
	program   string         // what Open was called by
	encrypted bool           // whether the store that Open opened is encrypted
	shared    *engine.Engine // that a front end has open, for its commands; nil outside of one
	front     *App           // that front end
	served    *remoteCommand // the process that asked this program for the command; nil for none
	changing  *sync.Mutex    // held while Settings are exchanged
}

// New returns a run that has read and opened nothing yet. version is the program's version.
func New(in io.Reader, out, errs io.Writer, version string) *App {
	return &App{In: in, Out: out, Err: errs, Version: version, Log: slog.New(slog.DiscardHandler), closeLog: func() {},
		changing: new(sync.Mutex), ring: &keyring{keys: map[string]*storage.Key{}}}
}

// AddGlobalFlags adds the flags of every command.
func (app *App) AddGlobalFlags(f *pflag.FlagSet) {
	f.StringVar(&app.data, "data", "", "use the data folder `DIR`")
	f.StringVar(&app.configFile, "config", "", "read the settings from `FILE`")
	f.StringVar(&app.ollama, "ollama", "", "use the Ollama server at `URL`")
	f.StringSliceVar(&app.comfy, "comfyui", nil,
		"use the ComfyUI server at `URL`; several, separated by commas, share the work")
	f.StringVar(&app.model, "model", "", "use the model `NAME`")
	f.BoolVar(&app.Demo, "demo", false, "demo mode with built-in servers: nothing needs to be installed")
	f.BoolVar(&app.Demo, "rehearse", false, "the former name of --demo")
	_ = f.MarkHidden("rehearse") // fails only for a flag that does not exist
	f.StringVar(&app.passphrase, "passphrase-file", "", "read the passphrase of encrypted data from `FILE`")
	f.StringSliceVar(&app.debug, "debug", nil,
		"log more about the parts in `LIST`, such as engine, ollama or queue; or all")
	f.BoolVar(&app.JSON, "json", false, "print one JSON document instead of text")
}

// Prepare finds the folders, reads the settings and opens the log.
func (app *App) Prepare() (err error) {
	if app.shared != nil {
		return app.served.checkFlags(app)
	}
	if err := app.FindDirs(); err != nil {
		return err
	}
	if app.Settings, err = settings.Read(app.Dirs.File, app.Dirs.named); err != nil {
		return err
	}
	for _, a := range app.BadAddresses() {
		if err := a.Check(); isUsageError(err) {
			return err
		}
	}
	parts, err := debugParts(app.debug)
	if err != nil {
		return err
	}
	crash.Prepare(app.Dirs.State, "ghostlight", nil)
	log, closeLog, err := openLog(app.Dirs.LogFile(), parts)
	if err != nil {
		app.Note("logging is off: %v", err)
		return nil
	}
	app.Log, app.closeLog = log, closeLog
	return nil
}

// Servers returns the addresses to use: those of the simulated servers in demo mode, else those
// from the flags, the settings and the environment, in this order.
func (app *App) Servers() (ollama string, comfy []string, err error) {
	if !app.Demo {
		if bad := app.BadAddresses(); len(bad) > 0 {
			return "", nil, bad[0].Check()
		}
		return cmp.Or(app.ollama, app.Settings.Ollama.URL, fromOllamaHost(os.Getenv("OLLAMA_HOST"))),
			app.comfyURLs(), nil
	}
	if app.demo == nil {
		delay, err := demoDelay()
		if err != nil {
			return "", nil, err
		}
		o := tove.New().Options()
		o.TokenDelay = delay
		if app.demo, err = demo.Start(o); err != nil {
			return "", nil, err
		}
	}
	return app.demo.OllamaURL, []string{app.demo.ComfyURL}, nil
}

// comfyURLs returns the addresses of ComfyUI that flags or settings give.
func (app *App) comfyURLs() []string {
	if len(app.comfy) > 0 {
		return app.comfy
	}
	return app.Settings.ComfyUI.URLs
}

// demoDelay returns the delay between tokens of the simulated servers. The environment can
// change it, because scripts and tests should not wait at reading speed.
func demoDelay() (time.Duration, error) {
	s := os.Getenv("GHOSTLIGHT_DEMO_DELAY")
	if s == "" {
		return demo.DefaultTokenDelay, nil
	}
	delay, err := time.ParseDuration(s)
	if err != nil || delay < 0 {
		return 0, fmt.Errorf("GHOSTLIGHT_DEMO_DELAY must be a duration such as 20ms, not %q", s)
	}
	return delay, nil
}

// OnScreen is the program's name in the store while the screen is shown. A command uses its own
// name.
const OnScreen = "ghostlight"

// Open opens the engine for a program: OnScreen, or the name of a command. The caller
// closes it with Close.
func (app *App) Open(program string) (*engine.Engine, error) {
	if app.shared != nil {
		app.encrypted = app.shared.Backup.Encrypted()
		return app.shared, nil
	}
	ollama, comfy, err := app.Servers()
	if err != nil {
		return nil, err
	}
	cfg := app.engineConfig(program)
	cfg.Ollama, cfg.Comfy, cfg.OrRead = ollama, comfy, program != OnScreen
	e, err := engine.Open(cfg)
	if err != nil {
		return nil, err
	}
	app.encrypted = e.Backup.Encrypted()
	if e.ReadOnly() {
		return e, nil
	}
	if err := e.Library.EnsureBundled(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	app.program = program
	return e, nil
}

// Close closes everything that Open opened. e may be nil if Open failed. err is the error of the
// work, and is returned if it is not nil. Otherwise Close returns its own error, which it always
// logs.
func (app *App) Close(e *engine.Engine, err error) error {
	if app.shared != nil {
		return err
	}
	var faults []error
	if e != nil {
		faults = append(faults, e.Close())
	}
	faults = append(faults, app.closeDemo())
	if closing := errors.Join(faults...); closing != nil {
		app.Log.Error("closing failed", "err", closing)
		if err == nil {
			return closing
		}
	}
	return err
}

func (app *App) closeDemo() error {
	if app.demo == nil {
		return nil
	}
	h := app.demo
	app.demo = nil
	return h.Close()
}
