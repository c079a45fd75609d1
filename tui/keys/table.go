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

	PaneUp      Action = "pane-up"
	PaneDown    Action = "pane-down"
	PaneTop     Action = "pane-top"
	PaneBottom  Action = "pane-bottom"
	PaneEnter   Action = "pane-enter"
	PaneRetry   Action = "pane-retry"
	PaneCancel  Action = "pane-cancel"
	PaneAll     Action = "pane-retry-all"
	PanePause   Action = "pane-pause"
	PaneDelete  Action = "pane-delete"
	PaneAgain   Action = "pane-again"
	PaneCopy    Action = "pane-copy"
	PaneAvatar  Action = "pane-avatar"
	PaneSystem  Action = "pane-open"
	PaneEdit    Action = "pane-edit"
	PaneLeft    Action = "pane-left"
	PaneRight   Action = "pane-right"
	PaneDiff    Action = "pane-diff"
	PaneBeside  Action = "pane-beside"
	PaneMerge   Action = "pane-merge"
	PaneRestore Action = "pane-restore"
	PaneSwitch  Action = "pane-switch"
	PaneExam    Action = "pane-exam"
	PaneRepair  Action = "pane-repair"
	PaneRename  Action = "pane-rename"
	PaneBreak   Action = "pane-break"
	PaneFold    Action = "pane-fold"
	PaneJoin    Action = "pane-join"
	PaneRecapIt Action = "pane-recap"
	PaneNow     Action = "pane-due-now"
	PaneFind    Action = "pane-search"

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
	PaneRefill    Action = "pane-refill"

	PaneView1     Action = "pane-view-1"
	PaneView2     Action = "pane-view-2"
	PaneView3     Action = "pane-view-3"
	PaneView4     Action = "pane-view-4"
	PaneMark      Action = "pane-mark"
	PaneMarkRange Action = "pane-mark-range"
	PaneMarkAll   Action = "pane-mark-all"
	PaneOnOff     Action = "pane-on-off"
	PaneConstant  Action = "pane-constant"
	PaneLock      Action = "pane-lock"
	PaneRetype    Action = "pane-retype"
	PaneOrder     Action = "pane-order"
	PaneTitle     Action = "pane-title"
	PaneNewBook   Action = "pane-new-book"
	PaneImport    Action = "pane-import"
	PaneExport    Action = "pane-export"
	PaneHistory   Action = "pane-history"
	PaneWhy       Action = "pane-why"
	PaneTest      Action = "pane-test"
	PaneSource    Action = "pane-source"
	PaneSplit     Action = "pane-split"
	PaneCompact   Action = "pane-compact"
	PaneAccept    Action = "pane-accept"
	PaneReject    Action = "pane-reject"
	PaneTakeHunk  Action = "pane-accept-hunk"
	PaneDropHunk  Action = "pane-reject-hunk"
	PaneFixAll    Action = "pane-fix-all"
	PaneTakeBack  Action = "take-back-lore"
	PaneRaise     Action = "pane-raise"
	PanePlanAll   Action = "pane-plan-all"
	PaneBefore    Action = "pane-before"
	PaneAfter     Action = "pane-after"
)

