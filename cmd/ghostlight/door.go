package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ghostlight/engine"
	"ghostlight/engine/config"
	"ghostlight/engine/crash"
	"ghostlight/engine/failure"
	"ghostlight/engine/library/bundled"
	"ghostlight/engine/rehearsal"
	"ghostlight/tui/safetext"
)

// door is one run of the program: its flags, its streams, and what was opened
// on their behalf.
type door struct {
	in        io.Reader
	out, errs io.Writer
	said      bool // a document or text went to standard output

	data, configFile, ollama, model string
	comfy, debug                    []string
	rehearse, json                  bool

	at       places
	set      settings
	log      *slog.Logger
	closeLog func()
	house    *rehearsal.House
}

func newDoor(in io.Reader, out, errs io.Writer) *door {
	return &door{in: in, out: out, errs: errs, log: slog.New(slog.DiscardHandler), closeLog: func() {}}
}

func (d *door) globalFlags(f *pflag.FlagSet) {
	f.StringVar(&d.data, "data", "", "keep everything in the folder `DIR`")
	f.StringVar(&d.configFile, "config", "", "read the settings from `FILE`")
	f.StringVar(&d.ollama, "ollama", "", "the address `URL` of Ollama")
	f.StringSliceVar(&d.comfy, "comfyui", nil, "the address `URL` of ComfyUI; several make a pool")
	f.StringVar(&d.model, "model", "", "ask the model `NAME`")
	f.BoolVar(&d.rehearse, "rehearse", false, "play against stand-ins for both servers: nothing needs to be installed")
	f.StringSliceVar(&d.debug, "debug", nil, "log more of `LIST`: all, or parts such as engine, ollama, queue")
	f.BoolVar(&d.json, "json", false, "print one JSON document and nothing else")
}

// prepare finds the folders, reads the settings and opens the log.
func (d *door) prepare() (err error) {
	if d.at, err = findPlaces(d.data, d.configFile); err != nil {
		return err
	}
	if d.set, err = readSettings(d.at); err != nil {
		return err
	}
	for _, a := range d.badAddresses() {
		if err := a.check(); isMisuse(err) {
			return err
		}
	}
	parts, err := debugParts(d.debug)
	if err != nil {
		return err
	}
	crash.Prepare(d.at.state, "ghostlight", nil)
	log, closeLog, err := openLog(d.at.log(), parts)
	if err != nil {
		d.note("there is no log: %v", err)
		return nil
	}
	d.log, d.closeLog = log, closeLog
	return nil
}

// servers are the addresses to use: the stand-ins' own in a rehearsal, else
// what flag, settings and environment say, in this order.
func (d *door) servers() (ollama string, comfy []string, err error) {
	if !d.rehearse {
		if bad := d.badAddresses(); len(bad) > 0 {
			return "", nil, bad[0].check()
		}
		return first(d.ollama, d.set.Ollama.URL, fromOllamaHost(os.Getenv("OLLAMA_HOST"))), orElse(d.comfy, d.set.ComfyUI.URLs), nil
	}
	if d.house == nil {
		delay, err := rehearsalDelay()
		if err != nil {
			return "", nil, err
		}
		if d.house, err = rehearsal.Start(rehearsal.Options{TokenDelay: delay, Script: bundled.Reply}); err != nil {
			return "", nil, err
		}
	}
	return d.house.OllamaURL, []string{d.house.ComfyURL}, nil
}

// rehearsalDelay is the pace of the stand-ins. The environment can change it:
// scripts and tests have no time to read along.
func rehearsalDelay() (time.Duration, error) {
	s := os.Getenv("GHOSTLIGHT_REHEARSAL_DELAY")
	if s == "" {
		return rehearsal.DefaultTokenDelay, nil
	}
	delay, err := time.ParseDuration(s)
	if err != nil || delay < 0 {
		return 0, fmt.Errorf("GHOSTLIGHT_REHEARSAL_DELAY: %q is not a duration such as 20ms", s)
	}
	return delay, nil
}

// onScreen is the program as the store knows it while the screen is shown; a
// command goes by its own name.
const onScreen = "ghostlight"

