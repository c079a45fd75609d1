package promptbench

import (
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

var tasteJobs = []job{
	{"lessons", []string{lessons.LessonsFile}, askLessons},
	{"profile", []string{lessons.ProfileFile}, askProfile},
}

func askLessons(set *prompts.Set, s *story) *request {
	in := lessons.Scene{Char: s.Char, User: s.User, Name: s.Setting, Recap: s.recap(1).Text, Material: lessons.Material{Names: s.names()},
		HarvestResult: lessons.HarvestResult{Events: s.Events}}
	var a lessons.Lessons
	return &request{prompt: lessons.AskLessons(set, in, lessons.LessonsBudget), reply: jobReply, heat: jobHeat,
		schema: lessons.LessonsSchema(), form: lessons.LessonsForm(),
		into: &a, check: func() error { return lessons.CheckLessons(in, a) }, usable: a.Usable, once: true,
		required: []string{"sceneContextSummary", "editSummary", "learning", "appliesTo", "evidence"}}
}

// askProfile has the story's cards as what two scenes have taught.
func askProfile(set *prompts.Set, s *story) *request {
	learnt := func(c storage.PreferenceCard) storage.SceneLearning {
		return storage.SceneLearning{Learning: c.Preference, AppliesTo: c.AppliesTo,
			AvoidApplyingTo: c.AvoidApplyingTo, Evidence: "E2", Confidence: c.Confidence}
	}
	in := lessons.Story{Material: lessons.Material{Names: s.names()}}
	for range 2 {
		in.Memories = append(in.Memories,
			storage.TasteMemory{
				SceneContextSummary: "A quiet talk in a dangerous place: two people begin to trust each other.",
				EditSummary:         "The director changed sizes and times of shots.",
				SceneLearnings:      []storage.SceneLearning{learnt(s.Cards[0])}, Events: s.Events})
	}
	var a lessons.Profile
	return &request{prompt: lessons.AskProfile(set, in, lessons.ProfileBudget), reply: jobReply, heat: jobHeat,
		schema: lessons.ProfileSchema(in), form: lessons.ProfileForm(),
		into: &a, check: func() error { return lessons.CheckProfile(in, a) }, usable: a.Usable,
		shown: map[string]span{"scenes": upTo(len(in.Memories))}, required: []string{"preference", "appliesTo",
			"profileSummary"}}
}
