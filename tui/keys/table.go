package keys

import (
	"strings"
)

// The actions. What each does stands in its binding's words.
const (
	Quit          Action = "quit"
	Interrupt     Action = "interrupt"
	Suspend       Action = "suspend"
	Lock          Action = "lock"
	Palette       Action = "palette"
	Help          Action = "help"
	Guide         Action = "guide"
	Redraw        Action = "redraw"
	Chats         Action = "chats"
	Characters    Action = "characters"
	NewCharacter  Action = "new-character"
	Personas      Action = "personas"
	NewChat       Action = "new-chat"
	ImportFile    Action = "import"
	MoveIn        Action = "move-in"
	MoveReport    Action = "move-report"
	ExportChat    Action = "export-chat"
	Models        Action = "models"
	PullModel     Action = "pull-model"
	UnloadModels  Action = "unload-models"
	Themes        Action = "themes"
	Settings      Action = "settings"
	Retry         Action = "ask-servers"
	AuthorNote    Action = "author-note"
	RenameChat    Action = "rename-chat"
	PaneBranches  Action = "branches-pane"
	CompareTakes  Action = "compare-takes"
	PaneCaptures  Action = "captures-pane"
	PaneQueue     Action = "queue-pane"
	PanePrompt    Action = "prompt-pane"
	PaneScenes    Action = "scenes-pane"
	PaneRecap     Action = "recap-pane"
	PaneRunning   Action = "running-recap"
	PaneMemory    Action = "memory-pane"
	PaneKnowledge Action = "knowledge-pane"
	AskPlay       Action = "ask-play"
	PaneStory     Action = "storyboard-pane"
	SteerStory    Action = "steer-storyboard"
	PaneTaste     Action = "taste-pane"
	PaneHabits    Action = "habits-pane"
	PaneRegex     Action = "regex-pane"
	PaneSamplers  Action = "samplers-pane"
	Voice         Action = "voice"
	PaneClose     Action = "close-pane"
	PaneFocus     Action = "focus-pane"
	PaneWider     Action = "widen-pane"
	PaneNarrower  Action = "narrow-pane"
	PaneZoom      Action = "zoom-pane"
	Leader        Action = "leader"
	LeaderHere    Action = "leader-browse"
	Backup        Action = "backup"
	CopyTo        Action = "save-copy"
	Profiles      Action = "profiles"

	Send        Action = "send"
	Newline     Action = "newline"
	ToBrowse    Action = "browse"
	ToWrite     Action = "write"
	OlderSent   Action = "older-sent"
	NewerSent   Action = "newer-sent"
	EditDraft   Action = "edit-draft"
	Impersonate Action = "impersonate"
	Rewrite     Action = "rewrite"
	WriteOn     Action = "write-on"
	Capture     Action = "capture"
	Ask         Action = "capture-asked"

	CaptureHere   Action = "capture-message"
	CaptureVideo  Action = "capture-video"
	CaptureAngles Action = "capture-angles"
	CaptureSeries Action = "capture-series"
	Continuity    Action = "continuity"
	Workflows     Action = "workflows"
	SendDrafts    Action = "send-drafts"
	ContactSheet  Action = "contact-sheet"

	Cast    Action = "cast"
	Speak   Action = "speak"
	Whisper Action = "whisper"
	Nudge   Action = "nudge"
	Beats   Action = "beats"
	Acts    Action = "quick-acts"
	Quick   Action = "quick-replies"

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
	Redo       Action = "redo"
	Changes    Action = "changes"
	Rejected   Action = "rejected"
	Branch     Action = "branch"
	Copy       Action = "copy"
	Correct    Action = "correct"
	Thinking   Action = "thinking"
	Search     Action = "search"
	SearchNext Action = "search-next"
	StopReply  Action = "stop"
	Open       Action = "open"

	Break        Action = "scene-break"
	SceneRecap   Action = "scene-recap"
	SceneBefore  Action = "scene-before"
	SceneAfter   Action = "scene-after"
	SceneFold    Action = "scene-fold"
	MessageRecap Action = "message-recap"
	UndoDetect   Action = "undo-detected-breaks"
	DetectAll    Action = "detect-scenes"
	StoryClock   Action = "story-clock"
	UndoClock    Action = "undo-story-clock"
	RecapMissing Action = "recap-missing"
	Rebuild      Action = "rebuild-running-recap"
	SearchRecaps Action = "search-recaps"
	ExportRecaps Action = "export-recaps"
	ImportRecaps Action = "import-recaps"
	MemoryExam   Action = "memory-exam"

	PaneUp         Action = "pane-up"
	PaneDown       Action = "pane-down"
	PaneTop        Action = "pane-top"
	PaneBottom     Action = "pane-bottom"
	PaneEnter      Action = "pane-enter"
	PaneRegenerate Action = "pane-regenerate"
	PaneStop       Action = "pane-stop"
	PaneAll        Action = "pane-retry-all"
	PaneDelete     Action = "pane-delete"
	PaneInstruct   Action = "pane-instruct"
	PaneCopy       Action = "pane-copy"
	PaneOutside    Action = "pane-outside"
	PaneEdit       Action = "pane-edit"
	PaneLeft       Action = "pane-left"
	PaneRight      Action = "pane-right"
	PaneDiff       Action = "pane-diff"
	PaneRedo       Action = "pane-redo"
	PaneUndo       Action = "pane-undo"
	PaneNew        Action = "pane-rename"
	PaneFold       Action = "pane-fold"
	PaneJoin       Action = "pane-join"
	PaneFilter     Action = "pane-filter"

	PaneLore   Action = "lore-pane"
	LoreWhy    Action = "lore-why"
	LoreInbox  Action = "lore-inbox"
	LoreLint   Action = "lore-lint"
	LoreTest   Action = "lore-test"
	LoreFill   Action = "lore-fill"
	LoreUndo   Action = "lore-undo-review"
	LoreImport Action = "import-lorebook"

	PaneDirector  Action = "director-pane"
	SeriesList    Action = "series"
	PlayEpisode   Action = "play-episode"
	ChooseEpisode Action = "choose-episode"
	NextEpisode   Action = "next-episode"
	AskPictures   Action = "automatic-pictures"

	PaneView1     Action = "pane-view-1"
	PaneView2     Action = "pane-view-2"
	PaneView3     Action = "pane-view-3"
	PaneView4     Action = "pane-view-4"
	PaneMark      Action = "pane-mark"
	PaneMarkRange Action = "pane-mark-range"
	PaneMarkAll   Action = "pane-mark-all"
	PaneOnOff     Action = "pane-on-off"
	PaneLock      Action = "pane-lock"
	PaneRename    Action = "pane-title"
	PaneSource    Action = "pane-source"
	PaneAccept    Action = "pane-accept"
	PaneReject    Action = "pane-reject"
	PaneTakeBack  Action = "take-back-lore"
)

