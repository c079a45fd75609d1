package scene

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/coverage"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Join is the work of the recaps of scenes that follow each other into one, as if they
// had been a single scene. Every fact of theirs comes out of it, as out of a Merge.
type Join struct {
	Scenes     []storage.Recap // oldest first
	Style      string
	User, Char string // names
	// Parts says that they are the records of the parts of one scene.
	Parts bool

	part bool // of a join, see Split
}

// Split is the join heading by heading, for records that are too long to be asked about
// at once. Together puts what becomes of them together again.
func (j Join) Split() []Join {
	var out []Join
	for i := range headings5 {
		p := j
		p.part, p.Scenes = true, slices.Clone(j.Scenes)
		for n := range p.Scenes {
			p.Scenes[n].Text = under(p.Scenes[n].Text, i)
		}
		out = append(out, p)
	}
	return out
}

// Trivial tells whether there is nothing to be weighed: one record at most tells
// anything.
func (j Join) Trivial() bool {
	telling := 0
	for _, r := range j.Scenes {
		if len(Bullets(r.Text)) > 0 {
			telling++
		}
	}
	return telling < 2
}

func (j Join) weigh() *weighing {
	w := &weighing{}
	for i, r := range j.Scenes {
		w.add(r, i == len(j.Scenes)-1)
	}
	return w
}

// Prompt asks for the one recap. The answer is a JoinAnswer.
func (j Join) Prompt(set *prompts.Set) []Prompt {
	user, char := named(j.User, j.Char)
	var list strings.Builder
	n, what := 0, "Scene"
	if j.Parts {
		what = "Part"
	}
	for i, r := range j.Scenes {
		var bullets string
		bullets, n = bulletList(r, n, nil)
		fmt.Fprintf(&list, "%s %d of %d: %s\n%s\n\n", what, i+1, len(j.Scenes), or(prompts.OneLine(r.SceneName), "without a name"), bullets)
	}
	return set.Request(JoinFile, map[string]string{
		"user": user, "char": char, "style": style(set, j.Style, user, char),
		"scenes": or(strings.TrimSpace(list.String()), nothing), "count": fmt.Sprint(len(j.Scenes)), "facts": fmt.Sprint(n),
	})
}

// JoinSchema bounds the answer to the prompt of a join.
func JoinSchema(j Join) json.RawMessage {
	recap := recapProperty("bullets", mergeItems)
	if j.part {
		recap = strings.Replace(recap, `"minItems":1,`, "", 1)
	}
	return json.RawMessage(`{"type":"object","properties":{"scene_name":{"type":"string","minLength":1,"maxLength":120},` +
		recap + `,"dropped":` + coverage.DroppedSchema +
		`,"atmosphere":{"type":"string","maxLength":400},"emotional_beats":{"type":"string","maxLength":400}},` +
		`"required":["scene_name","recap","dropped","atmosphere","emotional_beats"],"additionalProperties":false}`)
}

// JoinForm is to JoinSchema what RecapForm is to RecapSchema.
func JoinForm() json.RawMessage { return MergeForm() }

// JoinAnswer is a model's answer to Join.Prompt. Its numbers mean nothing without the
// Join.
type JoinAnswer struct {
	merge                   MergeAnswer
	name, atmosphere, beats string
}

// UnmarshalJSON takes an answer in, as that of Answer does.
func (a *JoinAnswer) UnmarshalJSON(data []byte) error {
	var whole Answer
	var merge MergeAnswer
	if err := json.Unmarshal(data, &merge); err != nil {
		return err
	}
	if err := json.Unmarshal(data, &whole); err != nil {
		return err
	}
	*a = JoinAnswer{merge: merge, name: whole.name, atmosphere: whole.atmosphere, beats: whole.beats}
	return nil
}

// Check finds what is wrong with an answer, in words for the model.
func (j Join) Check(a *JoinAnswer) error {
	if !j.part {
		if err := a.merge.body.check(); err != nil {
			return err
		}
	}
	return j.weigh().complain(&a.merge)
}

// Usable tells whether a recap can be made of an answer that Check finds fault with.
func (j Join) Usable(a *JoinAnswer) bool { return a.merge.read }

// Draft makes the one recap of an answer; see Merge.Draft.
func (j Join) Draft(a *JoinAnswer) (Draft, MergeDraft) {
	m := j.weigh().draft(&a.merge, j.Style == Narrative)
	d := Draft{SceneName: a.name, Text: m.Text, Atmosphere: a.atmosphere, EmotionalBeats: a.beats, Sources: m.Sources}
	if last := len(j.Scenes) - 1; last >= 0 {
		d.SceneName = or(d.SceneName, j.names())
		d.Atmosphere, d.EmotionalBeats = or(d.Atmosphere, j.Scenes[last].Atmosphere), or(d.EmotionalBeats, j.Scenes[last].EmotionalBeats)
	}
	return d, m
}

// names is what the one scene is called by those of the several.
func (j Join) names() string {
	if last := len(j.Scenes) - 1; j.Parts {
		return j.Scenes[last].SceneName // which names the whole scene
	}
	var names []string
	for _, r := range j.Scenes {
		if name := prompts.OneLine(r.SceneName); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return prompts.Bounded(strings.Join(names, ", "), maxName)
}

var _ json.Unmarshaler = (*JoinAnswer)(nil)
