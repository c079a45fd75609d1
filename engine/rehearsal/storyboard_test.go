package rehearsal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// aboutBoard is a request about a storyboard, as the engine makes it.
func aboutBoard(board, rest string) []storage.Node {
	return asked("You are the storyboard artist.", "The scene: The net loft\n\n<recap>\n(none)\n</recap>\n\n<transcript>\n"+
		"[1] Tove: *Tove mends the torn net by the window.* \"You came,\" she says.\n\n(… messages 2 to 3 are left out …)\n\n"+
		"[4] Robin: *Robin puts the wet letter on the table.* \"You lied about the boat.\"\n\n[5] Tove: *She burns the letter over the lamp.* \"Then read this now.\"\n"+
		"</transcript>\n\n<board>\n"+board+"\n</board>\n\n"+rest)
}

const drawnBoard = `Beat b1: Robin lays the letter down. (message 4) – The lie is out.
Beat b2: Tove burns it. (messages 4, 5)
Filler: light, for atmosphere, reaction; before b2
Budget of b1: 1 key shot, 1 filler, 6 seconds in all
Budget of b2: 2 key shots, 0 fillers, 8 seconds in all
The list, 4 shots:
s1 (1) key b1 medium | - | - | - | Robin | Robin puts the letter on the table. | 4 s | "You lied about the boat."
s9 (2) filler b1 close_up | eye_level | static | reaction | - | The wet letter. | 2 s
s3 (3) key b2 close_up | eye_level | static | reaction | Tove's hand | The hand stops. | 3.5 s
s4 (4) key b2 wide | - | - | - | - | Tove holds the burning letter. | 5 s`

const (
	boardBeatsSchema   = `{"type":"object","properties":{"beats":{"type":"array","maxItems":12,"items":{"type":"object","properties":{"text":{"type":"string","maxLength":300},"why":{"type":"string","maxLength":200},"messages":{"type":"array","maxItems":12,"items":{"type":"integer","minimum":1,"maximum":5}}},"required":["text","why","messages"]}}},"required":["beats"]}`
	boardFillerSchema  = `{"type":"object","properties":{"amount":{"type":"string","enum":["none","light","medium","rich"]},"jobs":{"type":"array","maxItems":4,"items":{"type":"string","maxLength":60}},"where":{"type":"string","maxLength":300},"why":{"type":"string","maxLength":300}},"required":["amount","jobs","where","why"]}`
	boardBudgetSchema  = `{"type":"object","properties":{"budget":{"type":"array","maxItems":2,"items":{"type":"object","properties":{"beat":{"type":"string","enum":["b1","b2"]},"key":{"type":"integer","minimum":1,"maximum":12},"filler":{"type":"integer","minimum":0,"maximum":12},"seconds":{"type":"integer","minimum":1,"maximum":99}},"required":["beat","key","filler","seconds"]}}},"required":["budget"]}`
	boardPackageSchema = `{"type":"object","properties":{"beat":{"type":"string","enum":["b2"]},"shots":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object","properties":{"kind":{"type":"string","enum":["key","filler"]},"size":{"type":"string","maxLength":60},"subject":{"type":"string","maxLength":80},"description":{"type":"string","maxLength":400},"seconds":{"type":"number","minimum":0,"maximum":60},"dialogue":{"type":"string","maxLength":200}},"required":["kind","description","seconds"]}}},"required":["beat","shots"]}`
	boardShotsSchema   = `{"type":"object","properties":{"order":{"type":"array","maxItems":3,"items":{"type":"string","enum":["s1","s2","s3"]}},"fillers":{"type":"array","maxItems":2,"items":{"type":"object","properties":{"after":{"type":"string","enum":["s1","s2","s3"]},"description":{"type":"string","maxLength":400},"seconds":{"type":"number","minimum":0,"maximum":60}},"required":["after","description","seconds"]}}},"required":["order","fillers"]}`
	boardCalls         = `"calls":{"type":"array","maxItems":20,"items":{"type":"object","properties":{"tool":{"type":"string","enum":["modify_shot","insert_shot","remove_shots","reorder_shots","merge_shots","confirm_shots","execute_edit_plan"]},"params":{"type":"object","properties":{"shot":{"type":"string","maxLength":12},"shots":{"type":"array","maxItems":9,"items":{"type":"string","maxLength":12}},"after":{"type":"string","maxLength":12},"before":{"type":"string","maxLength":12},"to":{"type":"integer","minimum":1,"maximum":300},"order":{"type":"array","maxItems":9,"items":{"type":"string","maxLength":12}},"into":{"type":"string","maxLength":12},"kind":{"type":"string","enum":["key","filler"]},"size":{"type":"string","maxLength":60},"angle":{"type":"string","maxLength":60},"movement":{"type":"string","maxLength":60},"job":{"type":"string","maxLength":60},"subject":{"type":"string","maxLength":80},"description":{"type":"string","maxLength":400},"seconds":{"type":"number","minimum":0,"maximum":60},"dialogue":{"type":"string","maxLength":200}},"additionalProperties":false}},"required":["tool","params"]}}`
	boardSteerSchema   = `{"type":"object","properties":{` + boardCalls + `,"reply":{"type":"string","maxLength":400},"propose":{"type":"boolean"},"question":{"type":"boolean"}},"required":["calls","reply","propose","question"]}`
	boardEditSchema    = `{"type":"object","properties":{"summary":{"type":"string","maxLength":400},` + boardCalls + `},"required":["summary","calls"]}`
)

