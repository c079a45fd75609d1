package promptbench

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

var pictureJobs = []job{
	{"picture of the moment", []string{capture.SceneFile, capture.WriteFile, capture.AnswerFile, capture.ExampleFile,
		capture.TranscriptFile, capture.OrderMomentFile},
		func(set *prompts.Set, s *story) *request {
			return askCapture(set, s.moment())
		}},
	{"picture asked for", []string{capture.RequestedFile, capture.WriteFile, capture.AnswerOrderFile, capture.ExampleFile,
		capture.TranscriptFile, capture.OrderRequestedFile},
		func(set *prompts.Set, s *story) *request {
			in := s.moment()
			in.Requested = s.Asking
			return askCapture(set, in)
		}},
	{"other angles", []string{capture.ViewsFile}, askViews},
	{"picture wanted", []string{rules.PassFile, rules.PassPictureFile}, func(set *prompts.Set, s *story) *request {
		in := s.askingInput()
		return askWanted(in, s.chat(set, prompt.Normal, rules.Instruction(set, wanted, in), s.Asking))
	}},
}

var otherPictureJobs = []job{
	{"shot of a storyboard", []string{capture.ShotFile, capture.WriteFile, capture.AnswerOrderFile, capture.ExampleFile,
		capture.TranscriptFile, capture.OrderShotFile},
		func(set *prompts.Set, s *story) *request {
			in := s.moment()
			in.Shot = &s.Shot
			return askCapture(set, in)
		}},
	{"video of the moment", []string{capture.SceneVideoFile, capture.WriteVideoFile, capture.AnswerFile, capture.ExampleVideoFile,
		capture.TranscriptFile, capture.OrderMomentFile},
		func(set *prompts.Set, s *story) *request {
			in := s.moment()
			in.Kind = capture.Video
			return askCapture(set, in)
		}},
	{"video asked for", []string{capture.RequestedVideoFile, capture.WriteVideoFile, capture.AnswerOrderFile, capture.ExampleVideoFile,
		capture.TranscriptFile, capture.OrderRequestedFile},
		func(set *prompts.Set, s *story) *request {
			in := s.moment()
			in.Kind, in.Requested = capture.Video, s.Asking
			return askCapture(set, in)
		}},
	{"picture wanted, alone", []string{rules.PassFile, rules.PassPictureFile}, func(set *prompts.Set, s *story) *request {
		in := s.askingInput()
		return askWanted(in, rules.Request(set, wanted, in))
	}},
}

// moment is the end of the story with a camera.
func (s *story) moment() capture.Input {
	return capture.Input{Kind: capture.Image, Messages: s.nodes(), Character: s.character(), Persona: s.persona(),
		Camera:       storage.Camera{Shot: "medium"},
		People:       []capture.Person{{Name: s.Char, Looks: s.Appearance}, {Name: s.User, Looks: s.Looks}},
		DefaultStyle: "oil painting, muted colours", DefaultNegative: "text, watermark"}
}

func askCapture(set *prompts.Set, in capture.Input) *request {
	var raw, sound capture.Answer
	return &request{prompt: sent(capture.Messages(in, set)), reply: captureReply, heat: capture.Temperature(in),
		schema: capture.Schema(in), form: capture.MinimalSchema(in), into: &raw,
		check: func() error {
			sound = raw
			if faults := capture.Check(in, capture.CleanAnswer(in, raw)); len(faults) > 0 {
				return errors.New(capture.Corrections(faults))
			}
			return nil
		},
		usable:   func() bool { return strings.TrimSpace(sound.Prompt) != "" },
		required: []string{"prompt", "reasoning", "shows"}}
}

// askViews has a prompt of the house written for two other cameras.
func askViews(set *prompts.Set, s *story) *request {
	prompt := fmt.Sprintf("%s, %s, sits at a table and holds a letter. %s, %s, stands behind. "+
		"A medium shot at eye level shows both from the waist up, with the table in front. "+
		"Warm lamplight falls from the left. Oil painting, muted colours.", s.Char, s.Appearance, s.User, s.Looks)
	cameras := []storage.Camera{{Shot: "close", Angle: "low"}, {Shot: "wide", Angle: "high"}}
	var v capture.Views
	return &request{prompt: sent(capture.ViewsMessages(set, prompt, cameras, "")), reply: captureReply,
		heat: jobHeat, schema: capture.ViewsSchema(cameras),
		into: &v, check: func() error { return capture.CheckViews(v, cameras) },
		shown: map[string]span{"camera": upTo(len(cameras))}, required: []string{"text"}}
}

// wanted asks for nothing but whether a picture is asked for.
var wanted = rules.Parts{Picture: true}

// askingInput is the end of the story, with a line in which the user asks for a picture.
func (s *story) askingInput() rules.Input {
	in := s.passInput()
	in.Messages = append(in.Messages, rules.Line{ID: "asking", Speaker: s.User, Text: s.Asking, User: true})
	return in
}

// askWanted counts an answer as of no use that misses the wish: each story asks plainly.
func askWanted(in rules.Input, prompt []prompts.Message) *request {
	var a rules.Answer
	return &request{prompt: prompt, reply: intentReply, heat: jobHeat, schema: rules.Schema(wanted, in), form: rules.Form(wanted, in), into: &a,
		check: func() error { return a.Usable(wanted, in) },
		after: func() error {
			if w := a.Clean(wanted, in).Picture; w == nil || w.Kind != "image" {
				return errors.New("the wish is missed")
			}
			return nil
		}, required: []string{"subject"}}
}
