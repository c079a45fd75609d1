package prompt

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// lines are the included lines of a layer in a list of parts, by their sources.
func lines(p Prompt, layer string) (sources []string) {
	for _, l := range p.Parts {
		if l.Layer == layer && l.Included {
			sources = append(sources, l.Source)
		}
	}
	return sources
}

// inOrder reports whether text contains parts one after the other.
func inOrder(text string, parts ...string) bool {
	for _, p := range parts {
		_, after, has := strings.Cut(text, p)
		if !has {
			return false
		}
		text = after
	}
	return true
}

func TestWeighed(t *testing.T) {
	many := map[string]int{}
	for i := range 3 * maxWeights {
		many[fmt.Sprintf("t%03d", i)] = i
	}
	for _, c := range []struct {
		name    string
		weights map[string]int
		want    string
	}{
		{"none", nil, ""},
		{"by name", map[string]int{"wit": 40, "warmth": 80, "intensity": 5}, "intensity 5 of 100, warmth 80 of 100, wit 40 of 100"},
		{"beyond the scale", map[string]int{"a": -3, "b": 900}, "a 0 of 100, b 100 of 100"},
		{"names that read the same", map[string]int{" a": 7, "a ": 3, "": 1}, "a 3 of 100, a 7 of 100"},
	} {
		for range 20 { // a map has no order of its own
			if got := weighed(c.weights); got != c.want {
				t.Fatalf("%s: %q, want %q", c.name, got, c.want)
			}
		}
	}
	if n := strings.Count(weighed(many), "of 100"); n != maxWeights {
		t.Errorf("%d weights are told", n)
	}
}

func TestActorNotesStandWithThePersonality(t *testing.T) {
	base := compile(t, snapshot())
	for _, c := range []struct {
		what  string
		actor storage.Actor
		want  string
	}{
		{"current goal", storage.Actor{Goal: "Keep the light for {{user}}."}, "Keep the light for Ben."},
		{"current struggle", storage.Actor{Struggle: "Sleep."}, "Sleep."},
		{"secret dream", storage.Actor{Dream: "To leave."}, "To leave. (Ada never says it aloud."},
		{"current stressor", storage.Actor{Stressor: "The storm."}, "The storm."},
		{"personality weights", storage.Actor{Weights: map[string]int{"wit": 40}}, "wit 40 of 100"},
		{"tone", storage.Actor{Tone: "Dry."}, "Dry."},
		{"speech patterns", storage.Actor{Speech: "Short sentences."}, "Short sentences."},
		{"boundaries", storage.Actor{Boundaries: "No pity."}, "No pity."},
	} {
		s := snapshot()
		s.Actor = c.actor
		p := compile(t, s)
		if got := lines(p, LayerActor); !slices.Equal(got, []string{"character: Ada (" + c.what + ")"}) {
			t.Errorf("%s: the ledger has %q", c.what, got)
		}
		if !inOrder(p.Messages[0].Content, "Dry, watchful.", "## Notes for playing Ada\n", c.want, "## Scenario") {
			t.Errorf("%s:\n%s", c.what, p.Messages[0].Content)
		}
		s.Actor = storage.Actor{Goal: " ", Weights: map[string]int{}}
		if got := compile(t, s); !reflect.DeepEqual(got, base) {
			t.Errorf("%s: what is empty leaves a trace", c.what)
		}
	}
}

func TestEpisodeNotes(t *testing.T) {
	s := snapshot()
	base := compile(t, s)
	s.Episode = &storage.Episode{Title: "Landfall", Situation: "The kitchen, {{user}} dripping.", Frame: "One night.", Question: "Will she trust him?",
		Resolutions: []string{"positive", " ", "surprise"}, Objective: "the letter", Obstacle: "pride", Tactic: "tea"}
	s.Genre = "Gothic"
	p := compile(t, s)
	var want []string
	for _, what := range []string{"situation", "frame", "dramatic question", "resolution types", "scene motivation", "genre"} {
		want = append(want, "episode: Landfall ("+what+")")
	}
	if diff := cmp.Diff(want, lines(p, LayerEpisode)); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	if !inOrder(p.Messages[0].Content, "## The episode\n", "The kitchen, Ben dripping.", "Ground every reply in this", "One night.", "Will she trust him?",
		"positive, surprise.", "Play it subtly", "the letter", "pride", "tea", "Gothic", "examples") {
		t.Error(p.Messages[0].Content)
	}
	if line, _ := part(p, LayerScenario, false); strings.Contains(p.Messages[0].Content, "## Scenario") || line.Source != "card: Ada" || line.Reason != "replaced by the episode's situation" {
		t.Errorf("the card's scenario: %+v\n%s", line, p.Messages[0].Content)
	}
	own := s
	own.Overrides.Scenario, own.Card.Scenario = "A calm sea.", "A calm sea."
	if p = compile(t, own); !inOrder(p.Messages[0].Content, "## Scenario\nA calm sea.", "The kitchen, Ben dripping.") {
		t.Errorf("the chat's own scenario:\n%s", p.Messages[0].Content)
	}
	s.Episode, s.Genre = &storage.Episode{Title: "x"}, ""
	if got := compile(t, s); !reflect.DeepEqual(got, base) {
		t.Error("an empty episode leaves a trace")
	}
	s.Episode = &storage.Episode{Title: "x", Tactic: "tea"}
	if got := lines(compile(t, s), LayerEpisode); !slices.Equal(got, []string{"episode: x (scene motivation)"}) {
		t.Errorf("%q", got)
	}
	s.Episode, s.Genre = nil, "Noir"
	if got := lines(compile(t, s), LayerEpisode); !slices.Equal(got, []string{"series (genre)"}) {
		t.Errorf("%q", got)
	}
}

