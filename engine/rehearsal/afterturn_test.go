package rehearsal

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

const afterTurnSchema = `{"type":"object","properties":{` +
	`"scene":{"type":"object","properties":{"rationale":{"type":"string","maxLength":300},"status":{"type":"boolean"}},"required":["rationale","status"],"additionalProperties":false},` +
	`"director":{"type":"object","properties":{"visual_type":{"enum":["character","object","atmosphere","instruction","none"]},"visual_hint":{"type":"string","maxLength":200},` +
	`"status":{"enum":["going","closing","done"]},"tension":{"type":"integer","minimum":0,"maximum":100},"tone":{"type":"string","maxLength":60},"beat":{"type":"string","maxLength":120},` +
	`"open":{"type":"string","maxLength":160},"setting":{"type":"string","maxLength":120},"next":{"type":"string","maxLength":60}},` +
	`"required":["visual_type","visual_hint","status","tension","tone","beat","open","setting"],"additionalProperties":false},` +
	`"memories":{"type":"array","maxItems":4,"items":{"type":"object","properties":{"type":{"enum":["fact","event","preference","relationship","goal","emotion"]},` +
	`"content":{"type":"string","minLength":1,"maxLength":240},"importance":{"type":"number","minimum":0,"maximum":1}},"required":["type","content","importance"],"additionalProperties":false}},` +
	`"hooks":{"type":"array","maxItems":3,"items":{"type":"object","properties":{"type":{"enum":["reminder","follow_up","milestone","scheduled"]},"content":{"type":"string","maxLength":240},` +
	`"opener":{"type":"string","maxLength":240},"turns":{"type":"integer","minimum":0,"maximum":50},"hours":{"type":"integer","minimum":0,"maximum":720},"priority":{"type":"integer","minimum":1,"maximum":5}},` +
	`"required":["type","content","opener","turns","priority"],"additionalProperties":false}},` +
	`"taken":{"type":"array","maxItems":5,"items":{"type":"integer","minimum":1,"maximum":99}},"why":{"type":"string","maxLength":120},` +
	`"outdated":{"type":"array","maxItems":5,"items":{"type":"integer","minimum":1,"maximum":99}},"settled":{"type":"array","maxItems":5,"items":{"type":"integer","minimum":1,"maximum":99}}},` +
	`"required":["scene","director","memories","hooks","taken","why","outdated","settled"],"additionalProperties":false}`

type afterTurn struct {
	Scene    *struct{ Status bool }
	Director struct {
		VisualType string `json:"visual_type"`
		VisualHint string `json:"visual_hint"`
		Status     string
		Tension    int
		Tone, Next string
		Beat, Open string
		Setting    string
	}
	Memories []struct {
		Type, Content string
		Importance    float64
	}
	Hooks []struct {
		Type, Content, Opener  string
		Turns, Hours, Priority int
	}
	Taken, Outdated, Settled []int
}

// riding is a chat's own prompt with an instruction at its end.
func riding(instruction string, texts ...string) []storage.Node {
	list := []storage.Node{{Role: storage.System, Content: "You are Tove. I love the sea, says a card."}, {Role: storage.Assistant, Content: "*Tove waits.*"}}
	for i, text := range texts {
		list = append(list, storage.Node{Role: []storage.Role{storage.User, storage.Assistant}[i%2], Content: text})
	}
	return append(list, storage.Node{Role: storage.User, Content: instruction})
}

const lookInstruction = "Look at the exchange above. Ada and Tove play.\n1. The brass key that was lost in the cellar\n2. The concert on Sunday"

