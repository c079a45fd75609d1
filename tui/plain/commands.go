package plain

import (
	"context"
	"errors"
	"strings"
)

// command is a slash command with its help and its effect.
type command struct {
	name, arg, words string
	// do runs the command itself; text is the rest of the line.
	do func(s *session, ctx context.Context, text string)
	// program is the program's command that runs instead of do. A "." in it is the open chat. The
	// rest of the line follows as arguments, or as one argument if whole is set.
	program []string
	whole   bool
}

// group is a part of /help.
type group struct {
	title    string
	commands []command
}

// table returns all commands. Help and the guide are derived from it.
func table() []group {
	return []group{
		{"Chat", []command{
			{name: "again", words: "regenerate the last reply", do: again},
			{name: "takes", words: "list the swipes of the last reply", do: takes},
			{name: "take", arg: "N", words: "go to swipe N of the last reply", do: take},
			{name: "continue", words: "continue the last reply", do: goOn},
			{name: "speak", arg: "NAME", words: "make a character speak", do: speak},
			{name: "nudge", arg: "TEXT", words: "instruction TEXT for the next reply, not saved", do: nudge},
			{name: "beats", arg: "[ABOUT]", words: "suggest what may happen in the next reply, and choose or write one",
				do: beats},
			{name: "act", arg: "[NAME]", words: "list quick acts, or set them for the next reply: /act shorter, " +
				"plainer; /act none clears them", do: act},
			{name: "suggest", arg: "[OUTLINE]",
				words: "suggest a message for you, optionally from an outline; not saved", do: suggest},
			{name: "say", arg: "[TEXT]", words: "send TEXT, or the suggested message", do: say},
			{name: "read", arg: "[N]", words: "show the last N messages", do: read},
			{name: "edit", arg: "N", words: "edit message N; without N the last one", do: edit},
			{name: "delete", arg: "N", words: "delete message N; without N the last one", do: remove},
			{name: "undo", words: "undo the last change: an edit, a deletion, a branch", do: undo},
			{name: "redo", words: "redo the last undone change", program: []string{"chat", "undo", ".", "--redo"}},
			{name: "changes", words: "edit history, newest first", program: []string{"chat", "undo", ".", "--list"}},
			{name: "restore", arg: "N", words: "restore the text that change N removed",
				program: []string{"chat", "undo", ".", "--restore"}},
			{name: "branch", arg: "N", words: "branch from message N", program: []string{"chat", "branch", "."}},
			{name: "end", words: "end the scene here", program: []string{"scene", "break", ".", "last"}},
			{name: "note", arg: "[TEXT]", words: "show or set the author's note",
				program: []string{"chat", "note", "."}, whole: true},
		}},
		{"Chats and people", []command{
			{name: "chats", words: "list the chats", do: listChats},
			{name: "open", arg: "N", words: "open chat N of the list, or one by its title", do: openChat},
			{name: "new", arg: "[NAME]", words: "start a chat with a character", do: newChat},
			{name: "characters", words: "list the characters", program: []string{"character", "list"}},
			{name: "cast", words: "characters in this chat", program: []string{"chat", "cast", "."}},
			{name: "persona", arg: "[NAME]", words: "list personas, or use NAME", do: persona},
			{name: "model", arg: "[NAME]", words: "list the models, or use NAME in this chat", do: model},
		}},
		{"Memory", []command{
			{name: "scenes", words: "list the scenes", program: []string{"scene", "list", "."}},
			{name: "recap", arg: "[N]", words: "the recap of scene N, created if missing; without N the running recap",
				do: recap},
			{name: "knows", arg: "[SUBJECT]", words: "list the facts", program: []string{"knows", "."}, whole: true},
			{name: "ask", arg: "QUESTION", words: "ask about the story, out of character",
				program: []string{"ask", "."}, whole: true},
			{name: "memory", words: "list the memories", program: []string{"memory", "list", "."}},
			{name: "hooks", words: "list the hooks", program: []string{"hooks", "list", "."}},
			{name: "lore", words: "list the entries of the lorebooks",
				program: []string{"lore", "list", ".", "--entries"}},
			{name: "fired", words: "active lorebook entries, and why", program: []string{"lore", "activate", "."}},
			{name: "search", arg: "TEXT", words: "find messages in all chats", program: []string{"chat", "search"},
				whole: true},
		}},
		{"Director, pictures, queue", []command{
			{name: "stage", words: "state of the episode, and director results",
				program: []string{"director", "show", "."}},
			{name: "series", words: "list the series; /do episode list has their episodes",
				program: []string{"series", "list"}},
			{name: "pictures", words: "list the pictures", program: []string{"capture", "list", "."}},
			{name: "capture", words: "write a prompt for a picture of this scene",
				program: []string{"capture", "prompt", "."}},
			{name: "paint", arg: "#N", words: "send picture N of the list to ComfyUI",
				program: []string{"capture", "send"}},
			{name: "prompt", words: "show the next prompt", program: []string{"prompt", "."}},
			{name: "queue", words: "list the background work", program: []string{"queue", "list"}},
		}},
		{"General", []command{
			{name: "settings", words: "the current settings as a config file", program: []string{"config", "show"}},
			{name: "doctor", words: "check that everything works", program: []string{"doctor"}},
			{name: "guide", arg: "[PAGE]", words: "list the guide pages, or read one",
				program: []string{"help", "guide"}},
			{name: "do", arg: "COMMAND", words: "any command; . is this chat, #N is number N of the last list",
				do: doProgram},
			{name: "demo", words: "start the demo without a model", do: startDemo},
			{name: "help", arg: "[COMMAND]", words: "this list, or help on one command", do: help},
			{name: "quit", words: "leave", do: func(s *session, _ context.Context, _ string) { s.over = true }},
		}},
	}
}