// A prompt for an ended episode has nothing that pushes towards its end. An episode that is about
// to end says so after the newest message, so that nothing else is read again.
func TestEpisodeNearsItsEndAndEnds(t *testing.T) {
	s := snapshot()
	s.Episode = &storage.Episode{Title: "Landfall", Situation: "The kitchen.", Frame: "One night.", Question: "Will she trust him?",
		Resolutions: []string{"positive"}, Objective: "the letter", Obstacle: "pride", Tactic: "tea", TurnBudget: 9}
	s.Genre = "Gothic"
	early := compile(t, s)
	s.TurnsLeft = 1
	near := compile(t, s)
	if n := len(near.Messages); near.Messages[0] != early.Messages[0] || near.Messages[n-1].Content != "The episode ends soon: 1 turn left. The story may move towards its end now." {
		t.Errorf("near the end: %+v", near.Messages)
	}
	s.EpisodeOver = true
	over := compile(t, s)
	var want []string
	for _, what := range []string{"situation", "frame", "genre"} {
		want = append(want, "episode: Landfall ("+what+")")
	}
	if diff := cmp.Diff(want, lines(over, LayerEpisode)); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	for _, m := range over.Messages {
		for _, no := range []string{"trust", "positive", "letter", "pride", "goes about it by", "turn left"} {
			if strings.Contains(m.Content, no) {
				t.Errorf("%q is told after the end:\n%s", no, m.Content)
			}
		}
	}
	if line, _ := part(over, LayerEpisode, false); line.Source != "episode: Landfall (dramatic question)" || line.Reason != "the episode has ended" {
		t.Errorf("%+v", line)
	}
}

func TestPlaceholders(t *testing.T) {
	s := snapshot()
	s.Card.Description = "{MEMORIES} {hooks} {relationship_stage} {other} {memories } {{{memories}}}"
	s.AuthorNote = "{memories}|{Hooks}|{relationship_stage}|{x}|{{lastUserMessage}}"
	s.Memories, s.Hooks = "{{user}} {hooks}", "ask {memories}"
	s.History[3].Content = "I said {hooks}."
	p := compile(t, s)
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "{{memories}} in its description is an unknown macro") {
		t.Errorf("%q", p.Warnings)
	}
	for _, want := range []string{"(what Ada remembers of Ben is told further down", "(what Ada may bring up is told further down",
		"acquaintance {other} {memories } {{{memories}}}"} {
		if !strings.Contains(p.Messages[0].Content, want) {
			t.Errorf("%q does not stand in\n%s", want, p.Messages[0].Content)
		}
	}
	if got, want := p.Messages[len(p.Messages)-1].Content, "{{user}} {hooks}|ask {memories}|acquaintance|{x}|I said {hooks}."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if line, _ := part(p, LayerDescription, true); !strings.Contains(line.Reason, "{memories} refers to them") || !strings.Contains(line.Reason, "{hooks} refers to them") {
		t.Errorf("%q", line.Reason)
	}
	if line, _ := part(p, LayerPersonality, true); strings.Contains(line.Reason, "points") {
		t.Errorf("%q", line.Reason)
	}
	again := s
	again.Memories, again.Hooks = "other", ""
	if q := compile(t, again); q.Messages[0] != p.Messages[0] {
		t.Error("what is remembered changes the stable part")
	}
	if got := ExpandInTail(&s, "{memories}, {{char}}"); got != "{{user}} {hooks}, Ada" {
		t.Errorf("moving: %q", got)
	}
}