func TestBoard_Planning(t *testing.T) {
	const wish = "\n\nThe director's words for this step: "
	const two = "Beat b1: Robin lays the letter down. (message 4)\nBeat b2: Tove burns it. (messages 4, 5)\nFiller: rich, for reaction"
	const written = two + "\nWritten for b1 and not in the list yet:\ns1 key b1 medium | - | - | - | - | A | 2 s\ns2 filler b1 wide | - | - | - | - | B | 2 s\nWritten for b2 and not in the list yet:\ns3 key b2 wide | - | - | - | - | C | 2 s"
	for _, test := range []struct{ name, schema, board, rest, want string }{
		{"beats", boardBeatsSchema, "Nothing yet.", wish + "(none)", `{"beats": [{"text": "Tove mends the torn net by the window.", "why": "From here on the two of them stand differently.", "messages": [1]}]}`},
		{"as many as wished", boardBeatsSchema, "Nothing yet.", wish + "two beats, please", `"messages": [5]}]}`},
		{"filler", boardFillerSchema, two, wish + "(none)", `{"amount": "medium", "jobs": ["reaction", "atmosphere"]`},
		{"no filler", boardFillerSchema, two, wish + "no filler here", `{"amount": "none"`},
		{"budget", boardBudgetSchema, two, wish + "(none)", `{"beat": "b2", "key": 2, "filler": 2, "seconds": 13}]}`},
		{"package", boardPackageSchema, drawnBoard, "Write the shots of beat b2. JSON only.",
			`{"beat": "b2", "shots": [{"kind": "key", "size": "close_up", "subject": "Robin", "description": "Robin puts the wet letter on the table.", "seconds": 4, "dialogue": "You lied about the boat."}, {"kind": "key", "size": "medium_close_up", "subject": "Tove", "description": "Tove burns the letter over the lamp.", "seconds": 4}]}`},
		{"shots", boardShotsSchema, written, "The shots of the beats are written: s1, s2, s3.\n", `{"order": ["s1", "s2", "s3"], "fillers": [{"after": "s2", "description": "The room between two moments, seen from above.", "seconds": 2}]}`},
		{"edit plan", boardEditSchema, drawnBoard, "The director's words, which are an order: slower", `"calls": [{"tool": "modify_shot", "params": {"shot": "s1", "seconds": 6}}, {"tool": "modify_shot", "params": {"shot": "s9", "seconds": 3}}`},
		{"an edit plan of nothing", boardEditSchema, drawnBoard, "The director's words, which are an order: hm", `{"tool": "modify_shot", "params": {"shot": "s4", "size": "full"}}]}`},
	} {
		answer, err := structured(json.RawMessage(test.schema), aboutBoard(test.board, test.rest), 0)
		if err == nil {
			err = validate(test.schema, answer)
		}
		if err != nil || !strings.Contains(answer, test.want) {
			t.Errorf("%s: %v\n%s\nwant %s", test.name, err, answer, test.want)
		}
	}
}

