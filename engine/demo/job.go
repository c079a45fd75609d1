package demo

import (
	"encoding/json"
	"slices"
)

// Job is the kind of task of a request with a schema.
type Job string

// The jobs of the program, by the content of their schemas. Every other schema is no job.
const (
	CaptureJob   Job = "capture"        // {reasoning, prompt, negative_prompt}
	ViewsJob     Job = "capture_views"  // {views: [{camera, sentences}]}
	DetectJob    Job = "detect"         // {status, rationale}
	SceneJob     Job = "scene_recap"    // {scene_name, recap, …}
	JoinJob      Job = "recap_join"     // {scene_name, recap, dropped, …}
	RunningJob   Job = "running_recap"  // {recap: {sections}, dropped}
	MessageJob   Job = "message_recap"  // {recap}
	QuestionsJob Job = "exam_questions" // {questions: [{question, answer, …}]}
	AnswersJob   Job = "exam_answers"   // {answers: [{number, answer}]}
	MarksJob     Job = "exam_marks"     // {marks: [{number, right}]}
	AskJob       Job = "knowledge_ask"  // {answer: [{text, from}]}
	LookupJob    Job = "lore_lookup"    // {type, synopsis, sameEntityIds, needsFullContextIds}
	ResolveJob   Job = "lore_resolve"   // {synopsis, resolvedId}
	MergeJob     Job = "lore_merge"     // {facts, dropped, canonicalName}, or {content, canonicalName}
	CompactJob   Job = "lore_compact"   // {facts, dropped}, or {content}
	// AfterTurnJob has any of {scene, director, memories, hooks, taken, outdated, settled, due,
	// when, picture}.
	AfterTurnJob Job = "after_turn"
	ProposalsJob Job = "proposals"     // {proposals}
	BeatsJob     Job = "board_beats"   // {beats: [{text, why, messages}]}
	FillerJob    Job = "board_filler"  // {amount, jobs, where, why}
	BudgetJob    Job = "board_budget"  // {budget: [{beat, key, filler, seconds}]}
	PackageJob   Job = "board_package" // {beat, shots}
	ShotsJob     Job = "board_shots"   // {order, fillers}
	EditJob      Job = "board_edit"    // {summary, calls}
	SteerJob     Job = "board_steer"   // {calls, reply, propose, question}
	LessonsJob   Job = "taste_lessons" // {sceneContextSummary, editSummary, sceneLearnings}
	ProfileJob   Job = "taste_profile" // {preferenceCards, profileSummary}
)

// Job returns the kind of task of a request, derived from the names of its schema's properties, ""
// if they belong to no job. Tests aim their faults by it.
func (c Call) Job() Job { return JobOf(c.Format) }

// Reads reports whether a request only has its prompt read: ahead, or as a part of a longer one.
func (c Call) Reads() bool {
	var body struct {
		Options struct {
			NumPredict int `json:"num_predict"`
		}
	}
	return c.Path == "/api/chat" && json.Unmarshal(c.Body, &body) == nil && body.Options.NumPredict == 1
}

// JobOf returns the job that a schema belongs to, "" for none.
func JobOf(format json.RawMessage) Job {
	root, err := readSchema(format)
	if err != nil {
		return ""
	}
	return root.job()
}

// job reads the root's properties.
func (s *schema) job() Job {
	item := func(list string, names ...string) bool {
		of := s.property(list)
		return of != nil && of.Items != nil && of.Items.has(names...)
	}
	switch {
	case s.has("prompt", "negative_prompt", "reasoning"):
		return CaptureJob
	case item("views", "camera", "sentences"):
		return ViewsJob
	case len(s.Properties) == 1 && s.has("proposals"):
		return ProposalsJob
	case s.has("status", "rationale"):
		return DetectJob
	case s.has("scene_name", "recap", "dropped"):
		return JoinJob
	case s.has("scene_name", "recap"):
		return SceneJob
	case s.has("recap", "dropped"), len(s.Properties) == 1 && s.has("recap"):
		if len(s.property("recap").Properties) > 0 {
			return RunningJob
		}
		return MessageJob
	case s.has("sameEntityIds", "needsFullContextIds"), s.has("same_entity_ids", "needs_full_context_ids"):
		return LookupJob
	case s.has("resolvedId"), s.has("resolved_id"):
		return ResolveJob
	case s.has("facts", "canonicalName"), s.has("content", "canonicalName"), s.has("content", "canonical_name"):
		return MergeJob
	case len(s.Properties) == 2 && s.has("facts", "dropped"), len(s.Properties) == 1 && s.has("content"):
		return CompactJob
	case s.afterTurn():
		return AfterTurnJob
	case s.has("sceneContextSummary", "sceneLearnings"):
		return LessonsJob
	case s.has("preferenceCards", "profileSummary"):
		return ProfileJob
	case item("questions", "question", "answer"):
		return QuestionsJob
	case item("answers", "number", "answer"):
		return AnswersJob
	case item("marks", "number", "right"):
		return MarksJob
	case item("answer", "text", "from"):
		return AskJob
	}
	return s.boardJob(item)
}

// boardJob returns the storyboard job that a schema belongs to. item reports whether the entries of
// a list have some properties.
func (s *schema) boardJob(item func(list string, names ...string) bool) Job {
	switch {
	case item("beats", "text", "messages"):
		return BeatsJob
	case s.has("amount", "jobs"):
		return FillerJob
	case item("budget", "beat", "key", "filler"):
		return BudgetJob
	case s.has("beat") && item("shots", "description"):
		return PackageJob
	case s.has("order"):
		return ShotsJob
	case s.has("summary", "calls"):
		return EditJob
	case s.has("reply", "calls"):
		return SteerJob
	}
	return ""
}

// afterTurn reports whether a schema asks for a part of the pass after a turn.
func (s *schema) afterTurn() bool {
	return slices.ContainsFunc([]string{"scene", "director", "memories", "hooks", "picture"},
		func(name string) bool { return s.has(name) })
}

func (s *schema) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return s.property(n) == nil })
}

// property returns the schema of a property, nil for none.
func (s *schema) property(name string) *schema {
	for _, p := range s.Properties {
		if p.name == name {
			return p.schema
		}
	}
	return nil
}
