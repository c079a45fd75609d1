package prompt

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

var update = flag.Bool("update", false, "write the golden files anew")

// bare returns a set with short prompt files, so that golden files show the order of parts and not
// our prose.
func bare(t testing.TB) *prompts.Set {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"main", "continue", "next", "impersonate", "memory", "immersion-minimal", "immersion-balanced", "immersion-full", "immersion-unbounded"} {
		path := filepath.Join(dir, "chat", name+".md")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		text := "(" + name + " for {{char}} and {{user}})"
		if name == "memory" {
			text += "\n{{memory}}"
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range stageFiles() {
		text := "(" + n.file + ": {{" + n.key + "}})"
		if err := os.WriteFile(filepath.Join(dir, "chat", n.file+".md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, errs := prompts.Load(dir)
	if errs != nil {
		t.Fatal(errs)
	}
	return set
}

// stageFiles are the prompt files of the stage.
func stageFiles() []note {
	all := slices.Concat(actorNotes(storage.Actor{}), sceneNotes(&storage.Episode{}), questionNotes(&storage.Episode{}), motivationNotes(&storage.Episode{}))
	return append(all, note{file: "episode-motivation", key: "motivation"}, note{file: "episode-genre", key: "genre"}, note{file: "episode-last-turns", key: "left"},
		note{file: "cast", key: "others"}, note{file: "nudge", key: "nudge"}, note{file: "pointer-memories", key: "char"}, note{file: "pointer-hooks", key: "char"})
}

func rendered(p Prompt) string {
	var b strings.Builder
	for _, m := range p.Messages {
		fmt.Fprintf(&b, "=== %s\n%s\n", m.Role, m.Content)
	}
	b.WriteString("=== ledger\n")
	for _, part := range p.Parts {
		mark := "+"
		if !part.Included {
			mark = "-"
		}
		source := part.Source
		if strings.HasPrefix(source, "prompt: ") {
			source, _, _ = strings.Cut(source, " (")
		}
		fmt.Fprintf(&b, "%s %-12s %4d  %s: %s\n", mark, part.Layer, part.Tokens, source, part.Reason)
	}
	fmt.Fprintf(&b, "=== %d tokens, window %q, folded %v\n", p.Tokens, p.Window, p.Folded)
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "! %s\n", w)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, change := range map[string]func(*Snapshot){
		"plain": func(*Snapshot) {},
		"full": func(s *Snapshot) {
			s.Card.SystemPrompt = "Above. {{original}} Below."
			s.Card.PostHistoryInstructions = "Stay short, {{char}}. {{original}}"
			s.Card.DepthPrompt = "Salt in the air."
			s.AuthorNote = "It is {{time}}; {{user}} said: {{lastUserMessage}}"
			s.Appended = "List what {{char}} wants."
			s.History = append(s.History, message(4, storage.Assistant, "Come, then."))
		},
		"own-system": func(s *Snapshot) {
			s.Card.SystemPrompt = "Only this for {{user}}."
			s.Card.Nickname = "The Keeper"
			s.Immersion = storage.Minimal
			s.Persona = storage.Persona{}
		},
		"depth": func(s *Snapshot) {
			s.Card.DepthPrompt, s.Card.DepthPromptDepth, s.Card.DepthPromptRole = "Salt.", 2, "user"
			s.AuthorNote = "Note."
		},
		"memory": func(s *Snapshot) {
			s.Recap = &RecapBlock{Text: "- Ben came by sea.", Source: "running recap v2 (scenes 1 to 3)", Covers: "m00001", CoversDepth: 1, Keep: 1,
				LeftOut: []Part{{Source: "recap of scene 1", Reason: "beyond the budget", Tokens: 40}}}
			s.History = append(s.History, message(4, storage.Assistant, "Come."), message(5, storage.User, "Thanks."))
			s.Window = "m00000"
		},
		"memory-depth": func(s *Snapshot) {
			s.Recap = &RecapBlock{Text: "- Ben came by sea.", Source: "running recap v1", Role: "user", Depth: 1}
			s.Card.DepthPrompt, s.Card.DepthPromptDepth = "Salt.", 2
			s.AuthorNote = "Note."
		},
		"continue-cut": func(s *Snapshot) {
			cut := message(4, storage.Assistant, "Come in, and mind the ")
			cut.State = storage.Cut
			s.History, s.Mode, s.AuthorNote = append(s.History, cut), Continue, "Note."
		},
		"continue-complete": func(s *Snapshot) {
			s.History, s.Mode = append(s.History, message(4, storage.Assistant, "Come in.")), Continue
		},
		"continue-nothing": func(s *Snapshot) { s.Mode = Continue },
		"impersonate": func(s *Snapshot) {
			s.History, s.Mode, s.AuthorNote = append(s.History, message(4, storage.Assistant, "Come in.")), Impersonate, "Note."
		},
		"next": func(s *Snapshot) { s.History = append(s.History, message(4, storage.Assistant, "Come in.")) },
		"hidden": func(s *Snapshot) {
			capture, note := message(4, storage.SceneCapture, ""), message(5, storage.System, "A note.")
			deleted, draft := message(6, storage.User, "Gone."), message(7, storage.Assistant, "")
			deleted.Deleted, draft.State = true, storage.Draft
			s.History[2].Thinking = "secret"
			s.History = append(s.History, capture, note, deleted, draft)
		},
		"volatile": func(s *Snapshot) {
			s.Card.Description = "It is {{time}} on {{date}}. {{random::red::blue}} {{idleDuration}} [{{lastMessage}}]"
			s.Persona.Description = "Rolled {{roll:d20}}, picked {{pick::a::b}}."
		},
		"lore": func(s *Snapshot) {
			s.AuthorNote, s.Card.PostHistoryInstructions = "Note.", "Stay short."
			s.Card.DepthPrompt, s.Card.DepthPromptDepth = "Salt.", 2
			s.Lore = everywhere()
			s.LoreOut = []Part{{Source: "lorebook Harbour: Tides", Reason: "over budget", Tokens: 90}}
		},
		"lore-prose": func(s *Snapshot) {
			s.Card.MessageExample, s.TailRole = "", "user"
			s.Lore = []LoreItem{lored("before", "The sea is far.", LoreBefore), lored("before2", "[item-Lamp: old]", LoreBefore),
				lored("example", "<START>\nBen: Hm.\n<START>\nAda: Hm?", LoreExamplesBottom), lored("note", "Below.", LoreNoteBottom), lored("blank", " ", LoreTail)}
		},
		"lore-stays": func(s *Snapshot) {
			s.History = append(s.History, message(4, storage.Assistant, "Come."), message(5, storage.User, "Thanks."), message(6, storage.Assistant, "Sit."))
			s.Recap = covering(2, 1) // the window leaves the first messages
			s.Window, s.AuthorNote = id(0), "Note."
			s.Lore = []LoreItem{stood("left", 1, true), stood("left for good", 1, false), stood("still", 3, true), stood("silent", 3, false),
				stood("elsewhere", 99, true), stood("new", -1, true)}
		},
		"lore-outlets": func(s *Snapshot) {
			s.Card.Description = "{{char}} keeps the lighthouse. {{outlet::Sky}}"
			s.AuthorNote = "Mind: {{outlet:: sea }}{{if {{outlet::sea}}}}!{{/if}}"
			for _, o := range []string{"Sky", "sea", "Sky", "lost"} {
				it := lored("fills "+o, "The "+o+" is [grey].", LoreOutlet)
				it.Outlet = o
				s.Lore = append(s.Lore, it)
			}
			s.Lore[0].Constant = true
		},
		"stage": func(s *Snapshot) {
			s.Actor = storage.Actor{Goal: "Keep {{user}} out.", Struggle: "Sleep.", Dream: "To leave. It is {{time}}.", Stressor: "{memories}", Weights: map[string]int{"wit": 40, "warmth": 80},
				Tone: "Dry.", Speech: "Short.", Boundaries: "No pity."}
			s.Episode = &storage.Episode{Title: "Landfall", Situation: "The kitchen.", Frame: "One night.", Question: "Will she trust him?", Resolutions: []string{"positive", "surprise"},
				Objective: "the letter", Obstacle: "pride", Tactic: "tea"}
			s.TurnsLeft = 2
			s.Genre, s.Group, s.Nudge = "Gothic", []Person{{Name: "Ada"}, {Name: "Cy", Description: "{{char}} mends nets. He owes {{user}} money. Nobody likes him.", Looks: "tall, one eye"}}, "Let her lie."
			s.Card.PostHistoryInstructions, s.Memories = "Mind {memories}, {{char}}, an {relationship_stage}.", "- tea"
			s.Lore = []LoreItem{staying(LayerHooks, "To bring up", "the lamp", -1, true), staying(LayerMemories, "About them", "Ben fears water", 1, false), stood("new", -1, true),
				staying(LayerMemories, "About them", "Ben lies", -1, true), staying(LayerNote, "", "slowly", -1, true), staying(LayerHooks, "", "gone", 99, false)}
			s.Moment = "Here and now: the {{kitchen}}."
			s.LoreOut = []Part{{Layer: LayerMemories, Source: "a memory", Reason: "ten are told already", Tokens: 9}}
		},
		"empty": func(s *Snapshot) { s.Card, s.History = storage.Card{Name: "Nobody"}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			s := snapshot()
			s.Set = bare(t)
			change(&s)
			got := rendered(compile(t, s))
			path := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("want - got +\n%s", diff)
			}
		})
	}
}

func TestContentIsNotTouched(t *testing.T) {
	p := compile(t, snapshot())
	for i, want := range []string{"Who knocks?", "Ben.  ", " *opens* {{user}}?", "Let me in."} {
		if got := p.Messages[i+1].Content; got != want {
			t.Errorf("message %d is %q, stored %q", i, got, want)
		}
	}
}

func TestBuiltInPromptsLeaveNoMacro(t *testing.T) {
	for _, mode := range []Mode{Normal, Continue, Impersonate} {
		for _, level := range []storage.Immersion{storage.Minimal, storage.Balanced, storage.Full, storage.Unbounded, ""} {
			s := snapshot()
			s.History = s.History[3:]
			s.History = append(s.History, message(4, storage.Assistant, "Come."))
			s.Mode, s.Immersion, s.Recap = mode, level, &RecapBlock{Text: "- The storm.", Source: "running recap v1"}
			p := compile(t, s)
			if len(p.Warnings) > 0 || strings.Contains(fmt.Sprint(p.Messages), "{{") {
				t.Errorf("%v, %q: %v\n%v", mode, level, p.Warnings, p.Messages)
			}
			if _, ok := part(p, LayerImmersion, true); !ok {
				t.Errorf("%q: no instruction", level)
			}
		}
	}
}

func TestStablePartStaysWhileTimePasses(t *testing.T) {
	s := snapshot()
	s.Card.SystemPrompt = "{{time}} {{isotime}} {{date}} {{datetimeformat::HH:mm}} {{random::a::b::c}} {{roll:d1000}} {{input}} {{lastMessageId}} {{lastGenerationType}}"
	s.AuthorNote = "{{isotime}}"
	a := compile(t, s)
	s.Now = s.Now.Add(9 * time.Hour)
	s.History = append(s.History, message(4, storage.Assistant, "x"), message(5, storage.User, "y"))
	s.Mode = Swipe
	b := compile(t, s)
	if a.Messages[0] != b.Messages[0] {
		t.Errorf("the stable part moved:\n%s\n%s", a.Messages[0].Content, b.Messages[0].Content)
	}
	if x, y := a.Messages[len(a.Messages)-1].Content, b.Messages[len(b.Messages)-1].Content; x != "06:03" || y != "06:05" {
		t.Errorf("the note should tell when the newest message was sent: %q, %q", x, y)
	}
	s.Now = s.Now.Add(24 * time.Hour)
	if c := compile(t, s); c.Messages[0] == b.Messages[0] {
		t.Error("the date should be today's")
	}
}

// anything draws a snapshot of any shape.
func anything(t *rapid.T) Snapshot {
	prose := rapid.StringOfN(rapid.SampledFrom([]rune("ab {}<>:\n☃.")), 0, 60, -1)
	macro := rapid.SampledFrom([]string{"", "{{char}}", "{{time}}", "{{random::a::b}}", "{{setvar::x::1}}", "{{getvar::x}}", "{{lastMessage}}", "{{description}}", "{Memories}", "{hooks}"})
	field := func(name string) string { return prose.Draw(t, name) + macro.Draw(t, name+" macro") }
	s := snapshot()
	s.Card = storage.Card{Name: prose.Draw(t, "name"), Description: field("description"), SystemPrompt: field("system"), Scenario: field("scenario"),
		MessageExample: field("examples"), PostHistoryInstructions: field("post"), DepthPrompt: field("depth prompt"),
		DepthPromptDepth: rapid.IntRange(0, 6).Draw(t, "depth")}
	s.AuthorNote = field("note")
	s.Mode = rapid.SampledFrom([]Mode{Normal, Continue, Impersonate, Swipe, Regenerate}).Draw(t, "mode")
	s.Limits = Limits{Context: rapid.IntRange(300, 3000).Draw(t, "context"), Reply: 100}
	s.More = rapid.Bool().Draw(t, "more")
	n := rapid.IntRange(0, 60).Draw(t, "messages")
	s.History = nil
	roles := rapid.SampledFrom([]storage.Role{storage.User, storage.Assistant, storage.User, storage.Assistant, storage.System, storage.SceneCapture})
	for i := range n {
		s.History = append(s.History, message(i, roles.Draw(t, "role"), text(prose.Draw(t, "content"), rapid.IntRange(0, 60).Draw(t, "size"))))
	}
	if rapid.Bool().Draw(t, "remembered") {
		covers := rapid.IntRange(-1, n).Draw(t, "covers")
		s.Recap = covering(min(covers, n-1), rapid.IntRange(0, 5).Draw(t, "keep"))
		s.Recap.Text = text("memory", rapid.IntRange(0, 60).Draw(t, "recap"))
		if covers == n {
			s.Recap.Covers = "elsewhere"
		}
	}
	if rapid.Bool().Draw(t, "staged") {
		s.Actor = storage.Actor{Goal: field("goal"), Weights: map[string]int{"warmth": 80, "wit": 3}, Boundaries: field("boundaries")}
		s.Episode = &storage.Episode{Title: "One", Situation: field("situation"), Tactic: field("tactic")}
		s.EpisodeOver, s.TurnsLeft = rapid.Bool().Draw(t, "over"), rapid.IntRange(0, 3).Draw(t, "left")
		s.Group, s.Nudge, s.Memories = []Person{{Name: "Cy", Description: field("other"), Looks: field("looks")}, {Name: s.Card.Name}}, field("nudge"), "{hooks} "+field("memories")
	}
	if rapid.Bool().Draw(t, "told") {
		s.Lore = someLore(t, n)
	}
	if n > 0 && rapid.Bool().Draw(t, "windowed") {
		s.Window = s.History[rapid.IntRange(0, n-1).Draw(t, "window")].ID
	}
	return s
}

func TestSameSnapshotSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anything(t)
		before, err := json.Marshal(s.History)
		if err != nil {
			t.Fatal(err)
		}
		a, errA := Compile(s)
		b, errB := Compile(s)
		if !reflect.DeepEqual(a, b) || (errA == nil) != (errB == nil) {
			t.Fatalf("two runs differ:\n%+v\n%+v", a, b)
		}
		after, err := json.Marshal(s.History)
		if err != nil {
			t.Fatal(err)
		}
		if string(before) != string(after) {
			t.Fatal("the snapshot was changed")
		}
		if errA == nil && a.Tokens > s.Limits.Context-s.Limits.Reply {
			t.Fatalf("%d tokens in a context of %d", a.Tokens, s.Limits.Context)
		}
	})
}

