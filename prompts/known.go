package prompts

import (
	"slices"
	"strings"
)

// arity is the allowed number of a macro's arguments.
type arity struct {
	min, max int
	list     bool // any number of them
}

// arities are the known macros, by their names in lower case. The names and counts are those of
// SillyTavern's macro registry (public/scripts/macros, as of 2026) and of the V3 card specification
// (hidden_key, comment).
var arities = func() map[string]arity {
	m := map[string]arity{
		"space": {0, 1, false}, "newline": {0, 1, false}, "trim": {0, 1, false},
		"greeting": {0, 1, false}, "charfirstmessage": {0, 1, false},
		"time": {0, 1, false}, "//": {0, 1, false}, "comment": {0, 1, false}, "hidden_key": {0, 1, false},
		"banned": {0, 1, false},
		"bias":   {0, 1, false}, "outlet": {0, 1, false}, "if": {2, 3, false}, "random": {0, 0, true},
		"pick": {0, 0, true}, "timediff": {2, 2, false},
	}
	for _, name := range strings.Fields("user char group charifnotgroup groupnotmuted notchar charprompt " +
		"charinstruction charjailbreak chardescription description charpersonality personality charscenario scenario " +
		"persona mesexamplesraw mesexamples chardepthprompt charcreatornotes creatornotes charversion version " +
		"char_version model original ismobile noop else input maxprompt maxprompttokens maxcontext maxcontexttokens " +
		"maxresponse maxresponsetokens lastmessage lastmessageid lastusermessage lastcharmessage " +
		"firstincludedmessageid firstdisplayedmessageid lastswipeid currentswipeid allchatrange date weekday isotime " +
		"isodate idleduration idle_duration lastgenerationtype systemprompt defaultsystemprompt instructsystem " +
		"instructsystemprompt exampleseparator chatseparator chatstart " + instructMacros) {
		m[name] = arity{}
	}
	for _, name := range strings.Fields("reverse roll datetimeformat hasextension varexists globalvarexists flushvar " +
		"flushglobalvar incvar decvar getvar hasvar deletevar incglobalvar decglobalvar getglobalvar hasglobalvar " +
		"deleteglobalvar") {
		m[name] = arity{1, 1, false}
	}
	for _, name := range strings.Fields("setvar addvar setglobalvar addglobalvar") {
		m[name] = arity{2, 2, false}
	}
	return m
}()

// instructMacros are the macros for the marks of a text completion template. A chat model gets
// roles, so their values are empty.
const instructMacros = "instructstorystringprefix instructstorystringsuffix instructuserprefix instructinput " +
	"instructusersuffix instructassistantprefix instructoutput instructassistantsuffix instructseparator " +
	"instructsystemprefix instructsystemsuffix instructfirstassistantprefix instructfirstoutputprefix " +
	"instructlastassistantprefix instructlastoutputprefix instructstop instructuserfiller " +
	"instructsysteminstructionprefix instructfirstuserprefix instructfirstinput instructlastuserprefix " +
	"instructlastinput instructconsecutiveassistantmessage"

// fits reports whether a macro takes n arguments.
func (a arity) fits(n int) bool { return a.list || n >= a.min && n <= a.max }

// arityOf returns the arity of a macro by its name in lower case, and whether it is known.
func arityOf(name string) (arity, bool) {
	a, known := arities[name]
	if !known && strings.HasPrefix(name, "time_utc") {
		_, err := utcOffset(strings.TrimPrefix(name, "time_utc"))
		return arity{}, err == nil
	}
	return a, known
}

// holding reports whether a macro with n arguments takes the text up to its closing tag as one more
// argument.
func holding(name string, n int) bool {
	a, known := arityOf(name)
	switch {
	case !known || a.list:
		return false
	case name == "if":
		return n == 1
	}
	return a.fits(n + 1)
}

// Unknown names the macros in text that Expand would leave unchanged, each once, as they are
// written: those with an unknown name, those with a wrong number of arguments, and tags without
// their counterpart. Text that only looks like a macro, such as {{ }} or {{"text"}}, is named by
// its beginning.
func Unknown(text string) []string {
	if !strings.Contains(text, "{{") {
		return nil
	}
	var found []string
	u := unknown{text: text, add: func(n *node) {
		s := clip(strings.TrimSpace(strings.Trim(text[n.pos:n.end], "{}")))
		if s != "" && !slices.Contains(found, s) && len(found) < maxUnknown {
			found = append(found, s)
		}
	}}
	u.walk(parse(text))
	return found
}

// maxUnknown limits the number of returned names.
const maxUnknown = 20

type unknown struct {
	text string
	add  func(*node)
}

func (u unknown) walk(nodes []node) {
	for i := 0; i < len(nodes); i++ {
		n := &nodes[i]
		if !n.macro {
			continue
		}
		if n.left(n.closer > 0) {
			u.add(n)
		}
		for _, arg := range n.argv {
			u.walk(arg.nodes)
		}
		u.walk(n.kids)
		if n.closer > 0 {
			u.walk(nodes[i+1 : n.closer])
			i = n.closer
		}
	}
}
