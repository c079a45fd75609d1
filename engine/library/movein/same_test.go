package movein_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What is moved out and moved in is the same, however often: branches stay those of one
// chat, swipes of every kind stay swipes, personas stay one. Moved in where it came from,
// nothing is new.
func TestMoveIn_AgainAndAgain(t *testing.T) {
	t.Parallel()
	s := furnished(t)
	move(t, s, made(t, small), false)
	nodes := s.Tell("One.", "Two.", "Three.", "Four.")
	for _, at := range nodes[:2] { // a branch below a message of the user's, and one below a reply
		below := s.Sibling(at, "Another way.")
		n := storage.Node{Chat: s.Chat, Parent: below, Role: storage.User, Name: "Robin", Content: "And on.", State: storage.Complete}
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return tx.AppendNode(&n) }))
	}
	s.Sibling(nodes[3], "Four, told otherwise.")
	_, err := s.Library.Import(enginetest.Write(t, "swipes.jsonl", `{"user_name":"Robin","character_name":"Tove Halloran","chat_metadata":{}}
{"name":"Tove Halloran","is_user":false,"mes":"Hello.","swipes":["Hello.","Hi."],"swipe_id":0,"swipe_info":[{},{}]}
{"name":"Robin","is_user":true,"mes":"Go.","swipes":["Go.","Run.","Go."],"swipe_id":0,"swipe_info":[{},{},{}]}
{"name":"System","is_system":true,"mes":"Hidden.","swipes":["Hidden.","Unseen."],"swipe_id":1,"swipe_info":[{},{}]}
{"name":"Tove Halloran","is_user":false,"mes":"Gone."}
`))
	enginetest.Must(t, err)
	_, err = s.Library.SavePersona(storage.Persona{Name: "Robin", Description: "Another one."})
	enginetest.Must(t, err)

	furnish(t, s)
	want := census(t, s)
	dir := filepath.Join(t.TempDir(), "out")
	for round := range 3 {
		at := filepath.Join(dir, fmt.Sprint(round))
		out, err := s.Library.MoveOut(t.Context(), at, nil, nil)
		enginetest.Must(t, err)
		if len(out.Left) > 0 {
			t.Errorf("not written: %q", out.Left)
		}
		if sky := enginetest.Read(t, filepath.Join(at, "worlds", "Sky.json")); !strings.Contains(string(sky), `"name":"The sky above"`) {
			t.Errorf("the inner name is lost: %s", sky)
		}
		for _, rel := range []string{"NovelAI Settings/n.json", "KoboldAI Settings/k.json", "TextGen Settings/t.json", "ghostlight/presets/I.json", "ghostlight/workflows/mine.json",
			"characters/Twin/joy.png", "characters/Twin 2/joy.png", "User Avatars/Pilot.png"} {
			if len(enginetest.Read(t, filepath.Join(at, rel))) == 0 {
				t.Error(rel)
			}
		}
		again := move(t, s, at, false)
		for _, c := range again.Kinds {
			if c.New+c.Newer > 0 {
				t.Errorf("round %d, where it came from: %+v", round, c)
			}
		}
		same(t, fmt.Sprintf("round %d, where it came from", round), want, census(t, s))
		s = furnished(t)
		enginetest.Must(t, s.Play.DeleteChat(s.Chat))
		move(t, s, at, false)
		same(t, fmt.Sprintf("round %d", round), want, census(t, s))
		enginetest.Must(t, s.Core().Store.Check())
	}
}