func TestATurnOnlyAppends(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anything(t)
		s.Mode, s.Card.DepthPromptDepth = Normal, 0
		s.Lore = slices.DeleteFunc(s.Lore, func(it LoreItem) bool { return it.Place == LoreAtDepth })
		n := len(s.History)
		s.History = append(s.History, message(n, storage.User, "newest"))
		a, err := Compile(s)
		if err != nil {
			t.Skip("too long")
		}
		s.Window, s.Lore = a.Window, onward(s.Lore, a.Lore)
		for i := range s.Lore {
			s.Lore[i].Active = rapid.Bool().Draw(t, "fires again")
		}
		s.Lore = append(s.Lore, stood("another", -1, true))
		s.History = append(s.History, message(n+1, storage.Assistant, "reply"), message(n+2, storage.User, "next"))
		s.Now = s.Now.Add(time.Hour)
		b, err := Compile(s)
		lost := slices.ContainsFunc(a.Lore, func(l PinnedLore) bool { return !slices.Contains(b.Lore, l) })
		if err != nil || b.Folded || lost {
			t.Skip("folded")
		}
		at := 0
		for at < len(a.Messages) && a.Messages[at].Content != "newest" {
			at++
		}
		if got, want := b.Messages[:at+1], a.Messages[:at+1]; !reflect.DeepEqual(got, want) {
			t.Fatalf("the prompt was rewritten:\n%s", cmp.Diff(want, got))
		}
	})
}