// order is the order of all actions in the help and the palette, those of one group
// together. An action that is not in it comes last.
var order = strings.Fields("palette leader leader-browse help guide chats characters new-chat personas models pull-model unload-models import export-chat rename-chat author-note profiles settings themes backup " +
	"ask-servers redraw suspend interrupt quit capture capture-asked capture-message capture-video capture-angles capture-series continuity " +
	"workflows send-drafts contact-sheet cast speak page-up page-down captures-pane queue-pane prompt-pane habits-pane samplers-pane regex-pane scenes-pane recap-pane running-recap " +
	"detect-scenes recap-missing rebuild-running-recap memory-exam search-recaps export-recaps import-recaps lore-pane memory-pane knowledge-pane ask-play " +
	"storyboard-pane steer-storyboard taste-pane lore-why lore-inbox lore-lint lore-test lore-fill lore-undo-review take-back-lore " +
	"import-lorebook undo-detected-breaks branches-pane focus-pane close-pane widen-pane narrow-pane zoom-pane send newline browse older-sent newer-sent edit-draft impersonate rewrite write-on whisper nudge beats quick-acts " +
	"quick-replies write select-up select-down first last swipe-left swipe-right edit regenerate continue delete undo-delete rejected correct branch compare-takes copy thinking " +
	"open scene-break scene-recap message-recap scene-fold scene-before scene-after search search-next stop pane-up pane-down pane-top " +
	"pane-bottom pane-enter pane-edit pane-left pane-right pane-diff pane-beside pane-merge pane-restore pane-switch pane-exam pane-repair " +
	"pane-rename pane-break pane-fold pane-join pane-recap pane-due-now pane-search pane-again pane-open pane-avatar pane-copy pane-retry " +
	"pane-retry-all pane-cancel pane-pause pane-delete pane-view-1 pane-view-2 pane-view-3 pane-view-4 pane-mark pane-mark-range pane-mark-all " +
	"pane-on-off pane-constant pane-lock pane-retype pane-order pane-title pane-new-book pane-import pane-export pane-history pane-why pane-test " +
	"pane-source pane-split pane-compact pane-accept pane-reject pane-accept-hunk pane-reject-hunk pane-fix-all pane-raise pane-plan-all " +
	"pane-before pane-after pane-refill director-pane series play-episode choose-episode next-episode automatic-pictures")

func defaults() []Binding {
	return append(thePane(), theLore()...)
}

// The headings of the help.
const (
	HouseGroup   = "General"
	PlayGroup    = "The chat"
	WritingGroup = "Writing"
	MessageGroup = "The selected message"
	PaneGroup    = "The pane"
	EpisodeGroup = "Episodes"
)

func bind(a Action, group, help string, modes Mode, keys ...string) Binding {
	return Binding{Action: a, Help: help, Group: group, Modes: modes, Keys: keys}
}

func hide(v Binding) Binding {
	v.Hidden = true
	return v
}

func thePane() []Binding {
	const pane = "The pane"
	return []Binding{
		hide(bind(PaneUp, pane, "up", Pane, "k", "up")),
		hide(bind(PaneDown, pane, "down", Pane, "j", "down")),
		hide(bind(PaneTop, pane, "first", Pane, "g", "home")),
		hide(bind(PaneBottom, pane, "last", Pane, "G", "end")),
		hide(bind(PaneEnter, pane, "open: edit and send, details, or go to the message", Pane, "enter")),
		hide(bind(PaneEdit, pane, "edit", Pane, "e")),
		hide(bind(PaneLeft, pane, "previous version or variant; storyboard: scene", Pane, "left", "h")),
		hide(bind(PaneRight, pane, "next version or variant; storyboard: scene", Pane, "right", "l")),
		hide(bind(PaneDiff, pane, "what changed; delete a storyboard", Pane, "D")),
		hide(bind(PaneBeside, pane, "side by side; show removed; play the shots", Pane, "v")),
		hide(bind(PaneMerge, pane, "merge: running recap, marked entries, shots", Pane, "m")),
		hide(bind(PaneRestore, pane, "undo; restore the original text", Pane, "u")),
		hide(bind(PaneSwitch, pane, "scene or running recap; episode; taste; character; model", Pane, "t")),
		hide(bind(PaneExam, pane, "test recap recall", Pane, "M")),
		hide(bind(PaneRepair, pane, "new version with the lost facts; fix", Pane, "f")),
		hide(bind(PaneRename, pane, "new: entry, hook, card, shot, preset, picture; advice", Pane, "n")),
		hide(bind(PaneBreak, pane, "remove the scene's break; end the scene", Pane, "b")),
		hide(bind(PaneFold, pane, "show the recap in the chat; fold a lorebook or a scene", Pane, "z")),
		hide(bind(PaneJoin, pane, "join with the previous scene; move a shot, a script down", Pane, "J", "alt+down")),
		hide(bind(PaneRecapIt, pane, "make a recap; sketch the shots", Pane, "c")),
		hide(bind(PaneNow, pane, "hook: due now; apply a script to stored messages", Pane, "!")),
		hide(bind(PaneFind, pane, "filter; search the recaps", Pane, "/")),
		hide(bind(PaneAgain, pane, "instruct a storyboard; style of a recap; go to the scene", Pane, "s")),
		hide(bind(PaneSystem, pane, "open in the picture viewer; nudge with a hook", Pane, "o")),
		hide(bind(PaneAvatar, pane, "set as the character's avatar; ask about the story", Pane, "a")),
		hide(bind(PaneCopy, pane, "copy the prompt", Pane, "y")),
		hide(bind(PaneRetry, pane, "retry; reopen", Pane, "r")),
		hide(bind(PaneAll, pane, "retry all; send all; redo; reset taste", Pane, "R")),
		hide(bind(PaneCancel, pane, "cancel; end a fact, hook or thread; ban a phrase", Pane, "x")),
		hide(bind(PanePause, pane, "pause; pin a memory or reference image; plan next step", Pane, "p")),
		hide(bind(PaneDelete, pane, "delete", Pane, "d")),
	}
}

