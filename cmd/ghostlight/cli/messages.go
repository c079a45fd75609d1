package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// fromEnd is the sign of a message's place from the end, inside the program: on the
// command line it is a minus.
const fromEnd = "~"

// EscapeFromEnd lets places from the end, such as -2, through to commands that take
// a message: they would be taken for flags.
func EscapeFromEnd(root *cobra.Command, args []string) []string {
	c, _, err := root.Find(args)
	if err != nil {
		return args
	}
	at := slices.IndexFunc(strings.Fields(c.Use), func(s string) bool { return strings.Trim(s, "[]") == "MESSAGE" })
	if at < 0 {
		return args
	}
	at += len(strings.Fields(c.CommandPath())) - 2 // among all that is no flag
	for i, arg := range args {
		n, err := strconv.Atoi(arg)
		from := err == nil && n < 0
		switch {
		case arg == "--":
			return args
		case i > 0 && wantsValue(c, args[i-1]), strings.HasPrefix(arg, "-") && !from:
		case at > 0:
			at--
		case from:
			args = slices.Clone(args)
			args[i] = fromEnd + arg[1:]
			return args
		default:
			return args
		}
	}
	return args
}

// wantsValue reports whether an argument is a flag whose value comes next.
func wantsValue(c *cobra.Command, arg string) bool {
	name, ok := strings.CutPrefix(arg, "--")
	if !ok || strings.Contains(name, "=") {
		return false
	}
	f := c.Flag(name)
	if f == nil {
		f = c.Root().PersistentFlags().Lookup(name)
	}
	return f != nil && f.NoOptDefVal == ""
}

// FindMessage finds a message of a chat: by its id or a unique beginning of it, by
// its number as chat show prints it, by its place from the end, -1 being the
// last, or as "last".
func FindMessage(e *engine.Engine, chat storage.ChatID, ref string) (chats.Message, error) {
	if rest, ok := strings.CutPrefix(ref, fromEnd); ok {
		ref = "-" + rest
	}
	number, err := strconv.Atoi(ref)
	if ref == "last" || ref == "" {
		number, err = -1, nil
	}
	if err == nil && (number < 0 || number > 0 && len(ref) < 9 && ref[0] != '0') {
		return messageNumbered(e, chat, number, cmp.Or(ref, "last"))
	}
	_, all, err := e.Chats.Tree(chat)
	if err != nil {
		return chats.Message{}, err
	}
	return ByID(all, func(m chats.Message) storage.NodeID { return m.ID }, ref, "messages",
		fmt.Errorf("%w: the chat has no message %q", storage.ErrNotFound, ref))
}

// messageNumbered finds a message of the path: by its number as chat show prints
// it, or by its place from the end.
func messageNumbered(e *engine.Engine, chat storage.ChatID, number int, ref string) (chats.Message, error) {
	_, path, err := e.Chats.Path(chat, max(0, -number))
	if err != nil {
		return chats.Message{}, err
	}
	at := slices.IndexFunc(path, func(m chats.Message) bool { return m.Depth+1 == number })
	if number < 0 {
		at = len(path) + number
	}
	if at < 0 {
		return chats.Message{}, fmt.Errorf("%w: the chat has no message %q", storage.ErrNotFound, ref)
	}
	return path[at], nil
}