func TestOnlyWantOfRoomTakesOutWhatNothingCovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anything(t)
		s.More = false
		if s.Recap == nil {
			s.Recap = covering(-1, 0)
		}
		p, err := Compile(s)
		if err != nil || p.Uncovered == 0 {
			return
		}
		budget := s.Limits.Context - s.Limits.Reply - margin(s.Limits.Context)
		s.Limits.Context *= 100
		all, err := Compile(s)
		if err != nil || all.Uncovered > 0 || float64(all.Tokens) < (foldAt-backFree)*float64(budget) {
			t.Fatalf("%d messages left out where %d of %d tokens would hold them; with more room still %d, %v",
				p.Uncovered, all.Tokens, budget, all.Uncovered, err)
		}
	})
}

func TestARequestAfterTheReplyKeepsTheCache(t *testing.T) {
	s := snapshot()
	s.AuthorNote = "{{roll:d100000}} {{lastMessage}} {{time}} {{idleDuration}}"
	turn := compile(t, s)
	seen := append(turn.Messages, Message{"assistant", "Come in."})
	s.History = append(s.History, message(4, storage.Assistant, "Come in."))
	s.Appended = "one two three"
	s.Now = s.Now.Add(time.Hour)
	job := compile(t, s)
	if got, want := Reread(seen, job.Messages, words), 3+messageTokens; got > want+messageTokens {
		t.Errorf("a job after the reply reads %d tokens again, want about %d", got, want)
	}
	cut := s
	cut.Appended, cut.Mode = "", Continue
	cut.History[4].State = storage.Stopped
	if got := Reread(seen, compile(t, cut).Messages, words); got != 0 {
		t.Errorf("carrying on a stopped reply reads %d tokens again", got)
	}
}