func TestMovingIsAsInTheTail(t *testing.T) {
	for _, text := range []string{"{{time}} {{roll:d100000}} {{lastMessage}} {{idleDuration}} {{pick::a::b::c}}", "{{getvar::mood}} {hooks}", " plain "} {
		s := snapshot()
		s.Card.Description = "{{setvar::mood::grim}}"
		s.AuthorNote = text
		p := compile(t, s)
		if got, want := ExpandInTail(&s, text), p.Messages[len(p.Messages)-1].Content; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestNudge(t *testing.T) {
	for _, c := range []struct {
		name, history string
		mode          Mode
		state         storage.State
		layers        []string // of the last message
		partial       bool
	}{
		{name: "after the user", history: "ua", layers: []string{LayerNudge}},
		{name: "a turn", history: "u", layers: []string{LayerNudge}},
		{name: "impersonate", history: "ua", mode: Impersonate, layers: []string{LayerMode, LayerNudge}},
		{name: "more of a whole reply", history: "ua", mode: Continue, state: storage.Complete, layers: []string{LayerMode, LayerNudge}, partial: true},
		{name: "more of a cut reply", history: "ua", mode: Continue, state: storage.Cut, layers: []string{LayerNudge}, partial: true},
	} {
		s := snapshot()
		s.History, s.Mode, s.Nudge = roles(c.history), c.mode, "Let {{char}} lie about {{nudge}}."
		s.AuthorNote = "Note."
		if c.state != "" {
			s.History[len(s.History)-1].State = c.state
		}
		p := compile(t, s)
		at := len(p.Messages) - 1
		if c.partial {
			at--
		}
		if m := p.Messages[at]; m.Role != "user" || !strings.Contains(m.Content, "Let Ada lie about {{nudge}}.") || !strings.HasSuffix(m.Content, "]") {
			t.Errorf("%s: %+v", c.name, p.Messages)
		}
		var layers []string
		for _, l := range p.Parts {
			if l.Layer == LayerNudge || l.Layer == LayerMode {
				layers = append(layers, l.Layer)
			}
		}
		if !slices.Equal(layers, c.layers) {
			t.Errorf("%s: %q", c.name, layers)
		}
	}
}

// staying returns a note of the stage before message i; -1 makes it new.
func staying(layer, section, name string, i int, active bool) LoreItem {
	it := stood(name, i, active)
	it.Layer, it.Section, it.Source, it.Text, it.Reason = layer, section, layer+" "+name, "- "+name, "pinned before"
	return it
}

func TestStaysStandByLayer(t *testing.T) {
	s := snapshot()
	s.History = roles("uau")
	s.Lore = []LoreItem{
		staying(LayerNote, "", "note", 2, true), staying("else", "", "other", 2, true), staying(LayerHooks, "To bring up", "h1", 2, false),
		staying(LayerMemories, "About them", "m1", 2, true), staying(LayerMemories, "Goals:\nof theirs", "m2", 2, true), staying(LayerMemories, "About them", "m3", -1, true),
		staying(LayerMemories, "", "m4", 2, true), stood("lore", 2, true), stood("lore2", -1, true),
	}
	p := compile(t, s)
	want := "[item-lore: seen]\n[item-lore2: seen]\n\n- m4\nAbout them:\n- m1\n- m3\nGoals: of theirs:\n- m2\n\nTo bring up:\n- h1\n\n- other\n\n- note"
	if diff := cmp.Diff(want, p.Messages[3].Content); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	for layer, want := range map[string]string{LayerMemories: "memories m4 memories m1 memories m3 memories m2", LayerHooks: "hooks h1", "else": "else other", LayerNote: "note note"} {
		if got := strings.Join(lines(p, layer), " "); got != want {
			t.Errorf("%s: %q, want %q", layer, got, want)
		}
	}
	// Items elsewhere change none of it.
	before := p.Messages[3]
	s.Lore = append(s.Lore, staying(LayerMemories, "About them", "elsewhere", 0, true))
	if p = compile(t, s); p.Messages[4] != before || p.Messages[1].Content != "About them:\n- elsewhere" {
		t.Errorf("%+v", p.Messages[1:])
	}
}

func TestNewestPlaceOfAStayCounts(t *testing.T) {
	s := snapshot()
	s.History = roles("uauau")
	s.Lore = []LoreItem{staying(LayerMemories, "", "m", 0, false), staying(LayerMemories, "", "m", 2, false), staying(LayerMemories, "", "m", 1, false)}
	p := compile(t, s)
	if diff := cmp.Diff([]PinnedLore{{"m", id(2)}}, p.Lore); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
}

func TestAFoldDropsWhatNothingAsksFor(t *testing.T) {
	s := snapshot()
	s.History, s.Window = long(401, 20), id(0)
	s.Lore = []LoreItem{stood("lore", 390, false), staying(LayerMemories, "About them", "silent", 390, false), staying(LayerMemories, "About them", "asked", 390, true),
		staying(LayerHooks, "", "before", 2, false), staying(LayerHooks, "", "newest", 400, false)}
	p := compile(t, s)
	if !p.Folded {
		t.Fatal("all of it fits")
	}
	if diff := cmp.Diff([]PinnedLore{{"lore", id(390)}, {"asked", id(390)}, {"newest", id(400)}}, p.Lore); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	if line, _ := part(p, LayerMemories, false); line.Source != "memories silent" || line.Reason != "dropped: not needed now, and everything after the system message is processed again here anyway" {
		t.Errorf("%+v", line)
	}
	// Without a fold all of them stay.
	s.History = s.History[380:]
	s.Window, s.More = id(380), true
	if p = compile(t, s); p.Folded || len(p.Lore) != 4 {
		t.Errorf("folded %v, %v", p.Folded, p.Lore)
	}
}

// A fold that drops notes must not free so much room that the messages it has removed come back on
// the next turn.
func TestAFoldThatDropsNotesHoldsStill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := snapshot()
		s.Limits = Limits{Context: rapid.IntRange(1500, 4000).Draw(t, "context"), Reply: 100}
		n := rapid.IntRange(20, 120).Draw(t, "turns")*2 + 1
		s.History = long(n, rapid.IntRange(5, 30).Draw(t, "size"))
		if rapid.Bool().Draw(t, "remembered") {
			s.Recap = covering(rapid.IntRange(-1, n/2).Draw(t, "covers"), rapid.IntRange(0, 4).Draw(t, "keep"))
		}
		s.Window = id(rapid.IntRange(0, n/2).Draw(t, "window"))
		for i := range rapid.IntRange(0, 40).Draw(t, "notes") {
			it := staying(rapid.SampledFrom([]string{LayerMemories, LayerHooks, LayerLore}).Draw(t, "layer"), rapid.SampledFrom([]string{"", "About them"}).Draw(t, "section"),
				fmt.Sprint("note", i), rapid.IntRange(-1, n-1).Draw(t, "at"), rapid.Bool().Draw(t, "active"))
			it.Text = text(it.Text, rapid.IntRange(1, 60).Draw(t, "note size"))
			s.Lore = append(s.Lore, it)
		}
		p, err := Compile(s)
		if err != nil {
			t.Skip("too long")
		}
		for turn := range 3 {
			before := dropped(s, p)
			s.Window = p.Window
			var next []LoreItem
			for _, it := range s.Lore { // a message that has left may come back with its notes
				if i := slices.IndexFunc(p.Lore, func(l PinnedLore) bool { return l.ID == it.ID }); i >= 0 {
					it.At = p.Lore[i].At
				}
				if it.Active = false; it.At != "" && !slices.Contains(before, it.ID) {
					next = append(next, it)
				}
			}
			s.Lore = next
			k := len(s.History)
			s.History = append(s.History, message(k, storage.Assistant, "reply"), message(k+1, storage.User, "next"))
			q, err := Compile(s)
			if err != nil {
				t.Fatal(err)
			}
			now := dropped(s, q)
			if q.Window < p.Window && (p.Folded || len(before) > 0 || len(now) == 0) {
				t.Fatalf("turn %d: messages are back: it began at %s, now at %s", turn, p.Window, q.Window)
			}
			if b, broke := FindCacheMiss(&p, &q, words); broke && !q.Folded && len(now) == 0 {
				t.Fatalf("turn %d: %+v", turn, b)
			}
			if q.Folded && turn == 0 && p.Folded && p.Tokens < s.Limits.Context/2 {
				t.Fatalf("a fold right after a fold to %d tokens", p.Tokens)
			}
			p = q
		}
	})
}

