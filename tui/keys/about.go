package keys

import (
	"strings"
	"unicode"
)

// System is a part of the program with related actions: a box of the leader, and a heading of the
// palette.
type System string

// The systems, in display order.
const (
	SystemPlay      System = "play"
	SystemMessage   System = "message"
	SystemScenes    System = "scenes"
	SystemLore      System = "lore"
	SystemKnowledge System = "knowledge"
	SystemDirector  System = "director"
	SystemPictures  System = "pictures"
	SystemBoards    System = "boards"
	SystemTaste     System = "taste"
	SystemLibrary   System = "library"
	SystemGeneral   System = "house"
)

// systems are all systems, with their letters and descriptions.
var systems = []struct {
	name   System
	letter string
	words  string
}{
	{SystemPlay, "p", "prompt and chat: your message, who speaks"},
	{SystemMessage, "m", "the selected message"},
	{SystemScenes, "s", "scenes and recaps"},
	{SystemLore, "l", "lorebooks"},
	{SystemKnowledge, "k", "facts and memories"},
	{SystemDirector, "d", "director: series and episodes"},
	{SystemPictures, "i", "pictures"},
	{SystemBoards, "b", "storyboards"},
	{SystemTaste, "t", "taste: your preferences"},
	{SystemLibrary, "c", "chats and characters"},
	{SystemGeneral, "h", "app: models, queue, theme"},
}

// Systems returns all systems in display order.
func Systems() []System {
	var out []System
	for _, s := range systems {
		out = append(out, s.name)
	}
	return out
}

// Letter returns the key that opens a system in the leader's box.
func (s System) Letter() string {
	for _, x := range systems {
		if x.name == s {
			return x.letter
		}
	}
	return ""
}

// Description returns the description of a system.
func (s System) Description() string {
	for _, x := range systems {
		if x.name == s {
			return x.words
		}
	}
	return string(s)
}

// About is the information about an action besides its words and keys.
type About struct {
	System System
	// Letter is its key in the leader's box of its system. An action without a Letter gets the
	// first free letter from its words.
	Letter string
	// Also has other words for it, such as users of other programs know: words and phrases,
	// separated by commas. The palette finds the action by them.
	Also string
	// Command is the command line that does the same, "" for none. Words in capitals are
	// placeholders for the user to fill in; CHAT is the open chat.
	Command string
}

// Offered reports whether the palette and the leader have an action: all but movement, and
// but themselves.
func (b *Binding) Offered() bool { return !b.Hidden && b.Action != Palette && b.Action != Leader }

// describe fills in the About of actions, and assigns letters to those that are offered.
func describe(list []Binding) {
	taken := map[System]map[string]bool{}
	for i := range list {
		b := &list[i]
		if known, ok := about[b.Action]; ok {
			b.About = known
		}
		if b.System == "" {
			b.System = systemOf(b.Group)
		}
		if taken[b.System] == nil {
			taken[b.System] = map[string]bool{}
		}
		if b.Offered() && b.Letter != "" {
			taken[b.System][b.Letter] = true
		}
	}
	for i := range list {
		b := &list[i]
		if !b.Offered() || b.Letter != "" {
			continue
		}
		for l := range letters(b.Description()) {
			if !taken[b.System][l] {
				b.Letter, taken[b.System][l] = l, true
				break
			}
		}
	}
}

// letters yields the candidates for an action's letter: the first letter of each of its words, then
// the other letters of its words, then any letter.
func letters(words string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		words = strings.ToLower(words)
		var first strings.Builder
		for w := range strings.FieldsSeq(words) {
			first.WriteRune([]rune(w)[0])
		}
		const all = "abcdefghijklmnopqrstuvwxyz"
		for _, r := range first.String() + words + all + strings.ToUpper(all) {
			if r < unicode.MaxASCII && unicode.IsLetter(r) && !yield(string(r)) {
				return
			}
		}
	}
}

// systemOf returns the system of an action that declares none, by its group.
func systemOf(group string) System {
	switch group {
	case PlayGroup, WritingGroup, PaneGroup:
		return SystemPlay
	case MessageGroup:
		return SystemMessage
	case EpisodeGroup:
		return SystemDirector
	}
	return SystemGeneral
}
