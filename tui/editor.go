package tui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/tui/desk"
)

// EditText runs the user's editor on a text and takes what it leaves.
func (a *app) EditText(text string, take func(string) tea.Cmd) tea.Cmd {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		return a.Say(event.Warning, "set $EDITOR to the editor of your choice first")
	}
	file, err := os.CreateTemp("", "ghostlight-*.md")
	if err != nil {
		return a.Fail(fmt.Errorf("editor: %w", err))
	}
	path := file.Name()
	_, err = file.WriteString(strings.TrimRight(text, "\n") + "\n") // editors append at a line's end
	if err = errors.Join(err, file.Close()); err != nil {
		return a.Fail(fmt.Errorf("editor: %w", err))
	}
	words := strings.Fields(editor)
	a.term.give()
	return tea.ExecProcess(exec.Command(words[0], append(words[1:], path)...), func(err error) tea.Msg {
		return desk.Answer(func() tea.Cmd {
			back := a.takeTerminal()
			got, readErr := os.ReadFile(path)
			_ = os.Remove(path)
			if err = errors.Join(err, readErr); err != nil {
				return tea.Batch(back, a.Fail(fmt.Errorf("editor: %w", err)))
			}
			return tea.Batch(back, take(strings.TrimRight(string(got), "\n")))
		})
	})
}

// takeTerminal paints again after another program had the terminal.
func (a *app) takeTerminal() tea.Cmd {
	if err := a.term.take(""); err != nil {
		a.opts.Log.Error("taking the terminal failed", "err", err)
	}
	if size, ok := a.term.size(); ok {
		return func() tea.Msg { return size }
	}
	return nil
}
