package promptbench

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/play/beats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/passage"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// jobs are all questions. Those that begin alike follow each other, so that the server reads
// the beginning once; other ways to ask the same come last, since time may be short.
var jobs = slices.Concat(playJobs, sceneJobs, knowledgeJobs, pictureJobs, boardJobs, tasteJobs,
	otherPlayJobs, otherSceneJobs, otherPictureJobs)

// Numbers that the program asks with, where they are not exported.
const (
	jobReply     = 2048 // house: the room for the answer of background work
	jobHeat      = 0.3  // house: its temperature
	playHeat     = 0.8  // what a model's own temperature mostly is
	beatsReply   = 400  // play
	askReply     = 400  // knowledge
	captureReply = 1600 // pictures
	intentReply  = 200  // pictures
)

var playJobs = []job{
	{"reply", []string{"chat/main"}, func(set *prompts.Set, s *story) *request {
		return &request{prompt: s.chat(set, prompt.Normal, "", s.Next), reply: config.DefaultReply, heat: playHeat,
			prose: s.turnOf(s.Char, s.User)}
	}},
	{"impersonate", []string{"chat/main", "chat/impersonate", "chat/outline"},
		func(set *prompts.Set, s *story) *request {
			return &request{prompt: s.chat(set, prompt.Impersonate, ""), reply: config.DefaultReply, heat: playHeat,
				prose: s.turnOf(s.User, s.Char)}
		}},
	{"continue", []string{"chat/main", "chat/continue"}, func(set *prompts.Set, s *story) *request {
		return &request{prompt: s.chat(set, prompt.Continue, ""), reply: config.DefaultReply, heat: playHeat,
			prose: s.turnOf(s.Char, s.User)}
	}},
	{"rewrite", []string{"chat/rewrite"}, askRewrite},
	{"beats", []string{"chat/beats", "chat/beats-open", "chat/beats-about"}, askBeats},
	{"pass", []string{rules.PassFile, rules.PassBreakFile, rules.PassDirectorFile, rules.PassMemoriesFile,
		rules.PassHooksFile, rules.PassTakenFile, rules.PassOutdatedFile, rules.PassDueFile, rules.PassWhenFile, rules.PassPictureFile}, askPass},
}

var otherPlayJobs = []job{
	{"write on", []string{"chat/write-on"}, askWriteOn},
	{"pass alone", []string{rules.PassFile}, askPassAlone},
}

// chat is the chat's own prompt. With an instruction that stands at its end.
func (s *story) chat(set *prompts.Set, mode prompt.Mode, instruction string, says ...string) []prompts.Message {
	snap := prompt.Snapshot{Card: s.card(), Immersion: storage.Full, Persona: s.persona(),
		History: s.nodes(says...), Mode: mode, Set: set,
		Limits: prompt.Limits{Context: config.DefaultContext, Reply: config.DefaultReply}, Appended: instruction,
		Now: time.Date(2026, 3, 5, 7, 8, 9, 0, time.UTC), Chat: "01KJYFG0000000000000000000", Model: "bench"}
	if mode == prompt.Impersonate {
		snap.Outline = s.Outline
	}
	p, err := prompt.Compile(snap)
	if err != nil {
		panic(err) // the material is fixed
	}
	var out []prompts.Message
	for _, m := range p.Messages {
		out = append(out, prompts.Message{Role: m.Role, Content: m.Content})
	}
	return out
}

// turnOf judges the turn of somebody: it is there, repeats no message, and speaks for nobody else.
func (s *story) turnOf(who, other string) func(string) error {
	return func(answer string) error {
		answer = strings.TrimSpace(answer)
		plain := plainWords(answer)
		switch {
		case plain == "":
			return errors.New("empty")
		case strings.HasPrefix(answer, "["):
			return errors.New("out of character")
		}
		for _, m := range s.Messages {
			if plainWords(m.Text) == plain {
				return errors.New("repeats a message")
			}
		}
		for line := range strings.Lines(answer) {
			for _, name := range voice.Names(other, who) {
				if strings.HasPrefix(strings.TrimLeft(line, "*_ "), name+":") {
					return fmt.Errorf("speaks for %s", other)
				}
			}
		}
		if strings.Contains(answer, "<|") {
			return errors.New("holds control tokens")
		}
		return nil
	}
}

