package keys

import "slices"

// Actions of dialogs. Lists in dialogs also have the actions of panes, whose letters mean the same
// there.
const (
	DialogClose     Name = "dialog-close"
	DialogEnter     Name = "dialog-enter"
	DialogSave      Name = "dialog-save"
	DialogNext      Name = "dialog-next"
	DialogPrevious  Name = "dialog-previous"
	DialogFieldUp   Name = "dialog-field-up"
	DialogFieldDown Name = "dialog-field-down"
	DialogUp        Name = "dialog-up"
	DialogDown      Name = "dialog-down"
	DialogLeft      Name = "dialog-left"
	DialogRight     Name = "dialog-right"
	DialogPageUp    Name = "dialog-page-up"
	DialogPageDown  Name = "dialog-page-down"
	DialogTop       Name = "dialog-top"
	DialogBottom    Name = "dialog-bottom"
	DialogMark      Name = "dialog-mark"
	DialogNew       Name = "dialog-new"
	DialogEdit      Name = "dialog-edit"
	DialogDelete    Name = "dialog-delete"
	DialogRemove    Name = "dialog-remove"
	DialogBrowse    Name = "dialog-browse"
	DialogAgain     Name = "dialog-again"
	DialogClear     Name = "dialog-clear"
	DialogCopy      Name = "dialog-copy"
	DialogEditor    Name = "dialog-editor"
	DialogMoveUp    Name = "dialog-move-up"
	DialogMoveDown  Name = "dialog-move-down"
	DialogLight     Name = "dialog-light"
	DialogDefault   Name = "dialog-default"
	DialogDetails   Name = "dialog-details"
	DialogNewGroup  Name = "dialog-new-group"
	DialogCamera    Name = "dialog-camera"
	DialogMapping   Name = "dialog-mapping"
	DialogDraft     Name = "dialog-draft"
	DialogSwap      Name = "dialog-swap"
	DialogNotes     Name = "dialog-notes"
)

// theDialogs returns the actions of dialogs. Letters work only if typed letters are not text.
func theDialogs() []Binding {
	dialog := func(a Name, words string, keys ...string) Binding {
		return hide(NewBinding(a, DialogGroup, words, Dialog, keys...))
	}
	return []Binding{
		dialog(DialogClose, "close", "esc", "ctrl+c", "q"),
		dialog(DialogEnter, "choose or accept", "enter"),
		dialog(DialogSave, "save", "ctrl+s"),
		dialog(DialogNext, "next field or part", "tab"),
		dialog(DialogPrevious, "previous field or part", "shift+tab"),
		dialog(DialogFieldUp, "field above", "up"),
		dialog(DialogFieldDown, "field below", "down"),
		dialog(DialogUp, "up", "up", "ctrl+k", "k"),
		dialog(DialogDown, "down", "down", "ctrl+j", "j"),
		dialog(DialogLeft, "previous", "left", "h"),
		dialog(DialogRight, "next", "right", "l"),
		dialog(DialogPageUp, "page up", "pgup", "b"),
		dialog(DialogPageDown, "page down", "pgdown", "space"),
		dialog(DialogTop, "first", "home", "g"),
		dialog(DialogBottom, "last", "end", "G"),
		dialog(DialogMark, "select", "space"),
		dialog(DialogNew, "new", "ctrl+n"),
		dialog(DialogEdit, "edit", "ctrl+e"),
		dialog(DialogDelete, "delete", "ctrl+d"),
		dialog(DialogRemove, "remove it, or reset it to the default", "ctrl+x"),
		dialog(DialogBrowse, "choose from a list or a file", "ctrl+o"),
		dialog(DialogAgain, "do it again", "ctrl+r"),
		dialog(DialogClear, "clear", "ctrl+u"),
		dialog(DialogCopy, "copy", "ctrl+y"),
		dialog(DialogEditor, "edit in the external editor", "alt+e"),
		dialog(DialogMoveUp, "move up", "alt+up"),
		dialog(DialogMoveDown, "move down", "alt+down"),
		dialog(DialogLight, "light or dark", "ctrl+l"),
		dialog(DialogDefault, "make it the default or the main one", "ctrl+f"),
		dialog(DialogDetails, "details", "ctrl+b"),
		dialog(DialogNewGroup, "new group, such as a series", "ctrl+b"),
		dialog(DialogCamera, "camera of a capture", "ctrl+k"),
		dialog(DialogMapping, "input mapping of the workflow", "ctrl+g"),
		dialog(DialogDraft, "save as a draft", "ctrl+d"),
		dialog(DialogSwap, "other version of the text", "ctrl+z"),
		dialog(DialogNotes, "all notes", "alt+w"),
	}
}

// Leads reports whether a keystroke leads to an action of a dialog. If typing is set, printable
// characters are text and do not, except for the space of DialogMark and LeaderHere.
func (m *Map) Leads(a Name, stroke string, typing bool) bool {
	i := m.find(a)
	return i >= 0 && slices.Contains(m.bindings[i].Keys(), stroke) &&
		(!typing || a == DialogMark || a == LeaderHere || !Printable(stroke))
}

// DialogKey returns the display name of an action's first key in a dialog, "" if it has none there.
func (m *Map) DialogKey(a Name, typing bool) string {
	if i := m.find(a); i >= 0 {
		for _, k := range m.bindings[i].Keys() {
			if m.Leads(a, k, typing) {
				return Label(k)
			}
		}
	}
	return ""
}
