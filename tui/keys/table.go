package keys

import (
	"strings"
)

// The actions. Each one's words in its binding describe it.
const (
	Quit          Name = "quit"
	Interrupt     Name = "interrupt"
	Suspend       Name = "suspend"
	Lock          Name = "lock"
	Palette       Name = "palette"
	Help          Name = "help"
	Guide         Name = "guide"
	Redraw        Name = "redraw"
	Chats         Name = "chats"
	Characters    Name = "characters"
	NewCharacter  Name = "new-character"
	Personas      Name = "personas"
	NewChat       Name = "new-chat"
	ImportFile    Name = "import"
	MoveIn        Name = "move-in"
	MoveReport    Name = "move-report"
	ExportChat    Name = "export-chat"
	Models        Name = "models"
	PullModel     Name = "pull-model"
	UnloadModels  Name = "unload-models"
	Themes        Name = "themes"
	Settings      Name = "settings"
	Retry         Name = "ask-servers"
	AuthorNote    Name = "author-note"
	RenameChat    Name = "rename-chat"
	PaneBranches  Name = "branches-pane"
	CompareTakes  Name = "compare-takes"
	PaneCaptures  Name = "captures-pane"
	PaneQueue     Name = "queue-pane"
	PanePrompt    Name = "prompt-pane"
	PaneScenes    Name = "scenes-pane"
	PaneRecap     Name = "recap-pane"
	PaneRunning   Name = "running-recap"
	PaneMemory    Name = "memory-pane"
	PaneKnowledge Name = "knowledge-pane"
	AskPlay       Name = "ask-play"
	PaneStory     Name = "storyboard-pane"
	SteerStory    Name = "steer-storyboard"
	PaneTaste     Name = "taste-pane"
	PaneHabits    Name = "habits-pane"
	PaneRegex     Name = "regex-pane"
	PaneSamplers  Name = "samplers-pane"
	Voice         Name = "voice"
	PaneClose     Name = "close-pane"
	PaneFocus     Name = "focus-pane"
	PaneWider     Name = "widen-pane"
	PaneNarrower  Name = "narrow-pane"
	PaneZoom      Name = "zoom-pane"
	Leader        Name = "leader"
	LeaderHere    Name = "leader-browse"
	Backup        Name = "backup"
	CopyTo        Name = "save-copy"
	Profiles      Name = "profiles"

	Send        Name = "send"
	Newline     Name = "newline"
	ToBrowse    Name = "browse"
	ToWrite     Name = "write"
	OlderSent   Name = "older-sent"
	NewerSent   Name = "newer-sent"
	EditDraft   Name = "edit-draft"
	Impersonate Name = "impersonate"
	Rewrite     Name = "rewrite"
	WriteOn     Name = "write-on"
	Capture     Name = "capture"
	Ask         Name = "capture-asked"

	CaptureHere   Name = "capture-message"
	CaptureVideo  Name = "capture-video"
	CaptureAngles Name = "capture-angles"
	CaptureSeries Name = "capture-series"
	Continuity    Name = "continuity"
	Workflows     Name = "workflows"
	SendDrafts    Name = "send-drafts"
	ContactSheet  Name = "contact-sheet"

	Cast    Name = "cast"
	Speak   Name = "speak"
	Whisper Name = "whisper"
	Nudge   Name = "nudge"
	Beats   Name = "beats"
	Acts    Name = "quick-acts"
	Quick   Name = "quick-replies"

	PageUp     Name = "page-up"
	PageDown   Name = "page-down"
	SelectUp   Name = "select-up"
	SelectDown Name = "select-down"
	First      Name = "first"
	Last       Name = "last"
	SwipeLeft  Name = "swipe-left"
	SwipeRight Name = "swipe-right"
	Edit       Name = "edit"
	Regenerate Name = "regenerate"
	Continue   Name = "continue"
	Delete     Name = "delete"
	Undo       Name = "undo-delete"
	Redo       Name = "redo"
	Changes    Name = "changes"
	Rejected   Name = "rejected"
	Branch     Name = "branch"
	Copy       Name = "copy"
	Correct    Name = "correct"
	Thinking   Name = "thinking"
	Search     Name = "search"
	SearchNext Name = "search-next"
	StopReply  Name = "stop"
	Open       Name = "open"

	Break            Name = "scene-break"
	SceneRecap       Name = "scene-recap"
	SceneBefore      Name = "scene-before"
	SceneAfter       Name = "scene-after"
	SceneFold        Name = "scene-fold"
	MessageRecap     Name = "message-recap"
	UndoDetect       Name = "undo-detected-breaks"
	DetectAll        Name = "detect-scenes"
	StoryClock       Name = "story-clock"
	UndoClock        Name = "undo-story-clock"
	RecapMissing     Name = "recap-missing"
	Rebuild          Name = "rebuild-running-recap"
	SearchRecaps     Name = "search-recaps"
	ExportRecaps     Name = "export-recaps"
	ImportRecaps     Name = "import-recaps"
	MemoryRecallTest Name = "memory-exam"

	PaneUp         Name = "pane-up"
	PaneDown       Name = "pane-down"
	PaneTop        Name = "pane-top"
	PaneBottom     Name = "pane-bottom"
	PaneEnter      Name = "pane-enter"
	PaneRegenerate Name = "pane-regenerate"
	PaneStop       Name = "pane-stop"
	PaneAll        Name = "pane-retry-all"
	PaneDelete     Name = "pane-delete"
	PaneInstruct   Name = "pane-instruct"
	PaneCopy       Name = "pane-copy"
	PaneOutside    Name = "pane-outside"
	PaneEdit       Name = "pane-edit"
	PaneLeft       Name = "pane-left"
	PaneRight      Name = "pane-right"
	PaneDiff       Name = "pane-diff"
	PaneRedo       Name = "pane-redo"
	PaneUndo       Name = "pane-undo"
	PaneNew        Name = "pane-new"
	PaneFold       Name = "pane-fold"
	PaneJoin       Name = "pane-join"
	PaneFilter     Name = "pane-filter"

	PaneLore   Name = "lore-pane"
	LoreWhy    Name = "lore-why"
	LoreInbox  Name = "lore-inbox"
	LoreLint   Name = "lore-lint"
	LoreTest   Name = "lore-test"
	LoreFill   Name = "lore-fill"
	LoreUndo   Name = "lore-undo-review"
	LoreImport Name = "import-lorebook"

	PaneDirector  Name = "director-pane"
	SeriesList    Name = "series"
	PlayEpisode   Name = "play-episode"
	ChooseEpisode Name = "choose-episode"
	NextEpisode   Name = "next-episode"
	AskPictures   Name = "automatic-pictures"

	PaneView1     Name = "pane-view-1"
	PaneView2     Name = "pane-view-2"
	PaneView3     Name = "pane-view-3"
	PaneView4     Name = "pane-view-4"
	PaneMark      Name = "pane-mark"
	PaneMarkRange Name = "pane-mark-range"
	PaneMarkAll   Name = "pane-mark-all"
	PaneOnOff     Name = "pane-on-off"
	PaneLock      Name = "pane-lock"
	PaneRename    Name = "pane-title"
	PaneSource    Name = "pane-source"
	PaneAccept    Name = "pane-accept"
	PaneReject    Name = "pane-reject"
	PaneTakeBack  Name = "take-back-lore"
)

