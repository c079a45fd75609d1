package lessons

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The user's words at a step of the planning are evidence, word for word and once,
// also where the model made the plan.
func TestHarvest_WishesAreEvidence(t *testing.T) {
	t.Parallel()
	wish := "Closer everywhere, please. " + strings.Repeat("And let them breathe. ", 30)
	step := func(tool, text string) storage.BoardCall {
		return storage.BoardCall{ToolCall: storage.ToolCall{Tool: tool}, By: storage.ByModel, Text: text}
	}
	h := Harvest([]storage.BoardCall{step("recommend_key_beats", wish), step("recommend_filler_strategy", wish), step("budget_beat_packages", "")})
	if len(h.Events) != 1 || h.Events[0].Type != storage.EventWish || h.Events[0].UserText != strings.TrimSpace(wish) || !Worth(h) {
		t.Errorf("%+v", h.Events)
	}
	talk := []storage.BoardTalk{{Line: "Closer, please"}, {Line: "What is s3?"}, {Line: "Wider", Calls: 2}, {Line: "Closer, please"}}
	if got := FromTalk(talk, nil); len(got) != 1 || got[0].UserText != "Closer, please" {
		t.Errorf("%+v", got)
	}
}

// Which workflow draws a picture is no taste of its prompt.
func TestFromEdits_WorkflowsAreNoTaste(t *testing.T) {
	t.Parallel()
	flow := storage.EditChange{Field: "workflow", Removed: "flux", Added: "sdxl"}
	if got := FromEdits([]storage.Edit{{Kind: ofCapture, Changes: []storage.EditChange{flow}}}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	both := []storage.EditChange{flow, {Field: "prompt", Removed: "soft light", Added: "hard light"}}
	if got := FromEdits([]storage.Edit{{Kind: ofCapture, Changes: both}}); len(got) != 1 || strings.Contains(got[0].Summary, "sdxl") {
		t.Errorf("%+v", got)
	}
}

// How sure a lesson is, and how often it was shown, is counted from the edits that its
// evidence names, whatever the model claims.
func TestKeepLessons_EvidenceIsCounted(t *testing.T) {
	t.Parallel()
	s := Scene{Harvested: Harvested{Events: []storage.EditEvent{
		{Type: storage.EventInitial, Summary: "6 shots planned"},
		{Type: storage.EventModify, Summary: "changed s1: size from wide to close up"},
		{Type: storage.EventModify, Summary: "changed s2: size from wide to close up"},
		{Type: storage.EventModify, Summary: mendedWords + "changed s3: description"},
		{Type: storage.EventWish, Summary: "asked for it while planning", UserText: "Closer everywhere, please"}}}}
	for _, c := range []struct {
		evidence string
		edits    int
		sure     storage.Confidence
	}{
		{"E2, E3: always closer", 2, storage.HighConfidence},
		{"E2, E2, E2: closer three times", 1, storage.MediumConfidence},
		{"E5: the director said so", 1, storage.HighConfidence},
		{"E2, E4: closer", 1, storage.MediumConfidence},
		{"E99: seen in many scenes", 0, storage.LowConfidence},
	} {
		l := storage.SceneLearning{Learning: "Frames go nearer under pressure", AppliesTo: "tense talks", Evidence: c.evidence, Confidence: storage.HighConfidence}
		if n := editsOf(s.Events, l); n != c.edits {
			t.Errorf("%q: %d edits, not %d", c.evidence, n, c.edits)
		}
		kept := KeepLessons(s, Lessons{SceneLearnings: []storage.SceneLearning{l}}).SceneLearnings
		if len(kept) != 1 || kept[0].Confidence != c.sure {
			t.Errorf("%q: %+v", c.evidence, kept)
		}
	}
	for text, want := range map[string]string{
		"The director often went closer.":                        "The director went closer.",
		"Shots were made longer in three of four scenes.":        "Shots were made longer.",
		"Always close, usually static; a beat longer every time": "close, static; a beat longer",
	} {
		if got := unclaimed(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A card that no lesson shows is kept for the user to see, and not told; the others
// say how often they were shown.
func TestKeepProfile_UnsupportedCardsAreNotTold(t *testing.T) {
	t.Parallel()
	m := memoryOf(1, storage.SceneLearning{Learning: "Hold reactions before an answer", AppliesTo: "confrontations", Evidence: "E1, E2", Confidence: storage.HighConfidence})
	m.Events = []storage.EditEvent{{Type: storage.EventModify, Summary: "changed s1: seconds from 2 s to 4 s"}, {Type: storage.EventModify, Summary: "changed s2: seconds from 2 s to 4 s"}}
	got := KeepProfile(Story{Memories: []storage.TasteMemory{m}}, Profile{ProfileSummary: "Reactions are always held.", PreferenceCards: []AnswerCard{
		{PreferenceCard: storage.PreferenceCard{Preference: "Hold reactions before an answer", AppliesTo: "confrontations", AvoidApplyingTo: "chases", Confidence: "high"}, Scenes: []int{1}},
		{PreferenceCard: storage.PreferenceCard{Preference: "Keep the camera low in comedies", AppliesTo: "comedies", AvoidApplyingTo: "chases", Confidence: "high"}, Scenes: []int{1}}}})
	if len(got.PreferenceCards) != 2 || got.PreferenceCards[0].Seen != (storage.CardCount{Scenes: 1, Edits: 2}) || !got.PreferenceCards[1].Unsupported {
		t.Fatalf("%+v", got.PreferenceCards)
	}
	block := Block(prompts.BuiltIn(), SteerTool, "", got, storage.TasteHand{}, nil, false).Block
	if !strings.Contains(block, "shown by 2 edits in 1 scene") || strings.Contains(block, "comedies") || strings.Contains(block, "always held") {
		t.Error(block)
	}
}
