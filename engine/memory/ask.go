package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Question is something that is asked about a play, outside of it.
type Question struct {
	Chat storage.ChatID
	As   storage.CharacterID // uses what this one may know; "" uses everything
	Text string
}

// Answer is the answer to a question about a play; Lines is empty if the story does not say.
type Answer struct {
	Model string       `json:"model"` // that was asked, "" if nothing is relevant to the question
	Lines []AnswerLine `json:"answer"`
}

// AnswerLine is a sentence of an answer and the material it is based on.
type AnswerLine struct {
	Text string     `json:"text"`
	From []Material `json:"from"`
}

// Material is a fact or a sentence of a message that a model was shown.
type Material struct {
	Kind    facts.Kind     `json:"kind"`
	Text    string         `json:"text"`
	Message storage.NodeID `json:"message"` // the newest that it rests on, "" for none
	Number  int            `json:"number"`  // the message's number in chat show, 0 for none
	Name    string         `json:"name"`    // the speaker
}

// Bounds of a question and of the material that is shown with it.
const (
	maxAsked    = 600          // bytes
	maxShown    = 1200 * 7 / 2 // bytes, about 1,200 tokens
	maxBearing  = 60
	maxAnswered = 4
	mostFrom    = 6   // lines that a sentence names
	maxReplied  = 300 // characters of a sentence
)

// modelAnswer is a model's answer.
type modelAnswer struct {
	Answer []struct {
		From []int  `json:"from"`
		Text string `json:"text"`
	} `json:"answer"`
}

