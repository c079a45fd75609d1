package promptbench

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

var boardJobs = []job{
	boardStep("board: beats", storyboard.RecommendBeats),
	boardStep("board: filler", storyboard.RecommendFiller),
	boardStep("board: budget", storyboard.BudgetPackages),
	boardStep("board: package", storyboard.GeneratePackage),
	boardStep("board: shots", storyboard.GenerateShots),
	boardStep("board: edit plan", storyboard.ProposeEdit),
	{"board: steering", []string{storyboard.SystemFile, storyboard.SceneFile, storyboard.SaidFile, storyboard.BoardFile,
		storyboard.SteerRulesFile, storyboard.SteerAloneFile}, askSteer},
}

// boardStep is a step of the planning. The plan has come as far as the step needs.
func boardStep(name, tool string) job {
	return job{name, []string{storyboard.SystemFile, storyboard.SceneFile, storyboard.SaidFile, storyboard.BoardFile,
		"storyboard/" + tool}, func(set *prompts.Set, s *story) *request {
		in := s.board()
		switch tool {
		case storyboard.RecommendBeats:
			in.Plan = storage.Plan{}
		case storyboard.RecommendFiller:
			in.Plan = storage.Plan{Stage: storage.BoardBeats, Beats: in.Plan.Beats, LastBeat: in.Plan.LastBeat}
		case storyboard.BudgetPackages:
			in.Plan.Budget, in.Plan.Packages, in.Plan.Shots = nil, nil, nil
		case storyboard.GeneratePackage:
			in.Plan.Packages, in.Plan.Shots, in.Beat = nil, nil, in.Plan.Beats[0].ID
		case storyboard.ProposeEdit:
			in.Instruction = s.Line
		}
		var answer json.RawMessage
		var call storage.ToolCall
		return &request{prompt: storyboard.Ask(set, tool, in), reply: jobReply, heat: jobHeat,
			schema: storyboard.Schema(tool, in), form: storyboard.Form(), into: &answer,
			check:    func() (err error) { call, err = storyboard.ReadAnswer(tool, in, answer); return err },
			usable:   func() bool { return call.Tool != "" },
			once:     tool == storyboard.RecommendBeats,
			shown:    map[string]span{"messages": upTo(len(s.Messages))},
			required: []string{"text", "description", "summary"}}
	}}
}

func (s *story) board() storyboard.Input {
	return storyboard.Input{Char: s.Char, User: s.User, Scene: s.Setting, Messages: s.shots(), Plan: s.Plan, Directions: []string{"Stay with whoever is silent."}}
}

// askSteer asks in the form for models that call no tools. The line asks for a change.
func askSteer(set *prompts.Set, s *story) *request {
	in := s.board()
	in.Instruction = s.Line
	var answer json.RawMessage
	taken := storyboard.SteerAnswer{}
	return &request{prompt: storyboard.Steer(set, in, false), reply: config.DefaultContext / 4, heat: jobHeat,
		schema: storyboard.SteerSchema(in),
		form:   storyboard.Form(), into: &answer,
		check: func() error {
			var err error
			if taken, err = storyboard.ReadSteerAnswer(in, answer); err != nil {
				return err
			}
			plan := in.Plan
			for _, c := range taken.Calls {
				if err := in.CheckDialogue(c); err != nil {
					return err
				}
				if plan, _, err = storyboard.Apply(plan, c); err != nil {
					return fmt.Errorf("%s: %w", c.Tool, err)
				}
			}
			if len(taken.Calls) == 0 && !taken.Question {
				return errors.New(storyboard.UnchangedReply(set))
			}
			return nil
		},
		usable:   func() bool { return len(taken.Calls) > 0 || taken.Reply != "" },
		required: []string{"reply", "description"}}
}
