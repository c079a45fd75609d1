package director_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// passOf is the answer of a model to a pass, with lists of its own.
func passOf(memories, rest string) string {
	return `{"scene":{"rationale":"No cue.","status":false},"director":{"beat":"they talk","setting":"the stage, midnight","open":"","why":"","tone":"calm","tension":10,"status":"going","visual_hint":"","visual_type":"none"},` +
		`"memories":[` + memories + `],"hooks":[]` + rest + `}`
}

const brokenHand = `{"from":[1],"type":"fact","content":"Clara has a broken hand.","importance":0.7}`

// What a model answers, played honestly and carelessly, and what becomes of a memory.
func TestAfterTurn_WhatIsOver(t *testing.T) {
	const healed = `{"from":[1],"type":"fact","content":"Clara's hand is healed.","importance":0.7}`
	for name, c := range map[string]struct {
		memories, rest string
		ends           storage.EndKind
		instead        string
	}{
		"honest, outdated":        {healed, `,"outdated":[{"why":"it is healed","from":[1],"fact":1}],"settled":[]`, storage.Outdated, "Clara's hand is healed."},
		"honest, settled":         {"", `,"outdated":[],"settled":[{"why":"","from":[],"fact":1}]`, storage.Settled, ""},
		"nothing is over":         {"", `,"outdated":[],"settled":[]`, "", ""},
		"numbers as texts":        {"", `,"outdated":["[1]"],"settled":"none"`, storage.Outdated, ""},
		"an object":               {"", `,"outdated":[{"fact":1,"why":"healed"}]`, storage.Outdated, ""},
		"a number alone":          {"", `,"outdated":1`, storage.Outdated, ""},
		"no such number":          {"", `,"outdated":[7,0,-3],"settled":["x"]`, "", ""},
		"the lists are missing":   {healed, ``, "", ""},
		"said anew and over":      {brokenHand, `,"outdated":[1]`, "", ""},
		"both":                    {"", `,"outdated":[1],"settled":[1]`, storage.Settled, ""},
		"what cannot be read":     {`"nonsense"`, `,"outdated":{"a":"b"},"settled":[1],"taken":"?"`, storage.Settled, ""},
		"prose around the answer": {"", `,"outdated":[1]`, storage.Outdated, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewHarness(t, directing, enginetest.Detecting)})
			said := passOf(brokenHand, "")
			s.answers(func(demo.Call) string {
				if strings.HasPrefix(name, "prose") {
					return "Here it is:\n```json\n" + said + "\n```\nI hope that helps."
				}
				return said
			})
			s.Say("Clara has broken her hand.")
			s.Worked()
			said = passOf(c.memories, c.rest)
			turn := s.Say("Clara's hand is healed, I say.")
			s.Worked()
			list, err := s.Memory.Memories(memory.Query{Chat: s.Chat, All: true, Search: "broken"})
			enginetest.Must(t, err)
			if len(list.List) != 1 {
				t.Fatalf("%+v", list.List)
			}
			m := list.List[0]
			if c.ends == "" {
				if m.Ended != nil || !m.Holds {
					t.Errorf("it has ended: %+v", m.Ended)
				}
				return
			}
			if m.Ended == nil || m.Holds || m.InPrompt || m.Ended.Kind != c.ends || m.Ended.Node != turn.Message || m.Ended.Instead != c.instead || (c.instead != "") != (m.Ended.By != "") {
				t.Fatalf("%+v %+v", m, m.Ended)
			}
			s.Say("And now?")
			if prompt := s.lastTurn(); strings.Contains(prompt, "broken hand") || !strings.Contains(prompt, "hand is healed") {
				t.Errorf("the next prompt:\n%s", prompt)
			}
		})
	}
}

// A look that the messages have ended is no longer used for pictures.
func TestAfterTurn_LooksThatAreOver(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, directing, enginetest.Detecting)}
	f, err := s.Pictures.Continuity.Save(s.Chat, storage.Fact{Kind: storage.FactClothes, Who: "Robin", Text: "a heavy raincoat"})
	enginetest.Must(t, err)
	s.answers(func(demo.Call) string {
		return passOf("", `,"outdated":[{"why":"it is off","from":[1],"fact":1}],"settled":[]`)
	})
	turn := s.Say("I take the raincoat off.")
	s.Worked()
	sheet, err := s.Pictures.Continuity.Facts(s.Chat)
	enginetest.Must(t, err)
	if i := slices.IndexFunc(sheet, func(x storage.Fact) bool { return x.ID == f.ID }); i < 0 || sheet[i].Ended != turn.Message {
		t.Errorf("it has not ended: %+v", sheet)
	}
	memories, err := s.Memory.Memories(memory.Query{Chat: s.Chat, All: true})
	enginetest.Must(t, err)
	if len(memories.List) != 0 {
		t.Errorf("%+v", memories.List)
	}
}

// lastTurn is the newest prompt of a reply.
func (s *harness) lastTurn() (out string) {
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" && len(c.Format) == 0 {
			out = ""
			for _, m := range c.Messages {
				out += m.Content + "\n"
			}
		}
	}
	return out
}

func (s *harness) lastPass() (out string) {
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" && isPass(c) {
			out = c.Messages[len(c.Messages)-1].Content
		}
	}
	return out
}

// A pass contains the facts near the exchange, and the place of the scene.
func TestAfterTurn_IsShownWhatIsKnown(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, directing, enginetest.Detecting)})
	said := passOf(brokenHand+`,{"from":[1],"type":"goal","content":"Robin looks for the harbour map.","importance":0.5}`, "")
	s.answers(func(demo.Call) string { return said })
	s.Say("Clara has broken her hand. I look for the harbour map.")
	s.Worked()
	if p := s.lastPass(); strings.Contains(p, "<facts>\n") || strings.Contains(p, "Scene before") {
		t.Errorf("nothing is known yet:\n%s", p)
	}
	said = passOf("", "")
	s.Say("How is that hand of hers?")
	s.Worked()
	if p := s.lastPass(); !strings.Contains(p, "<facts>\n1. Clara has a broken hand.\n") || !strings.Contains(p, "Scene before the numbered messages: the stage, midnight\n") ||
		!strings.Contains(p, "[1] Robin, beginning “How is that hand of hers?”") {
		t.Errorf("the pass:\n%s", p)
	}
}