// open opens the engine. The caller closes it with shut.
func (d *door) open(program string) (*engine.Engine, error) {
	ollama, comfy, err := d.servers()
	if err != nil {
		return nil, err
	}
	cfg := config.Config{
		DataDir: d.at.data, ConfigDir: d.at.config, Ollama: ollama, Comfy: comfy, Model: d.model, Fallback: d.set.Ollama.Model,
		Sampling: d.set.Ollama.profile(), VRAM: d.set.ComfyUI.vram(), Images: d.set.Images.config(),
		CaptureTimeout: time.Duration(d.set.ComfyUI.TimeoutSeconds) * time.Second,
		Style:          d.set.ComfyUI.Style, Negative: d.set.ComfyUI.NegativePrompt,
		Scenes: d.set.Scenes.config(), Memory: d.set.Memory.config(), Lore: d.set.Lore.config(), Stage: d.set.stage(program == onScreen),
		Jobs: d.set.Queue.config(), Taste: d.set.Taste.config(),
		Rehearse: d.rehearse, Program: program, Version: thisBuild().Version, Log: d.log,
	}
	if d.rehearse {
		cfg.Stage.EmbedServer = "" // no real server is asked
	}
	e, err := engine.Open(cfg)
	if err != nil {
		return nil, err
	}
	if err := e.Library.EnsureBundled(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// shut closes what open opened. The fault that counts is the one of the work;
// one of the closing is told only where the work had none.
func (d *door) shut(e *engine.Engine, err error) error {
	var faults []error
	if e != nil {
		faults = append(faults, e.Close())
	}
	faults = append(faults, d.shutHouse())
	if closing := errors.Join(faults...); closing != nil {
		d.log.Error("closing failed", "err", closing)
		if err == nil {
			return closing
		}
	}
	return err
}

func (d *door) shutHouse() error {
	if d.house == nil {
		return nil
	}
	h := d.house
	d.house = nil
	return h.Close()
}

// work is what a command does with an open engine. Its context ends when the
// user interrupts it.
type work func(ctx context.Context, e *engine.Engine, args []string) error

// with makes a command's function of work: everything is opened before it and
// closed after it.
func (d *door) with(w work) func(*cobra.Command, []string) error {
	return d.ready(func(ctx context.Context, c *cobra.Command, args []string) error {
		e, err := d.open(c.CommandPath())
		if err != nil {
			return d.shut(nil, err)
		}
		return d.shut(e, w(ctx, e, args))
	})
}

// ready is with for commands that leave the store alone.
func (d *door) ready(w func(ctx context.Context, c *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if err := d.prepare(); err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		// The second signal is not for us: it ends a program that hangs.
		context.AfterFunc(ctx, stop)
		if d.rehearse {
			d.note("rehearsal: stand-ins answer, no real server is asked")
		}
		return d.shut(nil, w(ctx, c, args))
	}
}

// leave tells of what went wrong and says what the process ends with.
func (d *door) leave(err error, asJSON bool) int {
	defer d.closeLog()
	if err == nil {
		return exitDone
	}
	if errors.Is(err, syscall.EPIPE) {
		d.log.Info("nobody reads the result any more", "err", err)
		return exitFailed
	}
	code, words := exitFailed, d.discreet(failure.Words(err))
	words = shortened(words)
	if isMisuse(err) {
		code = exitMisused
	} else {
		d.log.Error("the command failed", "err", err)
	}
	if (d.json || asJSON) && !d.said {
		d.said = true
		_ = writeJSON(d.out, map[string]string{"error": words}) // where standard output fails, standard error still tells
	}
	var list faults
	if !errors.As(err, &list) {
		words = safetext.Line(words) // a name in it may have lines of its own
	}
	d.note("ghostlight: %s", words)
	if code == exitMisused {
		d.note("ghostlight help tells what there is.")
	}
	return code
}

// longestFault is how many runes an error may have: what a user gave may stand in
// it, and be of any length.
const longestFault = 4000

// shortened takes out the middle of what is too long: what is wrong stands before
// it, what to do behind it.
func shortened(words string) string {
	if len(words) <= longestFault {
		return words
	}
	r := []rune(words)
	if len(r) <= longestFault {
		return words
	}
	return string(r[:longestFault/10]) + " … " + string(r[len(r)-longestFault/5:])
}

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

func orElse(list, other []string) []string {
	if len(list) > 0 {
		return list
	}
	return other
}

func quote(s string) string { return fmt.Sprintf("%q", s) }

// absolute makes a path from the command line independent of the folder.
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	if strings.HasPrefix(path, "~/") { // not every caller has a shell
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, path[2:])
		}
	}
	return filepath.Abs(path)
}
