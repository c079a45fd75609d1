package plain

import (
	"context"
	"errors"
	"strings"
)

// command is a word with a slash: what /help says of it, and what it does.
type command struct {
	name, arg, words string
	// do is what it does itself; text is what stands behind the word.
	do func(s *session, ctx context.Context, text string)
	// program is the command of the program that it is instead. A "." in it is the open
	// chat; what stands behind the word follows, as one argument where whole is set.
	program []string
	whole   bool
}

// group is a part of /help.
type group struct {
	title    string
	commands []command
}

// table is all commands. It is the only list of them: help and the guide are made of it.
func table() []group {
	return []group{
		{"The play", []command{
			{name: "again", words: "another take of the last reply", do: again},
			{name: "takes", words: "list the takes of the last reply", do: takes},
			{name: "take", arg: "N", words: "go to take N of the last reply", do: take},
			{name: "continue", words: "more of the last reply", do: goOn},
			{name: "speak", arg: "NAME", words: "have a character of the cast speak", do: speak},
			{name: "nudge", arg: "TEXT", words: "the next reply follows TEXT, which is not kept", do: nudge},
			{name: "beats", arg: "[ABOUT]", words: "have things proposed that may happen in the next reply, and take one or write one", do: beats},
			{name: "act", arg: "[NAME]", words: "list ways to write a reply, or want some of the next one: /act shorter, plainer; /act none wants nothing", do: act},
			{name: "suggest", arg: "[OUTLINE]", words: "have a line for you written, from an outline or free; nothing is kept", do: suggest},
			{name: "say", arg: "[TEXT]", words: "send TEXT, or the suggested line", do: say},
			{name: "read", arg: "[N]", words: "say the last N messages again", do: read},
			{name: "edit", arg: "N", words: "rewrite message N; without N the last one", do: edit},
			{name: "delete", arg: "N", words: "delete message N; without N the last one", do: remove},
			{name: "undo", words: "take back the last change: an edit, a deletion, a branch", do: undo},
			{name: "redo", words: "do again what was undone last", program: []string{"chat", "undo", ".", "--redo"}},
			{name: "changes", words: "list the changes of the chat, the newest first", program: []string{"chat", "undo", ".", "--list"}},
			{name: "restore", arg: "N", words: "give a message the text back that change N took from it", program: []string{"chat", "undo", ".", "--restore"}},
			{name: "branch", arg: "N", words: "go on from message N, on a branch of its own", program: []string{"chat", "branch", "."}},
			{name: "end", words: "the scene ends here", program: []string{"scene", "break", ".", "last"}},
			{name: "note", arg: "[TEXT]", words: "say or set the author's note", program: []string{"chat", "note", "."}, whole: true},
		}},
		{"Chats and people", []command{
			{name: "chats", words: "list the chats", do: listChats},
			{name: "open", arg: "N", words: "open chat N of the list, or one by its title", do: openChat},
			{name: "new", arg: "[NAME]", words: "begin a chat with a character", do: newChat},
			{name: "characters", words: "list the characters", program: []string{"character", "list"}},
			{name: "cast", words: "who plays in this chat", program: []string{"chat", "cast", "."}},
			{name: "persona", arg: "[NAME]", words: "list who you can be, or be NAME", do: persona},
			{name: "model", arg: "[NAME]", words: "list the models, or have NAME answer in this chat", do: model},
		}},
		{"What is remembered", []command{
			{name: "scenes", words: "list the scenes", program: []string{"scene", "list", "."}},
			{name: "recap", arg: "[N]", words: "the recap of scene N, made where there is none; without N the story so far", do: recap},
			{name: "knows", arg: "[SUBJECT]", words: "what the play knows", program: []string{"knows", "."}, whole: true},
			{name: "ask", arg: "QUESTION", words: "ask what the play says of something, outside of it", program: []string{"ask", "."}, whole: true},
			{name: "memory", words: "list the memories", program: []string{"memory", "list", "."}},
			{name: "hooks", words: "list the hooks", program: []string{"hooks", "list", "."}},
			{name: "lore", words: "list the entries of the lorebooks", program: []string{"lore", "list", ".", "--entries"}},
			{name: "fired", words: "which entries the next prompt has, and why", program: []string{"lore", "activate", "."}},
			{name: "search", arg: "TEXT", words: "find messages in all chats", program: []string{"chat", "search"}, whole: true},
		}},
		{"Stage, pictures, work", []command{
			{name: "stage", words: "the state of the play, and what the director saw", program: []string{"director", "show", "."}},
			{name: "series", words: "list the series; /do episode list has their episodes", program: []string{"series", "list"}},
			{name: "pictures", words: "list the pictures", program: []string{"capture", "list", "."}},
			{name: "capture", words: "have the prompt of a picture of this moment written", program: []string{"capture", "prompt", "."}},
			{name: "paint", arg: "#N", words: "have picture N of the list painted", program: []string{"capture", "send"}},
			{name: "prompt", words: "what the model is told next", program: []string{"prompt", "."}},
			{name: "queue", words: "list the background work", program: []string{"queue", "list"}},
		}},
		{"General", []command{
			{name: "settings", words: "the settings in force, as a config file", program: []string{"config", "show"}},
			{name: "doctor", words: "check that everything works", program: []string{"doctor"}},
			{name: "guide", arg: "[PAGE]", words: "list the pages of the guide, or read one", program: []string{"help", "guide"}},
			{name: "do", arg: "COMMAND", words: "any command of the program; a . is this chat, #N number N of the last list", do: doProgram},
			{name: "rehearse", words: "go on with stand-ins, without a model", do: rehearse},
			{name: "help", arg: "[COMMAND]", words: "this list, or one command", do: help},
			{name: "quit", words: "leave", do: func(s *session, _ context.Context, _ string) { s.over = true }},
		}},
	}
}