func TestLookBack(t *testing.T) {
	type want struct {
		scene             bool
		visual, status    string
		memories          string // "type: content; …"
		hooks             string // their types
		taken, hintOrOpen string
		next              string
	}
	for name, test := range map[string]struct {
		user, reply string
		want        want
	}{
		"a quiet exchange": {"I sit down.", "*She pours tea.* \"Do you take sugar?\"", want{visual: "none", status: "going", hintOrOpen: "Do you take sugar?"}},
		"of the user": {"\"I work at the mill, and my sister hates it. I love the rain.\"", "\"Do you.\"",
			want{visual: "none", status: "going", memories: "relationship: They work at the mill, and their sister hates it.; preference: They love the rain."}},
		"a question is no memory":  {"Do I like the rain?", "\"Who knows.\"", want{visual: "none", status: "going"}},
		"a scene":                  {"The next morning I come back.", "\"You again.\"", want{scene: true, visual: "none", status: "going"}},
		"a peak":                   {"I wait.", "*Lightning splits the sky above the stage.* \"Now.\"", want{visual: "atmosphere", status: "going"}},
		"a face":                   {"I wait.", "*Suddenly there are tears on her cheeks.* \"Go.\"", want{visual: "character", status: "going"}},
		"a thing":                  {"I wait.", "*The mirror shatters at her feet.* \"Go.\"", want{visual: "object", status: "going"}},
		"an end":                   {"I leave.", "\"Farewell,\" *she says.* \"And thank you.\"", want{visual: "none", status: "done"}},
		"nearly an end":            {"I yawn.", "\"Good night, then.\"", want{visual: "none", status: "closing"}},
		"a farewell of the user's": {"Goodbye, I say.", "\"Stay.\"", want{visual: "none", status: "going"}},
		"a promise":                {"Remind me of the letter.", "\"I promise you that.\"", want{visual: "none", status: "going", hooks: "reminder follow_up"}},
		"a date":                   {"We meet tomorrow at the gate.", "\"Yes.\"", want{visual: "none", status: "going", hooks: "scheduled"}},
		"taken up":                 {"And?", "\"The brass key, yes. It lay in the cellar.\"", want{visual: "none", status: "going", taken: "1"}},
		"somebody is called":       {"I look round.", "\"Ask Ada,\" *she says.*", want{visual: "none", status: "going", next: "Ada"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := perfect[afterTurn](t, afterTurnSchema, riding(lookInstruction, test.user, test.reply), 0)
			var memories, hooks, taken []string
			for _, m := range got.Memories {
				memories = append(memories, m.Type+": "+m.Content)
				if m.Importance <= 0 || m.Importance >= 1 {
					t.Errorf("importance %v", m.Importance)
				}
			}
			for _, h := range got.Hooks {
				hooks = append(hooks, h.Type)
				if h.Opener == "" || h.Turns < 1 || h.Priority < 1 {
					t.Errorf("%+v", h)
				}
			}
			for _, n := range got.Taken {
				taken = append(taken, string(rune('0'+n)))
			}
			is := want{scene: got.Scene.Status, visual: got.Director.VisualType, status: got.Director.Status, memories: strings.Join(memories, "; "),
				hooks: strings.Join(hooks, " "), taken: strings.Join(taken, " "), next: got.Director.Next}
			if test.want.hintOrOpen != "" {
				is.hintOrOpen = got.Director.Open
			}
			if is != test.want {
				t.Errorf("\n got %+v\nwant %+v", is, test.want)
			}
			if (got.Director.VisualHint == "") != (is.visual == "none") {
				t.Errorf("%s, but the hint is %q", is.visual, got.Director.VisualHint)
			}
		})
	}
}

func TestLookBack_WhatIsOver(t *testing.T) {
	got := perfect[afterTurn](t, afterTurnSchema, riding(lookInstruction, "The brass key is no longer lost.", "*We hear the Sunday concert at last.*"), 0)
	if len(got.Outdated) != 1 || got.Outdated[0] != 1 || len(got.Settled) != 1 || got.Settled[0] != 2 {
		t.Errorf("outdated %v, settled %v", got.Outdated, got.Settled)
	}
	if got = perfect[afterTurn](t, afterTurnSchema, riding(lookInstruction, "The brass key is lost.", "*No longer here.*"), 0); len(got.Outdated)+len(got.Settled) > 0 {
		t.Errorf("outdated %v, settled %v", got.Outdated, got.Settled)
	}
}

