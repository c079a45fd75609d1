package keys

// The actions. What each does stands in its binding's words.
const (
	Quit         Action = "quit"
	Interrupt    Action = "interrupt"
	Suspend      Action = "suspend"
	Palette      Action = "palette"
	Help         Action = "help"
	Redraw       Action = "redraw"
	Chats        Action = "chats"
	Characters   Action = "characters"
	Personas     Action = "personas"
	NewChat      Action = "new-chat"
	ImportFile   Action = "import"
	ExportChat   Action = "export-chat"
	Models       Action = "models"
	PullModel    Action = "pull-model"
	UnloadModels Action = "unload-models"
	Themes       Action = "themes"
	Retry        Action = "ask-servers"
	AuthorNote   Action = "author-note"
	RenameChat   Action = "rename-chat"
	PaneCaptures Action = "captures-pane"
	PaneQueue    Action = "queue-pane"
	PanePrompt   Action = "prompt-pane"
	PaneClose    Action = "close-pane"
	PaneFocus    Action = "focus-pane"

	Send        Action = "send"
	Newline     Action = "newline"
	ToBrowse    Action = "browse"
	ToWrite     Action = "write"
	OlderSent   Action = "older-sent"
	NewerSent   Action = "newer-sent"
	EditDraft   Action = "edit-draft"
	Impersonate Action = "impersonate"
	Capture     Action = "capture"
	Ask         Action = "capture-asked"

	PageUp     Action = "page-up"
	PageDown   Action = "page-down"
	SelectUp   Action = "select-up"
	SelectDown Action = "select-down"
	First      Action = "first"
	Last       Action = "last"
	SwipeLeft  Action = "swipe-left"
	SwipeRight Action = "swipe-right"
	Edit       Action = "edit"
	Regenerate Action = "regenerate"
	Continue   Action = "continue"
	Delete     Action = "delete"
	Undo       Action = "undo-delete"
	Branch     Action = "branch"
	Copy       Action = "copy"
	Thinking   Action = "thinking"
	Search     Action = "search"
	SearchNext Action = "search-next"
	StopReply  Action = "stop"
	Open       Action = "open"

	PaneUp     Action = "pane-up"
	PaneDown   Action = "pane-down"
	PaneTop    Action = "pane-top"
	PaneBottom Action = "pane-bottom"
	PaneEnter  Action = "pane-enter"
	PaneRetry  Action = "pane-retry"
	PaneCancel Action = "pane-cancel"
	PaneAll    Action = "pane-retry-all"
	PanePause  Action = "pane-pause"
	PaneDelete Action = "pane-delete"
	PaneAgain  Action = "pane-again"
	PaneCopy   Action = "pane-copy"
	PaneAvatar Action = "pane-avatar"
	PaneSystem Action = "pane-open"
)