func TestBoard_Steering(t *testing.T) {
	offered := []string{"propose_edit_plan", "execute_edit_plan", "modify_shot", "insert_shot", "remove_shots", "reorder_shots", "merge_shots", "confirm_shots"}
	for line, want := range map[string]string{
		"make shot 3 closer":                     `modify_shot {"shot":"s3","size":"extreme_close_up"}`,
		"S9 longer, please":                      `modify_shot {"seconds":3,"shot":"s9"}`,
		"remove the last shot":                   `remove_shots {"shots":["s4"]}`,
		"Remove shots 1 and 2.":                  `remove_shots {"shots":["s1","s9"]}`,
		"delete it":                              `remove_shots {"shots":["s9"]}`,
		"remove something":                       `Which shot shall go?`,
		"more uncomfortable":                     `modify_shot {"movement":"push_in","seconds":5,"shot":"s3","size":"extreme_close_up"}; modify_shot {"movement":"push_in","seconds":6.5,"shot":"s4","size":"full"}`,
		"make shot 4 wider and from below":       `modify_shot {"angle":"low","shot":"s4","size":"extreme_wide"}`,
		"no dialogue in the first shot":          `modify_shot {"dialogue":"","shot":"s1"}`,
		"add a shot of the wet boards after s9":  `insert_shot {"after":"s9","shots":[{"angle":"eye_level","description":"The wet boards.","job":"physical_detail","kind":"filler","movement":"static","seconds":2,"size":"close_up","subject":"The wet boards"}]}`,
		"merge shots 2 and 3":                    `merge_shots {"into":"s9","shots":["s9","s3"]}`,
		"merge them":                             `Which shots shall become one?`,
		"move shot 4 before shot 1":              `reorder_shots {"before":"s1","shots":["s4"]}`,
		"move s3 to the end":                     `reorder_shots {"shots":["s3"],"to":4}`,
		"move shot 2":                            `Where shall s9 stand?`,
		"looks good":                             `confirm_shots {}`,
		"everything faster":                      `propose_edit_plan`,
		"everything faster, now":                 `modify_shot {"seconds":2.5,"shot":"s1"}; modify_shot {"seconds":1,"shot":"s9"}; modify_shot {"seconds":2,"shot":"s3"}; modify_shot {"seconds":3,"shot":"s4"}`,
		"closer":                                 `Which shot do you mean?`,
		"what is a storyboard?":                  `Say which shot is to be different, and how: for instance “make shot 3 closer”.`,
		"make shot 77 closer":                    `Which shot do you mean?`,
		"\u202emake shot 3 closer\x1b[31m\xff 🎬": `modify_shot {"shot":"s3","size":"extreme_close_up"}`,
	} {
		messages := aboutBoard(drawnBoard, "<talk>\nDirector: shot 2 is good\nYou: Thank you.\n</talk>\n\n<line>\n"+line+"\n</line>\n")
		calls, said := steerCalls(messages, offered)
		var got []string
		for _, c := range calls {
			got = append(got, c.Tool+" "+string(c.Params))
		}
		if all := strings.Join(got, "; ") + said; !strings.HasPrefix(all, want) {
			t.Errorf("%q: %s\nwant %s", line, all, want)
		}
		answer := perfect[struct {
			Calls []struct{ Tool string }
			Reply string
		}](t, boardSteerSchema, messages, 0)
		if proposed := len(calls) == 1 && calls[0].Tool == "propose_edit_plan"; answer.Reply == "" || len(answer.Calls) != len(calls) && !proposed {
			t.Errorf("%q: the two ways differ: %+v", line, answer)
		}
	}
	messages := append(aboutBoard(drawnBoard, "<line>\nremove the last shot\n</line>"), storage.Node{Role: storage.Assistant}, storage.Node{Role: "tool", Content: "Done: Removed shot s4."})
	if calls, said := steerCalls(messages, offered); len(calls) > 0 || said != "Taken out: s4." {
		t.Errorf("after the call: %v, %q", calls, said)
	}
	if calls, said := steerCalls(aboutBoard(drawnBoard, "<line>\nlooks good\n</line>"), []string{"modify_shot"}); len(calls) > 0 || said == "" {
		t.Errorf("a tool that is not offered: %v, %q", calls, said)
	}
	if calls, said := steerCalls(talk, offered); calls != nil || said != "" {
		t.Errorf("a play took calls: %v, %q", calls, said)
	}
	waiting := drawnBoard + "\nA proposed edit plan waits for the director: Slower."
	if calls, _ := steerCalls(aboutBoard(waiting, "<line>\nyes, do it\n</line>"), offered); len(calls) != 1 || calls[0].Tool != "execute_edit_plan" {
		t.Errorf("the edit plan: %v", calls)
	}
}

