package play_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// grammar has a real server make a grammar of a schema, and its model of random weights write what
// the grammar allows: a complete answer must be accepted.
type grammar struct {
	name   string
	prompt []prompts.Message
	schema json.RawMessage
	room   int // tokens
	into   any
}

func realGrammars(t *testing.T, list []grammar) {
	t.Helper()
	url, model := ollamatest.Real(t)
	c, err := ollama.New(url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, g := range list {
		seed := 1
		req := ollama.Request{Model: model, Options: ollama.Options{NumCtx: 8192, NumPredict: g.room, Seed: &seed}}
		for _, m := range g.prompt {
			req.Messages = append(req.Messages, ollama.Message{Role: m.Role, Content: m.Content})
		}
		var cut *ollama.AnswerError
		res, err := c.Structured(t.Context(), req, g.schema, g.into, nil, nil)
		if err != nil && (!errors.As(err, &cut) || cut.Ending != ollama.EndLength) {
			t.Errorf("%s: %v: %s", g.name, err, res.Content)
		}
		if !strings.HasPrefix(strings.TrimSpace(res.Content), "{") {
			t.Errorf("%s: it does not keep to the schema: %s", g.name, res.Content)
		}
		t.Logf("%s: %d tokens in %v, %s", g.name, res.ReplyTokens, res.Total, res.Ending)
	}
}

// With short texts the model gets to the facts that may be left out.
func TestReal_CaptureSchemasMakeGrammars(t *testing.T) {
	talk := []storage.Node{{Role: storage.User, Content: "Show me a picture of you."},
		{Role: storage.Assistant, Content: "*She lifts the lamp.*"}}
	set := prompts.BuiltIn()
	asked := func(list []capture.Message) (out []prompts.Message) {
		for _, m := range list {
			out = append(out, prompts.Message(m))
		}
		return out
	}
	image := asked(capture.Messages(capture.Input{Kind: capture.Image, Messages: talk}, set))
	video := asked(capture.Messages(capture.Input{Kind: capture.Video, Requested: "Tove", Messages: talk}, set))
	short := func(schema json.RawMessage) json.RawMessage {
		return json.RawMessage(strings.NewReplacer("1990", "30", "1200", "30", "650", "12", "500", "12", "600", "12", "160",
			"12", "300", "12", `:80}`, `:8}`).Replace(string(schema)))
	}
	var answer capture.Answer
	realGrammars(t, []grammar{
		{"image", image, capture.Schema(capture.Input{Kind: capture.Image}), 16, &answer},
		{"video", video, capture.Schema(capture.Input{Kind: capture.Video}), 16, &answer},
		{"short image", image[1:], short(capture.Schema(capture.Input{Kind: capture.Image})), 200, &answer},
		{"short video", video[1:], short(capture.Schema(capture.Input{Kind: capture.Video})), 200, &answer},
	})
}

func TestReal_BoardSchemasMakeGrammars(t *testing.T) {
	set := prompts.BuiltIn()
	in := storyboard.Input{Char: "Tove", User: "Robin", Instruction: "slower", Beat: "b1",
		Messages: []storyboard.Message{{ID: "m1", Name: "Robin", Text: "I put the letter on the table."},
			{ID: "m2", Name: "Tove", Text: "*She burns it over the lamp.*"}}}
	for tool, params := range map[string]string{
		storyboard.RecommendBeats: `{"beats":[{"text":"Tove burns the letter."}]}`,
		storyboard.InsertShot: `{"shots":[{"kind":"key","description":"The letter ` +
			`burns."},{"kind":"filler","description":"The lamp."}]}`,
	} {
		plan, _, err := storyboard.Apply(in.Plan, storage.ToolCall{Tool: tool, Params: json.RawMessage(params)})
		enginetest.Must(t, err)
		in.Plan = plan
	}
	var answer json.RawMessage
	list := []grammar{{"steer", storyboard.Steer(set, in, false), storyboard.SteerSchema(in), 100, &answer},
		{"lessons", lessons.AskLessons(set, lessons.Scene{Char: "Tove", User: "Robin"}, 0), lessons.LessonsSchema(),
			100, &answer},
		{"profile", lessons.AskProfile(set, lessons.Story{}, 0), lessons.ProfileSchema(lessons.Story{}), 100, &answer}}
	for _, tool := range storyboard.Tools() {
		if tool.Planning {
			list = append(list, grammar{tool.Name, storyboard.Ask(set, tool.Name, in), storyboard.Schema(tool.Name, in),
				100, &answer})
		}
	}
	realGrammars(t, list)
}
