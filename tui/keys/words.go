package keys

// about has an entry for each action that the palette offers.
var about = map[Name]About{
	Send:    {SystemPlay, "s", "say, post, submit, enter, reply to it", "send CHAT TEXT"},
	ToWrite: {SystemPlay, "w", "type, compose, input, composer, text box, message box", ""},
	ToBrowse: {SystemPlay, "b",
		"select a message, scroll, history, read back, navigate, cursor, vim normal mode", ""},
	EditDraft: {SystemPlay, "e", "external editor, vim, nano, long text, compose", ""},
	OlderSent: {SystemPlay, "o", "previous input, input history, recall", ""},
	NewerSent: {SystemPlay, "", "next input, input history, recall", ""},
	Impersonate: {SystemPlay, "i",
		"write for me, ghostwrite, speak for me, write as user, play me, autopilot, auto reply, suggest a reply, " +
			"suggestion", "chat impersonate CHAT"},
	Rewrite: {SystemPlay, "r",
		"rephrase, reword, edit with ai, shorten, expand, improve, polish, fix grammar, change tense, selection, " +
			"inline edit, passage, correct spelling", "chat rewrite CHAT MESSAGE"},
	WriteOn: {SystemPlay, "g",
		"complete, autocomplete, finish my sentence, continue here, continue at cursor, insert, co-write",
		"chat write-on CHAT MESSAGE"},
	Whisper: {SystemPlay, "h",
		"secret, private message, aside, dm, who hears, only to one character, hide from", ""},
	Nudge: {SystemPlay, "n",
		"ooc, out of character, instruction, instruct, steer, guide the reply, direct, system message, sys, hint, " +
			"guided generation, jailbreak once, narrate", "send CHAT TEXT"},
	Beats: {SystemPlay, "d",
		"guided reply, guided generation, what happens next, plot, suggestions, suggest, choices, options, " +
			"choose your own adventure, cyoa, steer, direct, story beats, next beat, ideas, twist, guide the reply, " +
			"stepped", "chat beats CHAT"},
	Acts: {SystemPlay, "y",
		"shorter, slower, longer, faster, pacing, more dialogue, more speech, more action, darker, lighter, tone, " +
			"length, too long, too short, verbose, guided swipe, retake with, style of the reply, plain words",
		"chat steer CHAT --act shorter"},
	Quick: {SystemPlay, "q",
		"qr, quick reply, canned, macro, snippet, shortcuts, slash command, buttons, phrases", ""},
	Cast: {SystemPlay, "c",
		"group chat, group, members, participants, add character, mute, unmute, talkativeness, turn order, " +
			"who is here, multiple characters, npc, narrator, party, second character, auto mode, join",
		"chat cast CHAT"},
	Speak: {SystemPlay, "k",
		"narrator, voice, trigger, force reply, let them talk, next speaker, make someone talk, as character, group",
		"chat speak CHAT CHARACTER"},
	Continue: {SystemPlay, "m",
		"go on, keep going, extend, longer, more, finish the sentence, carry on, cut off, unfinished",
		"chat continue CHAT"},
	StopReply: {SystemPlay, "x", "abort, cancel generation, halt, interrupt, stop generating, break off", ""},
	AuthorNote: {SystemPlay, "a",
		"authors note, an, note, style, tone, jailbreak, jb, system prompt, post history instructions, instructions, " +
			"writing style, depth prompt, prompt injection, permanent instruction, genre", "chat note CHAT"},
	PanePrompt: {SystemPlay, "p",
		"context, context size, token count, tokens, token usage, itemization, itemized, system prompt, main prompt, " +
			"prompt inspector, raw prompt, request, what is sent, budget, window, jailbreak, prompt manager, " +
			"context length, full, memory full, debug", "prompt CHAT"},
	PaneSamplers: {SystemPlay, "j",
		"temperature, min_p, top_p, top_k, sampling, sampler settings, generation settings, presets, parameters, " +
			"repetition penalty, creativity, creative, randomness, seed, dry, xtc, mirostat, banned strings, " +
			"sillytavern preset", "preset use PRESET CHAT"},
	PaneRegex: {SystemPlay, "u",
		"regex, regexp, regular expressions, find and replace, filter, hide tags, strip, clean up, replace text, " +
			"substitute, scripts, censor, status block, html", "regex list CHAT"},
	PaneHabits: {SystemPlay, "t",
		"slop, gptisms, repetition, repeats itself, cliches, purple prose, overused phrases, ban phrases, " +
			"banned strings, same openings, style, statistics, tics", "chat habits CHAT"},
	Voice: {SystemPlay, "l",
		"phrases, slop, banned strings, watch, filter, reply length, short replies, language of replies, " +
			"backtracking, antislop, style, per chat", "voice set CHAT NAME VALUE"},
	Search: {SystemPlay, "f",
		"find, find in chat, grep, look for, search messages, search history, where was, ctrl f, search lorebook, " +
			"search memories, find everywhere", "chat search TEXT"},
	PaneFocus:    {SystemPlay, "v", "focus, other window, switch window, sidebar, go to the pane", ""},
	PaneClose:    {SystemPlay, "z", "hide sidebar, close panel, close window, full width", ""},
	PaneWider:    {SystemPlay, "", "resize, bigger, enlarge, widen, sidebar width, panel size", ""},
	PaneNarrower: {SystemPlay, "", "resize, smaller, shrink, sidebar width, panel size", ""},
	PaneZoom:     {SystemPlay, "", "fullscreen, full screen, maximize, maximise, whole screen", ""},

	SwipeLeft: {SystemMessage, "h",
		"swipe, back, previous swipe, alternate, alternative greeting, variants, last version", "chat swipe CHAT"},
	SwipeRight: {SystemMessage, "l",
		"swipe, reroll, next swipe, alternate, alternative greeting, greeting, first message, variants, " +
			"another version, candidates", "chat swipe CHAT"},
	Edit: {SystemMessage, "e",
		"change, edit message, fix, rewrite, modify, correct text, typo, pencil", "chat edit CHAT MESSAGE TEXT"},
	Regenerate: {SystemMessage, "r",
		"regenerate, reroll, retry, again, redo, regen, roll again, new response, try again, different answer, resend",
		"chat regenerate CHAT"},
	Delete: {SystemMessage, "d",
		"remove, delete message, erase, cut, trash, del, hide message", "chat remove CHAT MESSAGE"},
	Undo: {SystemMessage, "u", "undo, restore, bring back, revert, oops, undelete, recover", "chat undo CHAT"},
	Redo: {SystemMessage, "a", "do again, undo the undo, bring the change back", "chat undo CHAT --redo"},
	Changes: {SystemMessage, "k",
		"history, edit history, earlier text, previous versions, original text, revert edit, undo list, redo, " +
			"changelog, what did I change", "chat undo CHAT --list"},
	Rejected: {SystemMessage, "x",
		"banned, banned strings, slop, antislop, backtrack, allow phrase, unban, what was cut, filtered, censored",
		"voice show CHAT"},
	Branch: {SystemMessage, "b",
		"fork, checkpoint, bookmark, save point, what if, alternate timeline, rewind, go back, clone, " +
			"duplicate chat, split, save state, new path", "chat branch CHAT MESSAGE"},
	Copy: {SystemMessage, "y", "clipboard, yank, copy message, copy text", ""},
	PaneBranches: {SystemMessage, "m",
		"tree, branches, timeline, timelines, forks, checkpoints, bookmarks, branch map, alternate timelines, graph, " +
			"go back to a branch", "chat branches CHAT"},
	CompareTakes: {SystemMessage, "v",
		"diff, side by side, compare swipes, merge swipes, combine, swipe list, all swipes, stitch",
		"chat stitch CHAT MESSAGE TEXT"},
	Thinking: {SystemMessage, "t", "reasoning, think, cot, chain of thought, thoughts, collapse, deepseek", ""},
	Correct: {SystemMessage, "c",
		"mistake, wrong, contradiction, continuity error, retcon, rename everywhere, replace, find and replace, " +
			"fix fact, inconsistent", "correct CHAT"},
	Open: {SystemMessage, "o", "view image, full size, open image, zoom, viewer, picture", "capture open ID"},
	CaptureHere: {SystemPictures, "m",
		"illustrate this message, image of this message, picture here, paint this, sd, imagine", "capture prompt CHAT"},

	PaneScenes: {SystemScenes, "s",
		"chapters, chapter, acts, timeline, outline, table of contents, sections, story structure, list of scenes",
		"scene list CHAT"},
	PaneRecap: {SystemScenes, "r",
		"summary, summarize, summarise, synopsis, recap, chapter summary", "scene recap CHAT"},
	PaneRunning: {SystemScenes, "o",
		"summary, summarize, long term memory, summary of everything, previously on, tldr, story summary, " +
			"rolling summary, memory", "scene running CHAT"},
	DetectAll: {SystemScenes, "d",
		"detect scenes, split into chapters, auto chapters, segment, scene detection, divide", "scene detect CHAT"},
	RecapMissing: {SystemScenes, "m",
		"summarize all, summarise all, summarize everything, summaries, bulk, batch summary", "scene recap CHAT"},
	Rebuild: {SystemScenes, "e",
		"redo summary, summarize again, regenerate summary, refresh, remake", "scene running CHAT"},
	MemoryRecallTest: {SystemScenes, "q",
		"quiz, test memory, check memory, what is lost, what did it forget, recall test", "scene recall-test CHAT N"},
	SearchRecaps: {SystemScenes, "f",
		"find in summary, search summary, search chapters, look up", "scene search CHAT TEXT"},
	ExportRecaps: {SystemScenes, "x", "save summary, download summary, write to file", "scene export CHAT"},
	ImportRecaps: {SystemScenes, "i", "load summary, read summary from a file", "scene import CHAT FILE"},
	StoryClock: {SystemScenes, "t",
		"clock, date, day, calendar, time skip, timeline, hour, night, morning, season, in world time, current time, " +
			"skip ahead", "clock CHAT"},
	UndoClock: {SystemScenes, "y", "undo clock, undo date, reset time", "clock CHAT --undo"},
	UndoDetect: {SystemScenes, "u",
		"undo chapters, remove scenes, undo scene detection, merge scenes", "scene unbreak CHAT MESSAGE"},
	Break: {SystemScenes, "b",
		"chapter, new chapter, new scene, next scene, scene change, end chapter, bookmark, mark, split here, cut, " +
			"time skip, divider", "scene break CHAT MESSAGE"},
	SceneRecap: {SystemScenes, "g",
		"summarize, summarise, summary, make a summary, generate summary, summarize this chapter",
		"scene recap CHAT N"},
	MessageRecap: {SystemScenes, "a",
		"summarize message, short version, summary of a message, message summary, qvink", "scene message CHAT MESSAGE"},
	SceneFold:   {SystemScenes, "z", "collapse, expand, hide summary, show summary, unfold", ""},
	SceneBefore: {SystemScenes, "h", "previous scene, previous chapter, jump back, scene start", ""},
	SceneAfter:  {SystemScenes, "l", "next chapter, jump forward", ""},

	PaneLore: {SystemLore, "l",
		"world info, wi, lorebook, lorebooks, world, worldbuilding, lore, encyclopedia, codex, keywords, entries, " +
			"entry, locations, setting, background, knowledge base, data bank", "lore list CHAT"},
	LoreWhy: {SystemLore, "w",
		"triggered, active entries, activated, activation, which entries, scan, trigger, why was it added, " +
			"world info active", "lore activate CHAT"},
	LoreInbox: {SystemLore, "i",
		"review, inbox, pending, approve, proposals, suggestions, changes, accept", "lore inbox CHAT"},
	LoreLint: {SystemLore, "c",
		"lint, validate, problems, duplicates, quality, errors in world info, clean up", "lore lint BOOK"},
	LoreTest: {SystemLore, "t",
		"test keywords, test triggers, simulate, dry run, keys, regex", "lore test --text FILE"},
	LoreFill: {SystemLore, "f",
		"auto lorebook, generate lorebook, generate entries, make world info, build lorebook, memory books, learn, " +
			"extract", "lore fill CHAT"},
	LoreUndo:     {SystemLore, "u", "undo review, undo accept, undo reject", "lore reconsider"},
	PaneTakeBack: {SystemLore, "b", "unlearn, forget lore, revert lorebook, undo fill", "lore undo-changes CHAT SCENE"},
	LoreImport: {SystemLore, "n",
		"import world info, load lorebook, import world, add lorebook, open lorebook file", "lore import FILE"},

	PaneMemory: {SystemKnowledge, "m",
		"memory, remember, vectors, vector storage, rag, long term memory, ltm, embeddings, memory bank, " +
			"summary of facts, quests, goals, plot hooks, foreshadowing, to do, promises, plot threads, loose ends, " +
			"smart context, chroma", "memory list CHAT"},
	PaneKnowledge: {SystemKnowledge, "k",
		"facts, knowledge, secrets, who knows what, relationships, relationship, characters know, wiki, canon, " +
			"state, stats, inventory, tracker, data bank, injuries, vectors", "knows CHAT"},
	AskPlay: {SystemKnowledge, "a",
		"question, ooc, out of character, ask, query, what happened, ask the story, ask the narrator, assistant, " +
			"chat with the ai, talk to the model", "ask CHAT QUESTION"},

	PaneDirector: {SystemDirector, "d",
		"plot, beats, pacing, dungeon master, game master, gm, dm, arc, objective, objectives, story progress, " +
			"autopilot, episode progress", "director show CHAT"},
	SeriesList: {SystemDirector, "s",
		"campaign, seasons, story arcs, adventures, scenarios, scenario, plot, season, adventure, outline",
		"series list"},
	PlayEpisode: {SystemDirector, "p",
		"start scenario, start adventure, new episode, scenario, play campaign, begin", "episode play EPISODE"},
	ChooseEpisode: {SystemDirector, "c",
		"scenario, set episode, attach episode, change episode, assign", "episode set CHAT EPISODE"},
	NextEpisode: {SystemDirector, "n",
		"continue series, sequel, next chapter, next part, advance", "episode next CHAT"},
	AskPictures: {SystemDirector, "a",
		"auto images, auto illustrate, auto generate images, automatic image, auto picture, interactive mode",
		"director allow CHAT"},

	Capture: {SystemPictures, "c",
		"image, picture, photo, illustrate, paint, draw, generate image, imagine, sd, stable diffusion, comfyui, " +
			"selfie, screenshot, snapshot, img, render, background, scene image, art, flux, sdxl",
		"capture prompt CHAT"},
	Ask: {SystemPictures, "n",
		"portrait, draw something, free prompt, custom image, image prompt, avatar, face, character image, image of, " +
			"picture of, selfie, background", "capture prompt CHAT"},
	CaptureVideo: {SystemPictures, "v",
		"movie, animate, animation, clip, film, gif, wan, motion", "capture prompt CHAT"},
	CaptureAngles: {SystemPictures, "a",
		"camera, perspective, viewpoints, multiple images, shots, close up, batch", "capture angles CHAT"},
	CaptureSeries: {SystemPictures, "s",
		"batch images, many images, illustrate the chat, illustrate everything, picture book, bulk",
		"capture series CHAT"},
	Continuity: {SystemPictures, "y",
		"consistency, consistent character, appearance, clothes, outfit, looks, prompt prefix, character prompt, " +
			"wardrobe, hair, visual, same face", "capture continuity list CHAT"},
	Workflows: {SystemPictures, "w",
		"comfyui, comfy, lora, checkpoint model, image settings, image model, nodes, resolution, steps, " +
			"negative prompt, image generation settings, sd settings, sampler of images", "workflow list"},
	SendDrafts: {SystemPictures, "d",
		"drafts, pending images, submit, render all, waiting pictures, unsent", "capture drafts CHAT"},
	ContactSheet: {SystemPictures, "t",
		"collage, overview, print, album, thumbnails, export images", "capture sheet CHAT FILE"},
	PaneCaptures: {SystemPictures, "g",
		"images, pictures, photos, gallery, album, image history, see images, portraits", "capture gallery CHAT"},

	"gallery-compare": {SystemPictures, "b", "variants, side by side, versions, seeds, choose the best picture", ""},
	"gallery-why": {SystemPictures, "i",
		"info, details, metadata, parameters, seed, prompt of the picture, why", "capture show ID"},
	"gallery-export": {SystemPictures, "e",
		"save picture, save image, download, write files, png", "capture export ID"},
	"gallery-avatar": {SystemPictures, "p",
		"portrait, profile picture, face of the character, use as avatar", "capture avatar ID"},

	PaneStory: {SystemBoards, "b",
		"shots, panels, comic, film, plan pictures, comic strip, storyboard, shot list", "storyboard show CHAT SCENE"},
	SteerStory: {SystemBoards, "s",
		"change storyboard, instruct storyboard, direct, change shots, ask for a shot",
		"storyboard steer CHAT SCENE TEXT"},

	"storyboard-plan": {SystemBoards, "p",
		"next planning step, key beats, filler, budget", "storyboard plan CHAT SCENE"},
	"storyboard-plan-all": {SystemBoards, "P",
		"whole plan, generate storyboard, everything at once", "storyboard plan CHAT SCENE --all"},
	"storyboard-confirm": {SystemBoards, "C",
		"approve shots, finish the plan, ready", "storyboard confirm CHAT SCENE"},
	"storyboard-sketch": {SystemBoards, "c",
		"draw the shots, render shots, storyboard pictures", "storyboard sketch CHAT SCENE"},
	"storyboard-play": {SystemBoards, "v",
		"animatic, preview the film, slideshow", "storyboard animatic CHAT SCENE --out FILE"},
	"storyboard-why": {SystemBoards, "w",
		"tool calls, log of changes, taste profile sent", "storyboard used CHAT SCENE"},
	"storyboard-up":     {SystemBoards, "k", "reorder shots, shot earlier", "storyboard move CHAT SCENE SHOT"},
	"storyboard-down":   {SystemBoards, "j", "reorder shots, shot later", "storyboard move CHAT SCENE SHOT"},
	"storyboard-split":  {SystemBoards, "t", "divide a shot, cut a shot in two", "storyboard split CHAT SCENE SHOT"},
	"storyboard-before": {SystemBoards, "h", "previous storyboard", ""},
	"storyboard-after":  {SystemBoards, "l", "following storyboard", ""},
	"storyboard-export": {SystemBoards, "e",
		"save storyboard, shots as html, markdown, json, gif", "storyboard export CHAT SCENE FILE"},
	"storyboard-import": {SystemBoards, "i",
		"load storyboard, shots from a file", "storyboard import CHAT SCENE FILE"},
	"storyboard-delete": {SystemBoards, "d",
		"remove storyboard, start the plan over", "storyboard delete CHAT SCENE"},

	PaneTaste: {SystemTaste, "t",
		"preferences, learn, likes, dislikes, preference, learnt about me, style, feedback, profile of me",
		"taste show CHAT"},

	Chats: {SystemLibrary, "o",
		"open chat, switch chat, chat history, load chat, past chats, manage chats, old chats, conversations, " +
			"stories, saves, sessions, delete chat, recent chats", "chat list"},
	Characters: {SystemLibrary, "c",
		"character card, cards, bots, bot, character list, avatar, character editor, description, personality, " +
			"greeting, first message, example dialogue, tags, create character, delete character, npc, " +
			"who to play with, jailbreak, portrait, character book", "character list"},
	NewCharacter: {SystemLibrary, "w",
		"create character, write a character, character creator, make a bot, new card, own character, oc",
		"character new NAME"},
	NewChat: {SystemLibrary, "n",
		"start, new story, new conversation, start over, begin, restart, new game, fresh, reset chat",
		"chat new --character C"},
	Personas: {SystemLibrary, "p",
		"persona, user, my name, my character, me, user name, username, user description, who am i, " +
			"player character, pc, switch persona, profile, self", "persona list"},
	ImportFile: {SystemLibrary, "i",
		"load, upload, import character, import chat, add character, png, json, charx, chub, sillytavern, tavern, " +
			"migrate, open file, jsonl, character card, new character, janitor", "character import FILE"},
	MoveIn: {SystemLibrary, "m",
		"move in, sillytavern, tavern, migrate, migration, transfer, import all, import folder, import everything, " +
			"backup zip, data folder, switch from, bulk import, restore backup", "move-in PATH"},
	MoveReport: {SystemLibrary, "M",
		"what was left out, report of the import, moved in, not imported, missing files", "move-in --report"},
	ExportChat: {SystemLibrary, "x",
		"export, save chat, download, backup chat, save as, markdown, jsonl, share, print, save", "chat export CHAT"},
	RenameChat: {SystemLibrary, "r", "title, chat name, name chat, retitle", "chat rename CHAT TITLE"},

	Models: {SystemGeneral, "m",
		"model, llm, ollama, api, backend, switch model, change model, ai, gguf, which model, connect, connection, " +
			"provider, language model, loader", "model list"},
	PullModel: {SystemGeneral, "d",
		"pull, install model, get model, add model, huggingface, hf, fetch, ollama pull", "model pull NAME"},
	UnloadModels: {SystemGeneral, "u", "free vram, vram, free memory, gpu, eject, ram, offload", "model unload"},
	Profiles: {SystemGeneral, "p",
		"sampler, preset, presets, api, connection, instruct, advanced formatting, ai response configuration, " +
			"background model, cheaper model", "profile list"},
	Settings: {SystemGeneral, ",",
		"config, configuration, config file, preferences, options, settings, temperature, sampling, samplers, " +
			"sampler, parameters, top p, top k, min p, repetition penalty, max tokens, response length, " +
			"reply length, num ctx, context size, context length, seed, generation settings, creativity, dry, xtc, " +
			"per chat, per model, defaults, toml", "config list"},
	Themes: {SystemGeneral, "t",
		"theme, colours, colors, color, appearance, dark mode, light mode, dark, light, skin, look, style, ui, " +
			"contrast, background, font colour", "--theme NAME"},
	Backup: {SystemGeneral, "b",
		"back up, save everything, snapshot, safety copy, archive, export everything, restore point, data", "backup"},
	CopyTo: {SystemGeneral, "c",
		"save elsewhere, rescue, data file gone, copy data file, save as, save to usb, take along", "backup --to FILE"},
	Retry: {SystemGeneral, "a",
		"reconnect, connect, connection, server, offline, status, ping, ollama, comfyui, api, refresh, online",
		"doctor"},
	PaneQueue: {SystemGeneral, "j",
		"jobs, tasks, background, progress, pause, operations, what is running, pending, work, failed, errors, " +
			"retry failed, cancel", "queue list"},
	Help: {SystemGeneral, "k",
		"hotkeys, shortcuts, keyboard, keys, keybindings, help, what can i do, cheat sheet, controls, bindings", ""},
	Guide: {SystemGeneral, "g",
		"documentation, docs, manual, tutorial, how to, help, handbook, wiki, faq, getting started", "help"},
	Redraw: {SystemGeneral, "l", "repaint, refresh, garbled, screen broken, clear screen, glitch", ""},
	Lock: {SystemGeneral, "x",
		"lock, lock screen, passphrase, password, private, hide, hide everything, away, boss key, idle, encryption",
		""},
	Suspend:   {SystemGeneral, "z", "background, shell, job control, sleep, minimize", ""},
	Interrupt: {SystemGeneral, "s", "abort, cancel, halt, interrupt, break", ""},
	Quit:      {SystemGeneral, "q", "exit, leave, close, logout, bye, end", ""},
}
