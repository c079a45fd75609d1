package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// EditText runs the user's editor on a text and passes the result to take.
func (a *app) EditText(text string, take func(string) tea.Cmd) tea.Cmd {
	ctx, done := context.WithCancel(a.ctx)
	c, path, err := editor(ctx, text)
	if err != nil {
		done()
		if errors.Is(err, errNoEditor) {
			return a.Say(event.Warning, err.Error())
		}
		return a.Fail(err)
	}
	if a.term.in != nil {
		c.Stdin, c.Stdout, c.Stderr = a.term.in, a.term.out, os.Stderr
	}
	a.term.outside.Store(&done)
	return a.term.release(c.Run, func(err error) tea.Msg {
		ended := ctx.Err() != nil
		done()
		return pane.Callback(func() tea.Cmd {
			back := a.takeTerminal()
			if ended {
				a.opts.Log.Warn("the program was closed while an editor was open", "what it had written", path)
				return back
			}
			got, readErr := readEdited(path)
			if err = errors.Join(err, readErr); err != nil {
				return tea.Batch(back, a.Fail(fmt.Errorf("editor: %w", err)))
			}
			return tea.Batch(back, take(edited(text, got)))
		})
	})
}

// errNoEditor means that $EDITOR is not set.
var errNoEditor = errors.New("set $EDITOR to your editor first")

// editor returns the user's editor on a file with a text; read the result with readEdited. It is
// asked to end when ctx ends.
func editor(ctx context.Context, text string) (c *exec.Cmd, path string, err error) {
	words, err := editorWords(os.Getenv("VISUAL"), runtime.GOOS != "windows")
	if err == nil && len(words) == 0 {
		words, err = editorWords(os.Getenv("EDITOR"), runtime.GOOS != "windows")
	}
	switch {
	case err != nil:
		return nil, "", err
	case len(words) == 0 || words[0] == "":
		return nil, "", errNoEditor
	}
	file, err := os.CreateTemp("", "ghostlight-*.md")
	if err != nil {
		return nil, "", fmt.Errorf("editor: %w", err)
	}
	_, err = file.WriteString(text + "\n") // editors add one at the end
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, "", fmt.Errorf("editor: %w", err)
	}
	c = exec.CommandContext(ctx, words[0], append(words[1:], file.Name())...)
	c.Cancel, c.WaitDelay = func() error { return endEditor(c.Process) }, editorEnds
	return c, file.Name(), nil
}

// editorWords splits a command into words as a shell does. A quoted part is one word. If escapes is
// set, a backslash keeps the character after it as it is.
func editorWords(command string, escapes bool) (words []string, err error) {
	var word strings.Builder
	quote, within, escaped := rune(0), false, false
	end := func() {
		if within {
			words = append(words, word.String())
		}
		word.Reset()
		within = false
	}
	for _, r := range command {
		switch {
		case escaped:
			if quote != 0 && r != quote && r != '\\' {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case escapes && r == '\\' && quote != '\'':
			escaped, within = true, true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, within = r, true
		case quote == 0 && unicode.IsSpace(r):
			end()
		default:
			word.WriteRune(r)
			within = true
		}
	}
	if end(); quote != 0 {
		return nil, failure.Refusef("unclosed quote in $EDITOR: %s", failure.FirstRunes(command, 80))
	}
	return words, nil
}

// editorEnds is how long an editor may take to save its text when the program is asked to end.
const editorEnds = 2 * time.Second

// maxEdited is the maximum size of an edited text, in bytes: more than anybody writes.
const maxEdited = 4 << 20

// readEdited reads the edited file and removes it. A file that is too large is not read and is
// kept.
func readEdited(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxEdited {
		return "", failure.Refusef(
			"the text is %d MB, the limit is %d MB: nothing was changed, the text is still in %s",
			info.Size()>>20, maxEdited>>20, path)
	}
	got, err := os.ReadFile(path)
	return string(got), errors.Join(err, os.Remove(path))
}

// edited returns the text of an editor, without the line end that was added for it. An unedited
// text is returned byte for byte. If the editor ends lines with \r\n and the text did not, they end
// with \n again.
func edited(was, got string) string {
	if got == was || got == was+"\n" {
		return was
	}
	if !strings.Contains(was, "\r\n") {
		got = strings.ReplaceAll(got, "\r\n", "\n")
	}
	return strings.ToValidUTF8(strings.TrimSuffix(strings.TrimSuffix(got, "\n"), "\r"), "\uFFFD")
}

// takeTerminal takes the terminal back and paints after another program had it. If this program is
// to end, it leaves the terminal alone, which may already belong to the shell.
func (a *app) takeTerminal() tea.Cmd {
	select {
	case <-a.term.ending:
		return nil
	default:
	}
	if err := a.term.enter(""); err != nil {
		a.opts.Log.Error("taking the terminal failed", "err", err)
	}
	if size, ok := a.term.size(); ok {
		return func() tea.Msg { return size }
	}
	return nil
}
