package prompts

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxRepeat bounds {{newline::n}} and {{space::n}}.
const maxRepeat = 1000

// call expands one macro that has no scope.
func (x *expander) call(n *node) {
	if x.work <= 0 {
		return
	}
	x.work -= 16 // so that macros that write nothing are not free
	if n.name == "" {
		x.verbatim(n)
		return
	}
	if !n.given && x.value(n.name) {
		return
	}
	switch n.name {
	case "//", "comment", "hidden_key", "banned", "noop":
		return
	case "trim":
		x.trim()
		return
	}
	args := x.arguments(n)
	if n.name == "outlet" {
		x.outlet(strings.TrimSpace(strings.Join(args, "::")))
		return
	}
	if x.variable(n.name, args) || x.chance(n, args) || x.clock(n.name, args) || x.shape(n.name, args) {
		return
	}
	if n.name == "if" && len(args) >= 2 {
		if x.truth(args[0]) {
			x.write(args[1])
		} else if len(args) > 2 {
			x.write(args[2])
		}
		return
	}
	x.verbatim(n)
}

// value writes what a macro without arguments stands for, if it is one.
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
	case "charversion", "char_version":
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
	case "firstincludedmessageid", "lastswipeid", "currentswipeid", "allchatrange":
		// Numbers of messages mean nothing here: messages have ids that never change.
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
		x.field(10, name, e.Original)
	default:
		return false
	}
	return true
}

func (x *expander) greeting(i int) {
	if i >= 0 && i < len(x.env.Greetings) {
		x.field(8, "greeting", x.env.Greetings[i])
	}
}

// outlet writes what stands for the outlet of a name.
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

// trim takes the line ends around it away.
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
		if len(args) == 0 {
			return false
		}
		x.write(reversed(strings.Join(args, "::")))
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

// variable handles the macros of local and global variables.
func (x *expander) variable(name string, args []string) bool {
	if len(args) == 0 {
		return false
	}
	verb, global := variableVerb(name)
	key := strings.TrimSpace(args[0])
	if verb == "" || key == "" {
		return false
	}
	value := strings.Join(args[1:], "::")
	vars := x.env.Vars
	held, has := vars.scope(global)[key]
	switch verb {
	case "set":
		vars.set(global, key, value)
	case "add":
		vars.set(global, key, sum(held, value))
	case "inc", "dec":
		by := "1"
		if verb == "dec" {
			by = "-1"
		}
		if _, ok := toNumber(held); !ok {
			held = "0"
		}
		held = sum(held, by)
		vars.set(global, key, held)
		x.write(held)
	case "get":
		x.write(held)
	case "has":
		x.write(strconv.FormatBool(has))
	case "delete":
		delete(vars.scope(global), key)
	}
	return true
}

func variableVerb(name string) (verb string, global bool) {
	switch name {
	case "varexists":
		return "has", false
	case "globalvarexists":
		return "has", true
	case "flushvar":
		return "delete", false
	case "flushglobalvar":
		return "delete", true
	}
	verb, global = strings.CutSuffix(name, "globalvar")
	if !global {
		var ok bool
		if verb, ok = strings.CutSuffix(name, "var"); !ok {
			return "", false
		}
	}
	if !slices.Contains([]string{"set", "add", "inc", "dec", "get", "has", "delete"}, verb) {
		return "", false
	}
	return verb, global
}

// sum adds numbers, and joins what is not numbers.
func sum(a, b string) string {
	x, okA := toNumber(a)
	y, okB := toNumber(b)
	if (okA || a == "") && okB {
		return strconv.FormatFloat(x+y, 'f', -1, 64)
	}
	return a + b
}

func toNumber(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if len(s) > 20 || strings.Trim(s, "0123456789.+-") != "" {
		return 0, false // keeps out "inf", "nan" and numbers of endless length
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// scope expands the macro nodes[i] together with all up to its closing tag.
func (x *expander) scope(nodes []node, i int) {
	n := &nodes[i]
	body := func() string {
		s := x.inner(nodes, i+1, n.closer)
		if !n.keep {
			s = strings.TrimSpace(s)
		}
		return s
	}
	switch n.name {
	case "//", "comment", "hidden_key", "noop":
	case "trim":
		x.write(strings.TrimSpace(x.inner(nodes, i+1, n.closer)))
	case "reverse":
		x.write(reversed(body()))
	case "if":
		x.branch(nodes, i)
	default:
		args := x.arguments(n)
		x.variable(n.name, append(args, body()))
	}
}

// branch expands the side of {{if}}…{{else}}…{{/if}} that holds, and only that.
func (x *expander) branch(nodes []node, i int) {
	n := &nodes[i]
	other := n.closer
	for k := i + 1; k < n.closer; k++ {
		if nodes[k].closer > 0 {
			k = nodes[k].closer
		} else if nodes[k].macro && nodes[k].name == "else" {
			other = k
			break
		}
	}
	from, to := i+1, other
	if !x.truth(strings.Join(x.arguments(n), "::")) {
		from, to = min(other+1, n.closer), n.closer
	}
	s := x.inner(nodes, from, to)
	if !n.keep {
		s = strings.TrimSpace(s)
	}
	x.write(s)
}

// truth tells whether a condition holds. The bare name of a macro stands for
// its value; "!" turns the answer round.
func (x *expander) truth(cond string) bool {
	cond = strings.TrimSpace(cond)
	if rest, ok := strings.CutPrefix(cond, "!"); ok {
		return !x.truth(rest)
	}
	if cond != "" && len(cond) <= 32 {
		start, eat := len(x.out), x.eat
		x.eat = false
		if x.value(strings.ToLower(cond)) {
			cond = strings.TrimSpace(string(x.out[start:]))
		}
		x.out, x.eat = x.out[:start], eat
	}
	switch strings.ToLower(cond) {
	case "", "false", "off", "0":
		return false
	}
	return true
}