// furnish moves a folder in with what lies beside cards and settings: two cards that say the
// same, expressions, pictures of personas, a book that counts everywhere and with a persona,
// presets of every folder, a workflow.
func furnish(t *testing.T, s *enginetest.Harness) {
	t.Helper()
	picture := "\x89PNG\r\n\x1a\n and so on"
	card := `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Twin","description":"One of two."}}`
	line := func(text string) string {
		return `{"user_name":"Pilot","character_name":"Twin","chat_metadata":{}}` + "\n" + `{"name":"Twin","is_user":false,"mes":"` + text + `"}` + "\n"
	}
	got := move(t, s, write(t, map[string]string{
		"settings.json":        `{"power_user":{"personas":{"1-pilot.png":"Pilot"},"persona_descriptions":{"1-pilot.png":{"description":"Flies.","lorebook":"Sky"}}},"world_info_settings":{"world_info":{"globalSelect":["Sky"]}}}`,
		"characters/Twin.json": card, "characters/Twin1.json": card, "chats/Twin/first.jsonl": line("I am the first."), "chats/Twin1/second.jsonl": line("I am the second."),
		"characters/Twin/joy.png": picture, "characters/Twin1/joy.png": picture, "User Avatars/1-pilot.png": picture,
		"worlds/Sky.json":              `{"name":"The sky above","entries":{"0":{"uid":0,"key":["cloud"],"content":"Grey."}}}`,
		"NovelAI Settings/n.json":      `{"temperature":1.1,"top_p":0.9,"phrase_rep_pen":"off","max_length":150}`,
		"KoboldAI Settings/k.json":     `{"temp":0.7,"rep_pen":1.1,"sampler_order":[6,0,1]}`,
		"TextGen Settings/t.json":      `{"temp":0.6,"top_p":0.8,"sampler_order":[6],"sampler_priority":["top_k"]}`,
		"user/workflows/mine.json":     `{"1":{"class_type":"E","inputs":{"text":"%prompt%"}}}`,
		"OpenAI Settings/several.json": `{"instruct":{"name":"I","input_sequence":"a","output_sequence":"b"},"sysprompt":{"name":"S","content":"Play."}}`,
	}), false)
	for _, l := range got.Left {
		t.Errorf("%s: %s", l.Path, l.Why)
	}
}

func same(t *testing.T, where string, want, got map[string]int) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			t.Errorf("%s: %d of %s, want %d", where, got[key], key, want[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if want[key] == 0 {
			t.Errorf("%s: %d made up of %s", where, got[key], key)
		}
	}
}

// census counts what there is, messages by the chat and the way that leads to them.
func census(t *testing.T, s *enginetest.Harness) map[string]int {
	t.Helper()
	out := map[string]int{}
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		for _, p := range storage.Personas.All(tx) {
			_, err := tx.Avatar(storage.CharacterID(p.ID))
			out[fmt.Sprint("persona ", p.Name, ": ", p.Description, " ", err == nil)]++
		}
		for id, c := range storage.Characters.All(tx) {
			paths, _ := tx.Assets(id)
			out[fmt.Sprint("character ", c.Card.Name, " ", len(paths))]++
		}
		for id, b := range storage.Lorebooks.All(tx) {
			n := 0
			for range storage.LoreEntries.All(tx, id) {
				n++
			}
			out[fmt.Sprint("book ", b.Name, " ", b.Kind, " ", len(b.Also), " ", n)]++
		}
		for _, p := range storage.Presets.All(tx) {
			out[fmt.Sprint("preset ", p.Name, " ", p.Kinds)]++
		}
		for _, r := range storage.RegexScripts.All(tx) {
			out["script "+r.Name]++
		}
		mine := map[storage.CharacterID][]string{}
		for _, c := range storage.Chats.All(tx) {
			mine[c.Character] = append(mine[c.Character], c.Title)
		}
		for id, c := range storage.Chats.All(tx) {
			who, _ := storage.Characters.Get(tx, c.Character)
			out[fmt.Sprint("chat ", c.Title, " with ", who.Card.Name)]++
			out[fmt.Sprint("one of ", who.Card.Name, " with ", len(mine[c.Character]), " chats")] = 1
			way := map[storage.NodeID]string{}
			for at, n := range tx.Nodes(id) {
				way[at] = way[n.Parent] + "/" + n.Content
				out[fmt.Sprint(c.Title, " ", n.Role, " ", strings.ReplaceAll(way[at], "\n", " "), " ", at == c.Head)]++
			}
		}
		return nil
	}))
	flows, _ := filepath.Glob(filepath.Join(s.Cfg.ConfigDir, "workflows", "*"))
	for _, f := range flows {
		out["workflow "+filepath.Base(f)]++
	}
	profiles, _, err := s.Models.Profiles()
	enginetest.Must(t, err)
	for _, p := range profiles {
		out["profile "+p.Name]++
	}
	return out
}

// A card that says the same and brings a lorebook is another one: its lorebook is not lost.
func TestMoveIn_TheSameTextsWithABook(t *testing.T) {
	t.Parallel()
	s := furnished(t)
	card := `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Orla","description":"One."%s}}`
	book := `,"character_book":{"entries":[{"keys":["moon"],"content":"Far.","enabled":true,"insertion_order":5,"extensions":{}}]}`
	for i, with := range []string{"", book} {
		dir := write(t, map[string]string{fmt.Sprintf("characters/Orla%d.json", i): fmt.Sprintf(card, with)})
		if got := move(t, s, dir, false); counts(got.Kinds, "characters").New != 1 {
			t.Errorf("%q: %+v", with, got.Kinds)
		}
	}
}
