package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/engine/event"
	"ghostlight/engine/memory"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

var errNeedsHook = errors.New("what is to be brought up is needed")

// mostTurns bounds after how many turns a hook can be due.
const mostTurns = 100_000

// hookPriorities are the priorities of hooks as the form offers them.
var hookPriorities = []string{"1: some time", "2", "3: as usual", "4", "5: most urgent"}

// openForm opens the form of a hook; nil is for a new one.
func (v *hookList) openForm(old *memory.HookView, a *app) tea.Cmd {
	h, title := storage.Hook{Type: storage.FollowUpHook, Priority: 3}, "New hook"
	if old != nil {
		h, title = old.Hook, "Edit a hook"
	}
	for _, text := range []string{h.Content, h.Opener} {
		if words := desk.TooLong(text); words != "" {
			return a.Say(event.Warning, words)
		}
	}
	var types []string
	for _, t := range storage.HookTypes {
		types = append(types, hookType(t))
	}
	if !slices.Contains(storage.HookTypes, h.Type) {
		types = append(types, hookType(h.Type))
	}
	turns := ""
	if h.Due.Turns > 0 {
		turns = strconv.Itoa(h.Due.Turns)
	}
	f := widget.Form{Title: title, Fields: []*widget.Field{
		widget.PickField("Type", hookType(h.Type), types),
		widget.TextField(a.lk, "What is to be brought up", h.Content, 3),
		widget.TextField(a.lk, "How they may say it", h.Opener, 2),
		widget.PickField("Priority", hookPriorities[max(1, min(h.Priority, 5))-1], hookPriorities),
		widget.LineField(a.lk, "After turns", turns, "such as 4; empty: not by turns"),
		widget.LineField(a.lk, "Or at", dueAt(h.Due.At), "2d, 3h 30min, 18:00, 2031-12-24 18:00; empty: not by the clock"),
	}}
	desk.EditorKey(a, &f, f.Fields[1].Input)
	f.Foot = "tab next · ←→ choose · ^S save · alt+e $EDITOR · esc close"
	eng, scope, chat := a.eng, v.p.whose, v.Chat
	k := desk.NewKeptForm(a, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		n, changed, err := takeHook(f, h, time.Now())
		if err != nil {
			return nil, err
		}
		return func() (func() tea.Cmd, error) {
			if !changed {
				return nil, nil
			}
			got, err := eng.Memory.SaveHook(scope, chat, n)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				v.Wish = string(got.ID)
				return v.p.ChangedBy("“"+look.Within(got.Content, 30)+"” saved", undoHook(eng, scope, chat, h, got.ID))
			}, nil
		}, nil
	})
	k.Focus(1)
	a.dialogs.Open(k)
	return nil
}

// undoHook takes back that a hook was saved: old is how it was before, without an
// id for a new one.
func undoHook(eng *engine.Engine, scope storage.ScopeID, chat storage.ChatID, old storage.Hook, id storage.HookID) func() error {
	return func() error {
		if old.ID == "" {
			_, err := eng.Memory.ActHook(scope, []storage.HookID{id}, memory.HookDrop)
			return err
		}
		_, err := eng.Memory.SaveHook(scope, chat, old)
		return err
	}
}

// takeHook is a hook with what the fields of its form say, and whether that is
// anything new.
func takeHook(f *widget.Form, h storage.Hook, at time.Time) (storage.Hook, bool, error) {
	n := h
	if i := f.Fields[0].Chosen; i < len(storage.HookTypes) {
		n.Type = storage.HookTypes[i]
	}
	if in := f.Fields[1].Input; in.Changed() {
		n.Content = strings.TrimSpace(in.Value())
	}
	if in := f.Fields[2].Input; in.Changed() {
		n.Opener = strings.TrimSpace(in.Value())
	}
	if h.ID == "" || f.Fields[3].Chosen+1 != max(1, min(h.Priority, 5)) {
		n.Priority = f.Fields[3].Chosen + 1
	}
	if look.Blank(n.Content) {
		f.Focus(1)
		return n, false, errNeedsHook
	}
	if in := f.Fields[4].Input; in.Changed() {
		turns, err := parseTurns(in.Value())
		if err != nil {
			f.Focus(4)
			return n, false, err
		}
		n.Due.Turns = turns
	}
	if in := f.Fields[5].Input; in.Changed() {
		due, err := parseDue(in.Value(), at)
		if err != nil {
			f.Focus(5)
			return n, false, err
		}
		n.Due.At = due
	}
	same := n.Type == h.Type && n.Content == h.Content && n.Opener == h.Opener && n.Priority == h.Priority && n.Due.Turns == h.Due.Turns && n.Due.At.Equal(h.Due.At)
	return n, !same || h.ID == "", nil
}

// parseTurns reads after how many turns something is due, 0 for nothing.
func parseTurns(text string) (int, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostTurns {
		return 0, fmt.Errorf("the turns are a whole number from 1 to %d, or empty", mostTurns)
	}
	return n, nil
}

// dueLayouts are the ways to write a date, with a time of day or without.
var dueLayouts = []string{"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02"}

// dueAt is a moment as the form shows it, "" for none.
func dueAt(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(dueLayouts[0])
}

var errDue = errors.New("write how long from now (30min, 3h, 2d, 1w, 1d 12h), a time of day (18:00), or a date (2031-12-24, 2031-12-24 18:00)")

// mostWait bounds how far from now a hook can be due.
const mostWait = 100 * 365 * 24 * time.Hour

// dueUnits are the units of a wait.
var dueUnits = map[string]time.Duration{"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour, "d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
	"w": 7 * 24 * time.Hour, "week": 7 * 24 * time.Hour, "weeks": 7 * 24 * time.Hour}

// parseDue reads when something is due, seen from at: how long from then, a time
// of day, which is the next one, or a date. Nothing is no moment at all.
func parseDue(text string, at time.Time) (time.Time, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return time.Time{}, nil
	}
	if len(text) > 100 {
		return time.Time{}, errDue
	}
	for _, layout := range dueLayouts {
		if t, err := time.ParseInLocation(layout, strings.ToUpper(text), at.Location()); err == nil {
			if t.Sub(at) > mostWait || at.Sub(t) > mostWait {
				return time.Time{}, errDue
			}
			return t, nil
		}
	}
	if t, err := time.Parse("15:04", text); err == nil {
		y, m, d := at.Date()
		due := time.Date(y, m, d, t.Hour(), t.Minute(), 0, 0, at.Location())
		if !due.After(at) {
			due = time.Date(y, m, d+1, t.Hour(), t.Minute(), 0, 0, at.Location())
		}
		return due, nil
	}
	wait, err := parseWait(strings.TrimSpace(strings.TrimPrefix(text, "in ")))
	if err != nil {
		return time.Time{}, err
	}
	return at.Add(wait), nil
}

// parseWait reads a length of time such as 2d, 1d 12h or 45 minutes.
func parseWait(text string) (time.Duration, error) {
	var all time.Duration
	for text != "" {
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		n, err := strconv.Atoi(text[:digits])
		if err != nil {
			return 0, errDue
		}
		rest := strings.TrimLeft(text[digits:], " ")
		letters := len(rest) - len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz"))
		unit, ok := dueUnits[rest[:letters]]
		if !ok || time.Duration(n) > mostWait/unit {
			return 0, errDue
		}
		if all += time.Duration(n) * unit; all > mostWait {
			return 0, errDue
		}
		text = strings.TrimLeft(rest[letters:], " ,")
	}
	if all == 0 {
		return 0, errDue
	}
	return all, nil
}
