package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// passphraseTries is the number of times a passphrase is asked for.
const passphraseTries = 3

// errNoPassphrase is the error of a run that has no terminal to ask on.
var errNoPassphrase = fmt.Errorf("%w, and there is no terminal to enter the passphrase: run this on a terminal, or "+
	"use --passphrase-file or GHOSTLIGHT_PASSPHRASE_FILE", storage.ErrNoPassphrase)

// keyring are the keys that a run has opened, by their ids.
type keyring struct {
	mu   sync.Mutex
	keys map[string]*storage.Key
}

// Unlock returns a storage.Unlock: it reads the passphrase from the file that flag or environment
// name, or asks for it on the terminal. A key is asked for once in a run.
func (app *App) Unlock(g storage.WrappedKey) (*storage.Key, error) {
	app.ring.mu.Lock()
	defer app.ring.mu.Unlock()
	if k := app.ring.keys[g.ID]; k != nil {
		return k, nil
	}
	k, err := app.open(g)
	if err == nil {
		app.ring.keys[g.ID] = k
	}
	return k, err
}

func (app *App) open(g storage.WrappedKey) (*storage.Key, error) {
	if file := app.passphraseFile(); file != "" {
		passphrase, err := readPassphrase(file)
		if err != nil {
			return nil, err
		}
		return g.Unwrap(passphrase)
	}
	ask := "Passphrase: "
	if len(app.ring.keys) > 0 {
		ask = "Old passphrase (encrypted with another key): "
	}
	for try := 1; ; try++ {
		passphrase, err := app.askPassphrase(ask)
		if err != nil {
			return nil, err
		}
		k, err := g.Unwrap(passphrase)
		if !errors.Is(err, storage.ErrPassphrase) || try == passphraseTries {
			return k, err
		}
		app.Note("Wrong passphrase.")
	}
}

// UnlockFirst asks for the passphrase of the data file now, if it needs one, before another reader
// takes over the keyboard.
func (app *App) UnlockFirst() error {
	if app.shared != nil {
		return nil
	}
	g, encrypted, err := storage.WrappedKeyOf(filepath.Join(app.Dirs.Data, "ghostlight.db"))
	if err != nil || !encrypted || g.ID == "" {
		return nil // opening the file reports the error
	}
	_, err = app.Unlock(g)
	return err
}

// passphraseFile returns the file that holds the passphrase, "" for none.
func (app *App) passphraseFile() string {
	return cmp.Or(app.passphrase, os.Getenv("GHOSTLIGHT_PASSPHRASE_FILE"))
}

// NewPassphrase returns one that is to be taken from now on: from a file, or asked for twice.
func (app *App) NewPassphrase(file string) (string, error) {
	if file != "" {
		return readPassphrase(file)
	}
	first, err := app.askPassphrase("New passphrase: ")
	if err != nil {
		return "", err
	}
	if first == "" {
		return "", errors.New("the passphrase is empty: nothing was changed")
	}
	again, err := app.askPassphrase("Repeat: ")
	if err == nil && again != first {
		err = errors.New("the passphrases do not match: nothing was changed")
	}
	return first, err
}

// PassphraseFile returns the file that flag or environment name, "" for none.
func (app *App) PassphraseFile() string { return app.passphraseFile() }

// maxPassphraseLen is the maximum number of bytes read from a passphrase file.
const maxPassphraseLen = 4 << 10

// readPassphrase reads a file's first line.
func readPassphrase(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("passphrase file: %w", err)
	}
	defer func() { _ = f.Close() }() // was only read
	data, err := io.ReadAll(io.LimitReader(f, maxPassphraseLen))
	if err != nil {
		return "", fmt.Errorf("passphrase file: %w", err)
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	if line = bytes.TrimSuffix(line, []byte("\r")); len(line) == 0 {
		return "", fmt.Errorf("the passphrase file %s has an empty first line", file)
	}
	return string(line), nil
}

// askPassphrase asks on the terminal, without showing the typed text.
func (app *App) askPassphrase(ask string) (string, error) {
	in, ok := app.In.(*os.File)
	if !ok || !IsTerminal(in) {
		return "", errNoPassphrase
	}
	state, err := term.MakeRaw(in.Fd())
	if err != nil {
		return "", fmt.Errorf("ask for the passphrase: %w", err)
	}
	_, _ = io.WriteString(app.Err, ask)
	defer func() {
		_ = term.Restore(in.Fd(), state)
		_, _ = io.WriteString(app.Err, "\n")
	}()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	// A read from a terminal cannot be cancelled. It ends with the program.
	crash.Go("the question for the passphrase", func() {
		text, err := typed(in)
		answered <- answer{text, err}
	})
	select {
	case a := <-answered:
		return a.text, a.err
	case <-signals:
		return "", errAsked
	}
}

var errAsked = errors.New("cancelled; nothing was opened")

// typed reads a typed line, without the escape sequences of cursor keys.
func typed(in io.Reader) (string, error) {
	var line []byte
	one := make([]byte, 1)
	next := func() (byte, error) { _, err := io.ReadFull(in, one); return one[0], err }
	for {
		b, err := next()
		if err != nil {
			return "", errAsked
		}
		switch b {
		case '\r', '\n':
			return string(line), nil
		case 'C' - '@', 'D' - '@':
			return "", errAsked
		case 0x7f, 'H' - '@':
			_, n := utf8.DecodeLastRune(line)
			line = line[:len(line)-n]
		case 'U' - '@':
			line = line[:0]
		case 0x1b:
			if b, err = next(); err == nil && (b == '[' || b == 'O') {
				for b, err = next(); err == nil && b < '@'; b, err = next() {
				}
			}
		default:
			if b >= ' ' {
				line = append(line, b)
			}
		}
	}
}