func TestReread(t *testing.T) {
	m := func(s ...string) (ms []Message) {
		for i, c := range s {
			ms = append(ms, Message{[]string{"system", "user", "assistant"}[i%3], c})
		}
		return ms
	}
	for _, c := range []struct {
		name       string
		prev, next []Message
		want       int
	}{
		{"cold", nil, m("a b", "c"), 3 + 2*messageTokens},
		{"same", m("a b", "c"), m("a b", "c"), 0},
		{"one more", m("a", "b"), m("a", "b", "c d"), 2 + messageTokens},
		{"shorter", m("a", "b", "c"), m("a", "b"), 0},
		{"within a message", m("a", "b c d", "e"), m("a", "b c x", "e"), 1 + messageTokens/2 + 1 + messageTokens},
		{"head changed", m("x", "b"), m("y", "b"), 2 + messageTokens/2 + messageTokens},
	} {
		if got := Reread(c.prev, c.next, words); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestLint(t *testing.T) {
	card := ada()
	if got := Lint(card); got != nil {
		t.Errorf("a quiet card: %q", got)
	}
	card.Description, card.SystemPrompt = "{{Time}} {{if x}}{{random:a,b}}{{/if}}", "{{roll d6}}"
	card.PostHistoryInstructions = "{{time}}" // the tail may change
	card.DepthPrompt, card.DepthPromptDepth = "x", 4
	got := strings.Join(Lint(card), "\n")
	for _, want := range []string{"{{time}} in its description", "{{random}} in its description", "{{roll}} in its main", "4 messages above"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not named in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n"); n != 3 {
		t.Errorf("%d lines too many or few:\n%s", n, got)
	}
}