// order is the order of all actions in the help and the palette, those of one group
// together. An action that is not in it comes last.
var order = strings.Fields("palette leader leader-browse help guide chats characters new-chat personas models pull-model unload-models import export-chat rename-chat author-note profiles settings themes backup " +
	"ask-servers redraw suspend interrupt quit capture capture-asked capture-message capture-video capture-angles capture-series continuity " +
	"workflows send-drafts contact-sheet cast speak page-up page-down captures-pane queue-pane prompt-pane habits-pane samplers-pane regex-pane scenes-pane recap-pane running-recap " +
	"detect-scenes recap-missing rebuild-running-recap memory-exam search-recaps export-recaps import-recaps lore-pane memory-pane knowledge-pane ask-play " +
	"storyboard-pane steer-storyboard taste-pane lore-why lore-inbox lore-lint lore-test lore-fill lore-undo-review take-back-lore " +
	"import-lorebook undo-detected-breaks branches-pane focus-pane close-pane widen-pane narrow-pane zoom-pane send newline browse older-sent newer-sent edit-draft impersonate rewrite write-on whisper nudge beats quick-acts " +
	"quick-replies write select-up select-down first last swipe-left swipe-right edit regenerate continue delete undo-delete redo rejected correct branch compare-takes copy thinking " +
	"open scene-break scene-recap message-recap scene-fold scene-before scene-after search search-next stop pane-up pane-down pane-top " +
	"pane-bottom pane-enter pane-edit pane-left pane-right pane-diff pane-undo " +
	"pane-new pane-fold pane-join pane-filter pane-instruct pane-outside pane-copy pane-regenerate " +
	"pane-retry-all pane-stop pane-delete pane-view-1 pane-view-2 pane-view-3 pane-view-4 pane-mark pane-mark-range pane-mark-all " +
	"pane-on-off pane-lock pane-title " +
	"pane-source pane-accept pane-reject " +
	" director-pane series play-episode choose-episode next-episode automatic-pictures")

// The headings of the help.
const (
	HouseGroup   = "General"
	PlayGroup    = "The chat"
	WritingGroup = "Writing"
	MessageGroup = "The selected message"
	PaneGroup    = "The pane"
	EpisodeGroup = "Episodes"
)

func hide(v Binding) Binding {
	v.Hidden = true
	return v
}

// was adds the name that an action had in config files of earlier versions.
func was(v Binding, name Action) Binding {
	v.Was = []Action{name}
	return v
}

// thePane are the actions that mean the same in all panes that have them.
func thePane() []Binding {
	pane := func(a Action, words string, keys ...string) Binding {
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