// order is the order of all actions in the help and the palette, grouped. Actions that are not in
// it come last.
var order = strings.Fields("palette leader leader-browse help guide chats characters new-chat personas models " +
	"pull-model unload-models import export-chat rename-chat author-note profiles settings themes backup ask-servers " +
	"redraw suspend interrupt quit capture capture-asked capture-message capture-video capture-angles capture-series " +
	"continuity workflows send-drafts contact-sheet cast speak page-up page-down captures-pane queue-pane " +
	"prompt-pane habits-pane samplers-pane regex-pane scenes-pane recap-pane running-recap detect-scenes " +
	"recap-missing rebuild-running-recap memory-exam search-recaps export-recaps import-recaps lore-pane memory-pane " +
	"knowledge-pane ask-play storyboard-pane steer-storyboard taste-pane lore-why lore-inbox lore-lint lore-test " +
	"lore-fill lore-undo-review take-back-lore import-lorebook undo-detected-breaks branches-pane focus-pane " +
	"close-pane widen-pane narrow-pane zoom-pane send newline browse older-sent newer-sent edit-draft impersonate " +
	"rewrite write-on whisper nudge beats quick-acts quick-replies write select-up select-down first last swipe-left " +
	"swipe-right edit regenerate continue delete undo-delete redo rejected correct branch compare-takes copy " +
	"thinking open scene-break scene-recap message-recap scene-fold scene-before scene-after search search-next stop " +
	"pane-up pane-down pane-top pane-bottom pane-enter pane-edit pane-left pane-right pane-diff pane-undo pane-new " +
	"pane-fold pane-join pane-filter pane-instruct pane-outside pane-copy pane-regenerate pane-retry-all pane-stop " +
	"pane-delete pane-view-1 pane-view-2 pane-view-3 pane-view-4 pane-mark pane-mark-range pane-mark-all pane-on-off " +
	"pane-lock pane-title pane-source pane-accept pane-reject  director-pane series play-episode choose-episode " +
	"next-episode automatic-pictures")