// EachCommand calls each for every command, as the guide lists them: the title of its group, the
// command and its description.
func EachCommand(each func(title, command, words string)) {
	for _, g := range table() {
		for _, c := range g.commands {
			each(g.title, strings.TrimSpace("/"+c.name+" "+c.arg), c.words)
		}
	}
}

// find returns the command with a name, or the only one that begins with it. near lists the
// commands that begin with it.
func find(name string) (c command, near []string) {
	for _, g := range table() {
		for _, have := range g.commands {
			if have.name == name {
				return have, nil
			}
			if name != "" && strings.HasPrefix(have.name, name) {
				c, near = have, append(near, "/"+have.name)
			}
		}
	}
	if len(near) == 1 {
		return c, nil
	}
	return command{}, near
}

// command runs a slash command.
func (s *session) command(ctx context.Context, name, text string) {
	c, near := find(name)
	switch {
	case len(near) > 1:
		s.out.line("This can be " + strings.Join(near, ", ") + ".")
	case c.name == "":
		s.out.line("Unknown command /" + name +
			"; /help lists the commands. Start a message with // to begin it with a slash.")
	case c.do != nil:
		c.do(s, ctx, text)
	default:
		args := append([]string{}, c.program...)
		switch {
		case text == "":
		case c.whole:
			args = append(args, text)
		default:
			args = append(args, split(text)...)
		}
		s.program(ctx, args)
	}
}

// program runs a command of the program on this chat. Its lists have numbers in place of ids.
func (s *session) program(ctx context.Context, args []string) {
	for i, a := range args {
		if a == "." {
			args[i] = string(s.chat)
		} else if id, ok := s.numberOf(a); ok {
			args[i] = id
		}
	}
	s.listed = nil
	out := &numberedList{s: s}
	err := s.o.Program(args, out)
	out.close()
	s.follow(ctx) // the program has reported the result itself
	s.quiet()
	s.fail(err)
	if err == nil && !out.any {
		s.out.line("Done; nothing to list.")
	}
}

// quiet discards the signals that a command has handled.
func (s *session) quiet() {
	for {
		select {
		case <-s.o.Interrupts:
		default:
			return
		}
	}
}

// split splits a line into words like a shell: "quoted words" are one.
func split(text string) (out []string) {
	var word strings.Builder
	open, quote := false, rune(0)
	end := func() {
		if open {
			out = append(out, word.String())
		}
		open = false
		word.Reset()
	}
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && r == '"':
			open, quote = true, r
		case quote == 0 && r == ' ':
			end()
		default:
			open = true
			word.WriteRune(r)
		}
	}
	end()
	return out
}

func help(s *session, _ context.Context, text string) {
	if text != "" {
		c, _ := find(strings.TrimPrefix(strings.ToLower(text), "/"))
		if c.name == "" {
			s.out.line("Unknown command /" + text + ".")
			return
		}
		s.out.line(strings.TrimSpace("/"+c.name+" "+c.arg) + ": " + c.words + ".")
		return
	}
	s.out.line("Write a message and press enter. *asterisks* are actions, \"quotes\" are speech. Lines that start " +
		"with a slash are commands:")
	last := ""
	EachCommand(func(title, name, words string) {
		if title != last {
			s.out.line(title + ":")
			last = title
		}
		s.out.line(name + ": " + words + ".")
	})
	s.out.line("Control C stops a reply, or quits.")
}

func doProgram(s *session, ctx context.Context, text string) {
	args := split(text)
	switch {
	case len(args) == 0:
		s.program(ctx, []string{"help"})
	case strings.HasPrefix(args[0], "-") || args[0] == "restore":
		s.fail(errors.New("not possible while the program runs"))
	default:
		s.program(ctx, args)
	}
}

func startDemo(s *session, _ context.Context, _ string) {
	if s.o.Demo {
		s.out.line("The demo is already running.")
		return
	}
	s.over, s.outcome.Demo = true, true
}
