package prompts

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxRepeat limits {{newline::n}} and {{space::n}}.
const maxRepeat = 1000

// call expands one macro that has no scope.
func (x *expander) call(n *node) {
	if x.work <= 0 {
		return
	}
	x.work -= 16 // so that macros that write nothing are not free
	switch {
	case n.left(false):
		x.verbatim(n)
	case n.short != nil:
		x.shorthand(n)
	case silent(n.name) || len(n.argv) == 0 && x.value(n.name):
	case n.name == "trim":
		x.trim()
	case n.name == "if":
		x.inlineIf(n)
	case !x.apply(n, x.arguments(n)):
		x.verbatim(n)
	}
}

// silent reports whether a macro writes nothing, whatever its arguments.
func silent(name string) bool {
	switch name {
	case "//", "comment", "hidden_key", "banned", "bias", "noop", "else":
		return true
	}
	return false
}

// apply expands a macro with its arguments. It returns false to leave the macro unchanged.
func (x *expander) apply(n *node, args []string) bool {
	if n.name == "outlet" {
		x.outlet(strings.TrimSpace(first(args)))
		return true
	}
	return x.variable(n.name, args) || x.chance(n, args) || x.clock(n.name, args) || x.shape(n.name, args)
}

// value writes the value of a macro without arguments, and reports whether name is one.
func (x *expander) value(name string) bool {
	e := x.env
	switch name {
	case "user":
		x.write(e.User)
	case "char":
		x.write(e.Char)
	case "group", "groupnotmuted", "charifnotgroup":
		x.write(x.group())
	case "notchar":
		x.write(x.others())
	case "model":
		x.write(e.Model)
	case "charversion", "char_version", "version":
		x.write(e.CharVersion)
	case "maxprompt", "maxprompttokens":
		x.number(e.MaxPrompt)
	case "maxcontext", "maxcontexttokens":
		x.number(e.MaxContext)
	case "maxresponse", "maxresponsetokens":
		x.number(e.MaxReply)
	case "lastmessage":
		x.moving("lastMessage", e.LastMessage)
	case "lastmessageid":
		x.moving("lastMessageId", e.LastMessageID)
	case "lastusermessage":
		x.moving("lastUserMessage", e.LastUserMessage)
	case "lastcharmessage":
		x.moving("lastCharMessage", e.LastCharMessage)
	case "input":
		x.moving("input", e.Input)
	case "lastgenerationtype":
		x.moving("lastGenerationType", e.Generation)
	case "allchatrange":
		if e.LastMessageID != "" {
			x.moving("allChatRange", "0-"+e.LastMessageID)
		}
	case "firstdisplayedmessageid":
		if e.LastMessageID != "" {
			x.write("0")
		}
	case "firstincludedmessageid", "lastswipeid", "currentswipeid":
		// A prompt is made before its beginning is known, and for no swipe.
	case "ismobile":
		x.write("false")
	case "exampleseparator", "chatseparator", "chatstart":
		// Marks of text completion: a chat model gets messages.
	default:
		return x.cardField(name)
	}
	return true
}

// cardField writes a text of the card or persona, expanding it on the way.
func (x *expander) cardField(name string) bool {
	e := x.env
	switch name {
	case "persona":
		x.field(0, name, e.Persona)
	case "description", "chardescription":
		x.field(1, "description", e.Description)
	case "personality", "charpersonality":
		x.field(2, "personality", e.Personality)
	case "scenario", "charscenario":
		x.field(3, "scenario", e.Scenario)
	case "mesexamples":
		x.field(4, "examples", strings.Join(Examples(e.Examples), "\n\n"))
	case "mesexamplesraw":
		x.field(4, "examples", e.Examples)
	case "charprompt":
		x.field(5, name, e.CharPrompt)
	case "charinstruction", "charjailbreak":
		x.field(6, name, e.CharInstruction)
	case "chardepthprompt":
		x.field(7, name, e.CharDepth)
	case "charfirstmessage", "greeting":
		x.greeting(0)
	case "creatornotes", "charcreatornotes":
		x.field(9, name, e.CreatorNotes)
	case "original":
		if !x.original { // it is inserted once
			x.original = true
			x.field(10, name, e.Original)
		}
	case "systemprompt":
		if e.CharPrompt != "" {
			x.field(5, "charprompt", e.CharPrompt)
		} else {
			x.field(11, name, e.SystemPrompt)
		}
	case "defaultsystemprompt", "instructsystem", "instructsystemprompt":
		x.field(11, "systemprompt", e.SystemPrompt)
	default:
		return strings.HasPrefix(name, "instruct") && arities[name] == arity{} &&
			slices.Contains(strings.Fields(instructMacros), name)
	}
	return true
}

func (x *expander) greeting(i int) {
	if i >= 0 && i < len(x.env.Greetings) {
		x.field(8, "greeting", x.env.Greetings[i])
	}
}

// outlet writes the value of the outlet with a name.
func (x *expander) outlet(name string) {
	text := x.env.Outlets[name]
	if text == "" {
		return
	}
	if x.env.OutletMet != nil {
		x.env.OutletMet(name)
	}
	x.write(text)
}

// moving writes a value that follows the newest messages.
func (x *expander) moving(name, value string) {
	x.met(name)
	if !x.env.Frozen {
		x.write(value)
	}
}

func (x *expander) number(n int) { x.write(strconv.Itoa(n)) }

// trim removes the line ends around the macro.
func (x *expander) trim() {
	for len(x.out) > x.base && (x.out[len(x.out)-1] == '\n' || x.out[len(x.out)-1] == '\r') {
		x.out = x.out[:len(x.out)-1]
	}
	x.eat = true
}

// shape handles the macros that make or change plain text.
func (x *expander) shape(name string, args []string) bool {
	switch name {
	case "newline":
		return x.repeat("\n", args)
	case "space":
		return x.repeat(" ", args)
	case "reverse":
		x.write(reversed(first(args)))
	case "hasextension":
		x.write("false")
	case "greeting", "charfirstmessage":
		i, err := strconv.Atoi(strings.TrimSpace(first(args)))
		if err != nil {
			return false
		}
		x.greeting(i)
	default:
		return false
	}
	return true
}

func (x *expander) repeat(s string, args []string) bool {
	n := 1
	if len(args) > 0 {
		v, err := strconv.Atoi(strings.TrimSpace(args[0]))
		if err != nil {
			return false
		}
		n = min(max(v, 0), maxRepeat)
	}
	eat := x.eat
	x.eat = false
	x.write(strings.Repeat(s, n))
	x.eat = eat && n == 0
	return true
}

func reversed(s string) string {
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		_, size := utf8.DecodeLastRuneInString(s)
		out = append(out, s[len(s)-size:]...)
		s = s[:len(s)-size]
	}
	return string(out)
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
