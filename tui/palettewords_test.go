package tui_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// typed lists words that users of other roleplay programs type into the palette, with the expected
// actions: one of them must be among the first three.
const typed = `
settings: settings profiles
temperature: settings
summary: running-recap recap-pane scene-recap
summarize: recap-pane scene-recap running-recap recap-missing
world info: lore-pane
lorebook: lore-pane
wi: lore-pane
system prompt: prompt-pane author-note settings
context: prompt-pane
context size: profiles prompt-pane models settings
narrator: speak cast
image: capture
generate image: capture
imagine: capture capture-asked
portrait: capture-asked captures-pane characters
author's note: author-note
authors note: author-note
jailbreak: author-note prompt-pane characters
persona: personas
regenerate: regenerate
reroll: regenerate swipe-right
swipe: swipe-right swipe-left
impersonate: impersonate
fork: branch branches-pane
checkpoint: branch branches-pane
bookmark: branch scene-break branches-pane
export chat: export-chat
backup: backup export-chat
theme: themes
colours: themes
model: models
sampler: profiles
token count: prompt-pane
memory: memory-pane
vector storage: memory-pane knowledge-pane
group chat: cast
mute: cast
voice: speak
timeline: scenes-pane story-clock branches-pane
chapter: scenes-pane scene-break
continue: continue
delete message: delete
edit message: edit
undo: undo-delete
new chat: new-chat
import character: import
character card: characters import
switch chat: chats
stop generating: stop interrupt
quick reply: quick-replies
api: models profiles ask-servers
connection: profiles ask-servers
comfyui: workflows capture ask-servers
download model: pull-model
prompt inspector: prompt-pane
hotkeys: help
documentation: guide
find in chat: search
time skip: story-clock scene-break
max tokens: settings
`

func TestPalette_FindsWhatPeopleType(t *testing.T) {
	m, errs := tui.Keys(nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	found, all := 0, 0
	for line := range strings.SplitSeq(strings.TrimSpace(typed), "\n") {
		query, meant, _ := strings.Cut(line, ": ")
		all++
		var first []string
		for _, b := range m.Find(query) {
			first = append(first, string(b.Action))
		}
		first = first[:min(3, len(first))]
		if slices.ContainsFunc(strings.Fields(meant), func(a string) bool { return slices.Contains(first, a) }) {
			found++
		} else {
			t.Logf("%q finds %v, not %s", query, first, meant)
		}
	}
	if t.Logf("%d of %d are found", found, all); all < 60 || found < 57 {
		t.Errorf("%d of %d are found among the first three", found, all)
	}
}

// Each synonym of an action finds it.
func TestPalette_KnowsEachSynonym(t *testing.T) {
	m, _ := tui.Keys(nil)
	for _, b := range m.Bindings() {
		for word := range strings.SplitSeq(b.Also, ",") {
			if word = strings.TrimSpace(word); word == "" {
				continue
			}
			list := slices.DeleteFunc(m.Find(word), func(x keys.Binding) bool { return x.Pane != b.Pane }) // as while it is not open
			if i := slices.IndexFunc(list, func(x keys.Binding) bool { return x.Action == b.Action }); i < 0 || i > 9 {
				t.Errorf("%q finds %s at place %d", word, b.Action, i)
			}
		}
	}
}