// The headings of the help.
const (
	GeneralGroup = "General"
	PlayGroup    = "The chat"
	WritingGroup = "Writing"
	MessageGroup = "The selected message"
	PaneGroup    = "The pane"
	EpisodeGroup = "Episodes"
	DialogGroup  = "In dialogs"
)

func hide(v Binding) Binding {
	v.Hidden = true
	return v
}

// was adds a binding's name in config files of earlier versions.
func was(v Binding, name Name) Binding {
	v.OldNames = []Name{name}
	return v
}

// thePane returns the actions that mean the same in all panes.
func thePane() []Binding {
	pane := func(a Name, words string, keys ...string) Binding {
		return hide(NewBinding(a, PaneGroup, words, Pane, keys...))
	}
	return []Binding{
		pane(PaneUp, "up", "k", "up"),
		pane(PaneDown, "down", "j", "down"),
		pane(PaneTop, "first", "g", "home"),
		pane(PaneBottom, "last", "G", "end"),
		pane(PaneLeft, "previous", "left", "h"),
		pane(PaneRight, "next", "right", "l"),
		pane(PaneEnter, "open", "enter"),
		was(pane(PaneNew, "new", "n"), "pane-rename"),
		pane(PaneEdit, "edit", "e"),
		pane(PaneRename, "rename", "E"),
		pane(PaneDelete, "delete", "d"),
		was(pane(PaneUndo, "undo", "u"), "pane-restore"),
		pane(PaneRedo, "redo", "U"),
		was(pane(PaneRegenerate, "do it again", "r"), "pane-retry"),
		was(pane(PaneAll, "do all again", "R"), "pane-fix-all"),
		was(pane(PaneInstruct, "again, with an instruction", "s"), "pane-again"),
		was(pane(PaneStop, "stop or end it", "x"), "pane-cancel"),
		pane(PaneMark, "select", "space", "."),
		pane(PaneMarkRange, "select from the last selected to here", "V"),
		pane(PaneMarkAll, "select all, or none", "*"),
		was(pane(PaneFilter, "filter or search", "/"), "pane-search"),
		pane(PaneCopy, "copy", "y"),
		pane(PaneSource, "go to the message it came from", "S"),
		was(pane(PaneOutside, "open in another program", "o"), "pane-open"),
		pane(PaneOnOff, "turn on or off", "O"),
		pane(PaneLock, "keep as it is: lock or pin", "L"),
		pane(PaneFold, "fold or unfold", "z"),
		pane(PaneJoin, "join", "J"),
		pane(PaneDiff, "what changed", "D"),
		pane(PaneAccept, "accept", "A"),
		pane(PaneReject, "reject", "X"),
		pane(PaneView1, "first view", "1"),
		pane(PaneView2, "second view", "2"),
		pane(PaneView3, "third view", "3"),
		pane(PaneView4, "fourth view", "4"),
	}
}