func theLore() []Binding {
	const lore = "The pane"
	return []Binding{
		hide(bind(PaneView1, lore, "lorebooks: entries; facts; prompt: parts", Pane, "1")),
		hide(bind(PaneView2, lore, "lorebooks: why; memories; prompt: messages", Pane, "2")),
		hide(bind(PaneView3, lore, "lorebooks: inbox; hooks; prompt: changes", Pane, "3")),
		hide(bind(PaneView4, lore, "lorebooks: check results; threads", Pane, "4")),
		hide(bind(PaneMark, lore, "select, or accept or reject a part", Pane, "space", ".")),
		hide(bind(PaneMarkRange, lore, "select from the last selected to here", Pane, "V")),
		hide(bind(PaneMarkAll, lore, "select all, or none", Pane, "*")),
		hide(bind(PaneOnOff, lore, "turn a lorebook, entry or script on or off; mute a memory", Pane, "O")),
		hide(bind(PaneConstant, lore, "correct a fact; constant; complete; confirm", Pane, "C")),
		hide(bind(PaneLock, lore, "lock or unlock an entry", Pane, "L")),
		hide(bind(PaneRetype, lore, "change the type of entries; share a fact", Pane, "T")),
		hide(bind(PaneOrder, lore, "change the order of entries", Pane, "#")),
		hide(bind(PaneTitle, lore, "rename an entry, book, scene, preset; the summary", Pane, "E")),
		hide(bind(PaneNewBook, lore, "new lorebook", Pane, "N")),
		hide(bind(PaneImport, lore, "import a lorebook, a storyboard, regex scripts", Pane, "I")),
		hide(bind(PaneExport, lore, "export the lorebook, pictures, storyboard, script", Pane, "W")),
		hide(bind(PaneHistory, lore, "history of an entry", Pane, "H")),
		hide(bind(PaneWhy, lore, "why it fires; all director results; details; taste used", Pane, "w")),
		hide(bind(PaneTest, lore, "test which entries trigger; test a regex script", Pane, "i")),
		hide(bind(PaneSource, lore, "go to the message it came from", Pane, "S")),
		hide(bind(PaneSplit, lore, "split an entry or a shot", Pane, "%")),
		hide(bind(PaneCompact, lore, "propose a shorter entry", Pane, "Z")),
		hide(bind(PaneAccept, lore, "accept a change; restore; allow a card's scripts", Pane, "A")),
		hide(bind(PaneReject, lore, "reject a change; forbid a card's scripts", Pane, "X")),
		hide(bind(PaneTakeHunk, lore, "accept this part", Pane, ">")),
		hide(bind(PaneDropHunk, lore, "reject this part", Pane, "<")),
		hide(bind(PaneFixAll, lore, "fix everything that can be fixed", Pane, "F")),
		hide(bind(PaneRaise, lore, "move a shot, a regex script up", Pane, "K", "alt+up")),
		hide(bind(PanePlanAll, lore, "storyboard: plan everything", Pane, "P")),
		hide(bind(PaneBefore, lore, "storyboard: previous scene", Pane, "[")),
		hide(bind(PaneAfter, lore, "storyboard: next scene", Pane, "]")),
		hide(bind(PaneRefill, lore, "director: refill the sparks", Pane, "$")),
	}
}