// AnswerSchema returns the schema of the answer to a question with the given number of lines. The
// model cites lines before it states what they say.
func AnswerSchema(lines int) json.RawMessage {
	lines = max(lines, 1)
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"answer":{"type":"array","maxItems":%d,`+
		`"items":{"type":"object","properties":{`+
		`"from":{"type":"array","maxItems":%d,"items":{"type":"integer","minimum":1,"maximum":%d}},`+
		`"text":{"type":"string","minLength":1,"maxLength":%d}},"required":["from","text"],`+
		`"additionalProperties":false}}},"required":["answer"],"additionalProperties":false}`,
		maxAnswered, min(lines, mostFrom), lines, maxReplied))
}

// answerForm is the accepted form of an answer. A sentence without a number is left out; the answer
// is not refused.
const answerForm = `{"type":"object","properties":{"answer":{"type":"array"}},"required":["answer"]}`

// Answer asks the model for questions a question about the play, and stores nothing. The material
// in its prompt relates to the question and is known to Question.As. A sentence that is based on
// none of the material is left out.
func (svc *Service) Answer(ctx context.Context, q Question) (out Answer, err error) {
	q.Text = prefix(oneLine(q.Text), maxAsked)
	if q.Text == "" {
		return out, failure.Wrap("ask about the story", failure.Refusef("enter a question"))
	}
	if err := svc.chats.Index(ctx, q.Chat, 1, func(int) {}); err != nil {
		return out, failure.Wrap("ask about the story", err)
	}
	near := svc.Embedding(ctx, q.Text)
	var c storage.Chat
	var list []Material
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if c, err = storage.Chats.Get(tx, q.Chat); err != nil {
			return err
		}
		if err := checkInCast(c, q.As); err != nil {
			return err
		}
		list, err = svc.material(tx, c, q, near)
		return err
	})
	if err != nil || len(list) == 0 {
		if err != nil {
			err = failure.Wrap("ask about the story", err)
		}
		return out, err
	}
	j, err := svc.models.Job(ctx, models.JobAsk, c)
	if err != nil {
		return out, err
	}
	j.Options.NumPredict = min(j.Options.NumPredict, 400)
	var g modelAnswer
	form := models.AnswerForm{Schema: AnswerSchema(len(list)), Form: []byte(answerForm), Into: &g}
	if err := svc.models.AskJob(ctx, j, askPrompt(svc.core.Prompts(), list, q.Text), form,
		func(queue.Progress) {}); err != nil {
		return out, err
	}
	out.Model, out.Lines = j.Model, g.groundedLines(list)
	return out, nil
}

func askPrompt(set *prompts.Set, list []Material, question string) []prompts.Message {
	var b strings.Builder
	for i, m := range list {
		who := ""
		if m.Kind == facts.Played && m.Name != "" {
			who = m.Name + ": "
		}
		fmt.Fprintf(&b, "[%d] %s%s\n", i+1, who, strings.NewReplacer("<", "‹", ">", "›").Replace(m.Text))
	}
	return set.Request("knowledge/ask", map[string]string{"lines": strings.TrimSpace(b.String()),
		"question": strings.NewReplacer("<", "‹", ">", "›").Replace(question)})
}

// groundedLines returns the sentences of an answer that cite the prompt's material.
func (g *modelAnswer) groundedLines(list []Material) (out []AnswerLine) {
	for _, s := range g.Answer {
		line := AnswerLine{Text: prefix(oneLine(s.Text), maxAsked)}
		for _, n := range s.From {
			if n >= 1 && n <= len(list) && !slices.Contains(line.From, list[n-1]) {
				line.From = append(line.From, list[n-1])
			}
		}
		if line.Text != "" && len(line.From) > 0 && len(out) < maxAnswered {
			out = append(out, line)
		}
	}
	return out
}

// material returns what is relevant to a question, oldest first: facts, and sentences of messages
// with their neighbours.
func (svc *Service) material(tx *storage.Tx, c storage.Chat, q Question, near []float32) ([]Material, error) {
	m := chats.ViewpointOf(c, q.As, false)
	if q.As == "" {
		m.Speaker = ""
	}
	p := PathsOf(tx, chats.ScopeOf(c), c.ID, c.Head)
	known := p.Memories()
	g, err := svc.gatherFacts(tx, c, known, p.Hooks())
	if err != nil {
		return nil, err
	}
	x := svc.indexOf(c.ID)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.sync(tx, c.Head, known); err != nil {
		return nil, err
	}
	kept := facts.Index{}
	for i := range g.list {
		if x := &g.list[i]; x.knownTo(m) {
			kept.Put(facts.Fact{ID: x.ID, Kind: x.Kind, Text: x.Text, Subject: x.Subject, Depth: x.depth,
				Messages: newestOf(x.Sources)})
		}
	}
	room := maxShown
	met := map[string]bool{}
	var hits []facts.Fact
	add := func(f *facts.Fact) {
		if f == nil || met[f.ID] || met[f.Text] || room < len(f.Text)+12 {
			return
		}
		met[f.ID], met[f.Text] = true, true
		room -= len(f.Text) + 12
		hits = append(hits, *f)
	}
	for _, h := range kept.About(nil, q.Text, maxBearing/2, nil) {
		if room > maxShown/2 {
			add(h.Fact)
		}
	}
	byText := map[string]*facts.Fact{}
	var texts []string
	for f := range kept.All {
		byText[f.Text] = f
		texts = append(texts, f.Text)
	}
	slices.Sort(texts)
	for _, text := range x.near(svc, tx, chats.ScopeOf(c), near, texts, 2*mostNear) {
		add(byText[text])
	}
	said := x.about(tx, q.Text, maxBearing, func(f *facts.Fact) bool {
		return f.Kind == facts.Played && mayKnow(tx, m, f)
	})
	for _, h := range said {
		add(h.Fact)
	}
	for _, h := range said {
		at := strings.LastIndexByte(h.ID, '/')
		var n int
		if _, err := fmt.Sscan(h.ID[at+1:], &n); err == nil {
			add(x.fact(tx, h.ID[:at+1]+fmt.Sprint(n-1)))
			add(x.fact(tx, h.ID[:at+1]+fmt.Sprint(n+1)))
		}
	}
	slices.SortStableFunc(hits, func(a, b facts.Fact) int { return cmp.Compare(a.Depth, b.Depth) })
	var out []Material
	for _, f := range hits {
		x := Material{Kind: f.Kind, Text: oneLine(f.Text)}
		if len(f.Messages) > 0 {
			n, err := tx.Node(c.ID, f.Messages[len(f.Messages)-1])
			if err != nil && !errors.Is(err, storage.ErrNotFound) {
				return nil, err
			}
			x.Message, x.Number, x.Name = n.ID, n.Depth+1, n.Name
		}
		out = append(out, x)
	}
	return out, nil
}

func newestOf(list []Source) (out []storage.NodeID) {
	for _, s := range list {
		out = append(out, s.Message)
	}
	return out
}