func TestBoard_AnyRequest(t *testing.T) {
	schemas := []string{boardBeatsSchema, boardFillerSchema, boardBudgetSchema, boardPackageSchema, boardShotsSchema, boardSteerSchema, boardEditSchema, lessonsSchema, profileSchema}
	line := rapid.SampledFrom([]string{
		"Beat b1: x (messages 1, 99999999999999999999)", "Beat b2:", "Budget of b9: 2 key shots, 1 filler, 3 seconds", "Budget of b1: 999 key shots, 999 fillers, 99999 s", "Filler: ",
		"s1 (1) key | |", "s2 filler b1 - | - | - | - | - | - | x s", "Written for b1", "The list, 9 shots:", "<line>", "</line>", "merge s1 s2 everything", "move s1 to the end", "put s2 after s1",
		"Write the shots of beat b1", "are written: s1, , s2.", "E1 (modify) changed: seconds from 1e9 to ..", "E2 (remove) removed s1 (filler)", "Scene 1", "- a | applies to: b | not for: c | low", "\xff",
	})
	rapid.Check(t, func(t *rapid.T) {
		var board, rest []string
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			board, rest = append(board, line.Draw(t, "board")), append(rest, line.Draw(t, "rest"))
		}
		messages := aboutBoard(strings.Join(board, "\n"), strings.Join(rest, "\n")+"\n<line>\n"+line.Draw(t, "line")+"\n</line>\n<edits>\n"+strings.Join(rest, "\n")+"\n</edits><scenes>\n"+strings.Join(board, "\n")+"\n</scenes>")
		schema := rapid.SampledFrom(schemas).Draw(t, "schema")
		answer, err := structured(json.RawMessage(schema), messages, rapid.IntRange(0, 3).Draw(t, "take"))
		if err == nil {
			err = validate(schema, answer)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, answer)
		}
		steerCalls(messages, []string{"modify_shot", "reorder_shots"})
	})
}

func TestBoard_JobsAreKnown(t *testing.T) {
	for schema, want := range map[string]Job{
		boardBeatsSchema: BeatsJob, boardFillerSchema: FillerJob, boardBudgetSchema: BudgetJob, boardPackageSchema: PackageJob, boardShotsSchema: ShotsJob,
		boardSteerSchema: SteerJob, boardEditSchema: EditJob, lessonsSchema: LessonsJob, profileSchema: ProfileJob,
		`{"properties":{"shots":{"type":"array","items":{"type":"string"}},"beat":{}}}`: "",
	} {
		if got := jobOf(json.RawMessage(schema)); got != want {
			t.Errorf("%q, want %q: %s", got, want, schema)
		}
	}
}

func TestBoard_NamesOfShots(t *testing.T) {
	var many []boardShot
	for i := range 7 {
		many = append(many, boardShot{id: fmt.Sprintf("s%d", i)})
	}
	if got := shotNames(many); got != "s0, s1, s2, s3, s4 and others" {
		t.Error(got)
	}
}