func TestLookBack_TensionFollowsTheWords(t *testing.T) {
	at := func(reply string) int {
		return perfect[afterTurn](t, afterTurnSchema, riding(lookInstruction, "I wait.", reply), 0).Director.Tension
	}
	calm, plain, tense := at("*She smiles gently, quiet and warm.*"), at("*She counts the chairs.*"), at("*She runs into the dark with a knife, furious.*")
	if calm >= plain || plain >= tense || tense > 100 {
		t.Errorf("calm %d, plain %d, tense %d", calm, plain, tense)
	}
}

// A separate request asks for one part, and may show a transcript in place of the
// chat's own messages.
func TestLookBack_PartsAlone(t *testing.T) {
	var whole map[string]json.RawMessage
	var s struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(afterTurnSchema), &s); err != nil {
		t.Fatal(err)
	}
	said := []string{"I live by the harbour. Remind me of the boat.", "*Lightning.* \"Lightning strikes the mast,\" *she says.* \"Farewell.\""}
	all, err := structured(json.RawMessage(afterTurnSchema), riding(lookInstruction, said...), 0)
	if err == nil {
		err = json.Unmarshal([]byte(all), &whole)
	}
	if err != nil {
		t.Fatal(err)
	}
	shown := asked("You look back.", "<transcript>\n[1] Robin: "+said[0]+"\n[2] Tove: "+said[1]+"\n</transcript>\nAnswer.")
	for name, part := range s.Properties {
		one := `{"type":"object","properties":{"` + name + `":` + string(part) + `},"required":["` + name + `"],"additionalProperties":false}`
		if got := (Call{Format: json.RawMessage(one)}).Job(); got != AfterTurnJob {
			t.Errorf("%s alone is the job %q", name, got)
		}
		for how, messages := range map[string][]storage.Node{"riding": riding(lookInstruction, said...), "shown": shown} {
			got := perfect[map[string]json.RawMessage](t, one, messages, 0)
			if name != "director" && string(got[name]) != string(whole[name]) { // the director reads more than the exchange
				t.Errorf("%s, %s:\n%s\nwant %s", name, how, got[name], whole[name])
			}
		}
	}
}

func TestLookBack_AfterACorrection(t *testing.T) {
	messages := riding(lookInstruction, "\"I love the rain.\"", "\"I know.\"")
	first := perfect[afterTurn](t, afterTurnSchema, messages, 0)
	messages = append(messages, storage.Node{Role: storage.Assistant, Content: "{}"}, storage.Node{Role: storage.User, Content: corrects + ": it is empty. I love rules."})
	if again := perfect[afterTurn](t, afterTurnSchema, messages, 0); len(first.Memories) != 1 || len(again.Memories) != 1 || again.Memories[0] != first.Memories[0] {
		t.Errorf("%+v\nwas %+v", again.Memories, first.Memories)
	}
}

func TestLookBack_NothingSaid(t *testing.T) {
	for name, messages := range map[string][]storage.Node{"none": nil, "an instruction": asked("Look.", "Now."), "a greeting": riding("Now.")} {
		got := perfect[afterTurn](t, afterTurnSchema, messages, 0)
		if got.Scene.Status || got.Director.VisualType != "none" || got.Director.Status != "going" || len(got.Memories)+len(got.Hooks)+len(got.Taken) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzLookBack(f *testing.F) {
	f.Add("Look.\n1. a b c\n[2] d", "I love the rain’s. My sister?", "*Suddenly \"lightning\"* Farewell. Tomorrow! 1. a b c")
	f.Add("", "\xff i like \u2028", "the end")
	f.Fuzz(func(t *testing.T, instruction, user, reply string) {
		messages := riding(instruction, user, reply)
		answer, err := structured(json.RawMessage(afterTurnSchema), messages, 0)
		if err == nil {
			err = validate(afterTurnSchema, answer)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, answer)
		}
		if again, _ := structured(json.RawMessage(afterTurnSchema), messages, 0); again != answer {
			t.Fatalf("the same request got another answer:\n%s\n%s", answer, again)
		}
	})
}