// dropped returns the items that were before a message in the prompt, and no longer are.
func dropped(s Snapshot, p Prompt) (ids []string) {
	at := func(id storage.NodeID) int {
		return slices.IndexFunc(s.History, func(n storage.Node) bool { return n.ID == id })
	}
	for _, it := range s.Lore {
		if it.At != "" && at(it.At) >= at(p.Window) && !slices.ContainsFunc(p.Lore, func(l PinnedLore) bool { return l.ID == it.ID }) {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

func TestRoomForThePass(t *testing.T) {
	s := snapshot()
	s.History, s.Window = long(401, 14), id(0)
	s.Limits.Pass = 1000
	p := compile(t, s)
	if most := s.Limits.Context - s.Limits.Reply - s.Limits.Pass - margin(s.Limits.Context); p.Tokens > most {
		t.Errorf("%d tokens, room for %d", p.Tokens, most)
	}
	s = snapshot()
	s.Limits.Pass = s.Limits.Context
	if p := compile(t, s); len(p.Messages) != 5 {
		t.Errorf("where there is no room for the pass, the turn is %+v", p.Messages)
	}
}

// A request after a turn has more room than the turn, since its answer is short: the messages that
// the turn did not have do not come back for it.
func TestWhatRidesKeepsTheWindow(t *testing.T) {
	s := snapshot()
	s.History, s.Recap, s.Window = long(401, 14), covering(-1, 4), id(0)
	turn := compile(t, s)
	if !turn.Folded {
		t.Fatal("all of it fits")
	}
	s.Window, s.Appended = turn.Window, "Job."
	s.History = append(s.History, message(401, storage.Assistant, "reply"))
	s.Limits.Context *= 4
	if job := compile(t, s); job.Window != turn.Window {
		t.Errorf("the job starts at %s, the turn at %s", job.Window, turn.Window)
	}
	s.Appended = ""
	if next := compile(t, s); next.Window >= turn.Window {
		t.Errorf("a turn with more room starts at %s still", next.Window)
	}
}

func TestWhatChangesByItselfIsFrozenInTheStage(t *testing.T) {
	s := snapshot()
	s.Actor.Goal = "{{time}}"
	s.Episode = &storage.Episode{Title: "One", Situation: "{{random::a::b}}", Objective: "{{lastMessage}}"}
	a := compile(t, s)
	for i, want := range []string{"character: Ada (current goal): {{time}} in this", "episode: One (situation): {{random}} in this", "episode: One (objective): {{lastMessage}}"} {
		if len(a.Warnings) != 3 || !strings.Contains(a.Warnings[i], want) {
			t.Errorf("%q does not say %q", a.Warnings, want)
		}
	}
	next := turned(s, a)
	next.Now = next.Now.Add(5 * 60 * 1e9)
	if b := compile(t, next); b.Messages[0] != a.Messages[0] {
		t.Error("the stable part moved")
	}
}

func TestPromptFilesWithoutAPlaceTellAllTheSame(t *testing.T) {
	for _, c := range []struct{ around, want string }{{"a \x00 b", "a text b"}, {"a", "a\ntext"}, {"", "text"}} {
		if got := putIn(c.around, "\x00", "text"); got != c.want {
			t.Errorf("%q: %q, want %q", c.around, got, c.want)
		}
	}
	for _, n := range stageFiles() {
		if !strings.Contains(prompts.BuiltIn().Text("chat/"+n.file), "{{"+n.key+"}}") {
			t.Errorf("chat/%s has no place for {{%s}}", n.file, n.key)
		}
	}
}

// A note that a recap states too leaves with the fold that brings the recap, whether it is active
// or not, and stays while nothing is read again.
func TestANoteLeavesWithTheFoldThatTellsIt(t *testing.T) {
	tells := func(word string) func(*RecapBlock) bool {
		return func(m *RecapBlock) bool { return strings.Contains(m.Text, word) }
	}
	s := snapshot()
	s.History, s.Window = long(401, 20), id(0)
	for _, name := range []string{"boat", "hand", "key"} {
		it := staying(LayerMemories, "About them", name, 390, true)
		it.InRecap = tells(name)
		s.Lore = append(s.Lore, it)
	}
	fresh := staying(LayerMemories, "About them", "lamp", -1, true)
	fresh.InRecap = tells("lamp")
	s.Lore = append(s.Lore, fresh)
	s.Recap = covering(300, 0)
	s.Recap.Text = "Of the key."
	s.Recap.Recompute = func(depth int) RecapBlock {
		now := *s.Recap
		if now.Recompute = nil; depth > 0 {
			now.Text = "Of the boat and of the lamp."
		}
		return now
	}
	p := compile(t, s)
	if !p.Folded {
		t.Fatal("all of it fits")
	}
	if diff := cmp.Diff([]PinnedLore{{"hand", id(390)}, {"key", id(390)}}, p.Lore); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	// Without a fold all of them stay.
	s.History = s.History[380:]
	s.Window, s.More = id(380), true
	if p = compile(t, s); p.Folded || len(p.Lore) != 4 {
		t.Errorf("folded %v, %v", p.Folded, p.Lore)
	}
}