func defaults() []Binding {
	b := func(a Action, group, help string, modes Mode, keys ...string) Binding {
		return Binding{Action: a, Help: help, Group: group, Modes: modes, Keys: keys}
	}
	hide := func(v Binding) Binding { v.Hidden = true; return v }
	const house, play, writing, message, pane = "The house", "The play", "Writing", "The selected message", "The pane"
	return []Binding{
		b(Palette, house, "all commands", Any, "ctrl+p", ":"),
		b(Help, house, "this help", Any, "f1", "?"),
		b(Chats, house, "chats", Any, "ctrl+o"),
		b(Characters, house, "characters", Any, "ctrl+t"),
		b(NewChat, house, "new chat", Any, "ctrl+n"),
		b(Personas, house, "who you play", Any, "f8"),
		b(Models, house, "choose a model", Any, "f6"),
		b(PullModel, house, "download a model", Any),
		b(UnloadModels, house, "unload all models", Any),
		b(ImportFile, house, "import a card or a chat", Any, "f7"),
		b(ExportChat, house, "export this chat", Any),
		b(RenameChat, house, "rename this chat", Any),
		b(AuthorNote, house, "author's note", Any, "f9"),
		b(Themes, house, "choose a theme", Any, "f10"),
		b(Retry, house, "ask the servers again", Any, "f5"),
		b(Redraw, house, "draw the screen anew", Any, "ctrl+l"),
		b(Suspend, house, "suspend", Any, "ctrl+z"),
		b(Interrupt, house, "stop the reply, or quit", Any, "ctrl+c"),
		b(Quit, house, "quit", Any, "ctrl+q"),

		b(Capture, play, "capture the scene", Any, "ctrl+g"),
		b(Ask, play, "picture of something you name", Any),
		hide(b(PageUp, play, "a page up", Any, "pgup")),
		hide(b(PageDown, play, "a page down", Any, "pgdown")),
		b(PaneCaptures, play, "captures pane", Any, "f2"),
		b(PaneQueue, play, "queue pane", Any, "f3"),
		b(PanePrompt, play, "prompt pane: what the model is told", Any, "f4"),
		b(PaneFocus, play, "go to the pane and back", Browse|Pane, "tab"),
		b(PaneClose, play, "close the pane", Any, "alt+x"),

		b(Send, writing, "send", Write, "enter"),
		hide(b(Newline, writing, "new line", Write, "shift+enter", "alt+enter", "ctrl+j")),
		b(ToBrowse, writing, "browse the messages", Any, "esc"),
		hide(b(OlderSent, writing, "what you sent before", Write, "alt+up")),
		hide(b(NewerSent, writing, "what you sent after", Write, "alt+down")),
		b(EditDraft, writing, "write in $EDITOR", Write, "alt+e"),
		b(Impersonate, writing, "let the model write your next line", Write|Browse, "alt+i"),

		b(ToWrite, message, "write", Browse, "i", "enter"),
		hide(b(SelectUp, message, "the message above", Browse, "k", "up")),
		hide(b(SelectDown, message, "the message below", Browse, "j", "down")),
		hide(b(First, message, "the first message", Browse, "g", "home")),
		hide(b(Last, message, "the last message", Browse, "G", "end")),
		b(SwipeLeft, message, "the alternative before", Browse, "left", "h"),
		b(SwipeRight, message, "the next alternative, or a new one", Browse, "right", "l"),
		b(Edit, message, "edit", Browse, "e"),
		b(Regenerate, message, "another reply", Browse, "r"),
		b(Continue, message, "continue the last reply", Browse, "m"),
		b(Delete, message, "delete", Browse, "d"),
		b(Undo, message, "undo the last delete", Browse, "u"),
		b(Branch, message, "branch: go on from here", Browse, "B"),
		b(Copy, message, "copy", Browse, "y"),
		b(Thinking, message, "fold or unfold the thinking", Browse, "t"),
		b(Open, message, "open the picture", Browse, "o"),
		b(Search, message, "search", Browse, "/"),
		hide(b(SearchNext, message, "search further up", Browse, "n")),
		b(StopReply, message, "stop the reply", Browse, "x"),

		hide(b(PaneUp, pane, "up", Pane, "k", "up")),
		hide(b(PaneDown, pane, "down", Pane, "j", "down")),
		hide(b(PaneTop, pane, "first", Pane, "g", "home")),
		hide(b(PaneBottom, pane, "last", Pane, "G", "end")),
		hide(b(PaneEnter, pane, "open: edit and send, or details", Pane, "enter", "e")),
		hide(b(PaneAgain, pane, "send again with a new seed", Pane, "s")),
		hide(b(PaneSystem, pane, "open in the system's viewer", Pane, "o")),
		hide(b(PaneAvatar, pane, "make it the character's avatar", Pane, "a")),
		hide(b(PaneCopy, pane, "copy the prompt", Pane, "y")),
		hide(b(PaneRetry, pane, "retry", Pane, "r")),
		hide(b(PaneAll, pane, "retry all that failed", Pane, "R")),
		hide(b(PaneCancel, pane, "cancel", Pane, "x")),
		hide(b(PanePause, pane, "pause or go on", Pane, "p")),
		hide(b(PaneDelete, pane, "delete", Pane, "d")),
	}
}