// Words are the commands as a guide lists them: under each title rows of a command and
// what it does.
func Words(each func(title, command, words string)) {
	for _, g := range table() {
		for _, c := range g.commands {
			each(g.title, strings.TrimSpace("/"+c.name+" "+c.arg), c.words)
		}
	}
}

// find is the command of a name, or the only one that begins so.
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

// command does what a word with a slash says.
func (s *session) command(ctx context.Context, name, text string) {
	c, near := find(name)
	switch {
	case len(near) > 1:
		s.out.line("That can be " + strings.Join(near, ", ") + ".")
	case c.name == "":
		s.out.line("There is no /" + name + "; /help lists the commands. A line of the play that begins with a slash is written with two.")
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

// program runs a command of the program on this chat. Its lists get numbers in the place
// of ids.
func (s *session) program(ctx context.Context, args []string) {
	for i, a := range args {
		if a == "." {
			args[i] = string(s.chat)
		} else if id, ok := s.numberOf(a); ok {
			args[i] = id
		}
	}
	s.listed = nil
	out := &numbered{s: s}
	err := s.o.Program(args, out)
	out.close()
	s.follow(ctx) // it has told what came of it
	s.quiet()
	s.fail(err)
	if err == nil && !out.any {
		s.out.line("Done; there is nothing to list.")
	}
}

// quiet forgets the signals that a command has obeyed.
func (s *session) quiet() {
	for {
		select {
		case <-s.o.Interrupts:
		default:
			return
		}
	}
}

// split is a line in words, as a shell has them: "quoted words" are one.
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
			s.out.line("There is no /" + text + ".")
			return
		}
		s.out.line(strings.TrimSpace("/"+c.name+" "+c.arg) + ": " + c.words + ".")
		return
	}
	s.out.line("Write what you do or say, and press enter. *asterisks* are what you do, \"quotes\" what you say. A line that begins with a slash is a command:")
	last := ""
	Words(func(title, name, words string) {
		if title != last {
			s.out.line(title + ":")
			last = title
		}
		s.out.line(name + ": " + words + ".")
	})
	s.out.line("Control C stops a reply, or leaves.")
}

func doProgram(s *session, ctx context.Context, text string) {
	args := split(text)
	switch {
	case len(args) == 0:
		s.program(ctx, []string{"help"})
	case strings.HasPrefix(args[0], "-") || args[0] == "restore":
		s.fail(errors.New("that cannot be done while the program runs"))
	default:
		s.program(ctx, args)
	}
}

func rehearse(s *session, _ context.Context, _ string) {
	if s.o.Rehearse {
		s.out.line("This is a rehearsal already.")
		return
	}
	s.over, s.outcome.Rehearse = true, true
}