// part is the passage of the last message that is written anew, or its end.
func (s *story) part() *passage.Part {
	text := s.Messages[len(s.Messages)-1].Text
	from := strings.Index(text, s.Passage)
	return &passage.Part{Text: text, From: from, To: from + len(s.Passage), Whose: s.Char,
		Instruction: "say it in more words"}
}

func askRewrite(set *prompts.Set, s *story) *request { return askPassage(set, s, s.part()) }

func askWriteOn(set *prompts.Set, s *story) *request {
	p := s.part()
	p.From, p.To, p.Instruction = len(p.Text), len(p.Text), s.Wish
	return askPassage(set, s, p)
}

func askPassage(set *prompts.Set, s *story, p *passage.Part) *request {
	return &request{prompt: s.chat(set, prompt.Normal, p.Request(set, s.Char, s.User)), reply: config.DefaultReply,
		heat: playHeat,
		prose: func(answer string) error {
			text := strings.TrimSpace(p.Clean(answer))
			switch {
			case plainWords(text) == "":
				return errors.New("empty")
			case plainWords(text) == plainWords(p.Old()):
				return errors.New("the same as before")
			case !p.IsInsertion() && len(text) > 8*len(p.Old())+200:
				return errors.New("far longer than the passage")
			case strings.Contains(text, "[Out of character"), strings.Contains(text, "<passage"):
				return errors.New("holds the instruction")
			case repeats(text, p.Text[:p.From]+"\n"+p.Text[p.To:]):
				return errors.New("repeats the text around it")
			}
			return nil
		}}
}

// repeats reports whether a text has a sentence of another in it, of some words.
func repeats(text, other string) bool {
	text = plainWords(text)
	for _, sentence := range strings.FieldsFunc(other, func(r rune) bool { return strings.ContainsRune(".!?\"\n", r) }) {
		if plain := plainWords(sentence); strings.Count(plain, " ") >= 3 && strings.Contains(text, plain) {
			return true
		}
	}
	return false
}

func askBeats(set *prompts.Set, s *story) *request {
	ask := beats.Ask{About: s.Wish, Open: true}
	var got beats.Answer
	var best []string
	story := ""
	for _, m := range s.Messages {
		story += m.Text + "\n"
	}
	names := voice.Names(s.User, s.Char)
	return &request{prompt: s.chat(set, prompt.Normal, ask.Request(set, s.Char, s.User)), reply: beatsReply,
		heat:   playHeat,
		schema: beats.Schema, form: beats.Form, into: &got, required: []string{"proposals"},
		check: func() error {
			mine, found := beats.For(names, beats.Clean(got.Proposals, nil))
			if len(found) >= len(best) {
				best = found
			}
			if err := beats.Check(found, story); err != nil || len(mine) == 0 {
				return err
			}
			return fmt.Errorf("it is not said beforehand what %s does, and “%s” says it; "+
				"in its place say what somebody else does or what happens", names[0], mine[0])
		},
		usable: func() bool { return len(best) > 0 }}
}

// passInput is what the pass is told.
func (s *story) passInput() rules.Input {
	lines := s.lines()
	return rules.Input{Char: s.Char, User: s.User, Genre: s.Genre, Situation: s.Situation, Question: s.Question,
		Turn: 7, Budget: 20, Before: lines[len(lines)-6 : len(lines)-2], Messages: lines[len(lines)-2:],
		Setting: s.Setting, Known: s.Known}
}

// everything is what a pass asks by default.
var everything = rules.Parts{Break: true, Director: true, Memories: true, Hooks: true, Picture: true}

func askPass(set *prompts.Set, s *story) *request {
	in := s.passInput()
	return askDirector(everything, in, s.chat(set, prompt.Normal, rules.Instruction(set, everything, in)))
}

func askPassAlone(set *prompts.Set, s *story) *request {
	in := s.passInput()
	return askDirector(everything, in, rules.Request(set, everything, in))
}

// askDirector is the question about the newest exchange.
func askDirector(p rules.Parts, in rules.Input, prompt []prompts.Message) *request {
	var a rules.Answer
	n, m := upTo(len(in.Known)), upTo(len(in.Messages))
	return &request{prompt: prompt, reply: director.PassReply(config.DefaultContext), heat: jobHeat,
		schema: rules.Schema(p, in), form: rules.Form(p, in), into: &a,
		check:    func() error { return a.Usable(p, in) },
		shown:    map[string]span{"taken": n, "due": n, "fact": n, "from": m},
		required: []string{"rationale", "beat", "content"}}
}
