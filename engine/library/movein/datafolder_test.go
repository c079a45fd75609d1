package movein_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// dataFolder says how large a made-up data folder of SillyTavern is.
type dataFolder struct {
	Characters, Chats, Worlds int
	Messages                  int // of each chat
}

// Write makes the folder of one user, the same one each time: characters with their
// chats, lorebooks that are bound in every way, personas, a group, presets, and what
// nobody takes. It returns dir.
func (f dataFolder) Write(dir string) error {
	for _, sub := range []string{"characters", "chats", "group chats", "groups", "worlds", "User Avatars", "OpenAI Settings", "TextGen Settings", "instruct", "sysprompt", "QuickReplies", "backgrounds", "thumbnails/bg"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return err
		}
	}
	avatar, err := smallPicture()
	if err != nil {
		return err
	}
	put := func(name string, data []byte) {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
	}
	for i := range f.Characters {
		card, werr := formats.WriteCardPNG(f.character(i), avatar)
		if werr != nil {
			return werr
		}
		put("characters/"+f.name(i)+".png", card)
	}
	for i := range f.Worlds {
		put(fmt.Sprintf("worlds/World %d.json", i), world(i))
	}
	for i := range f.Chats {
		owner := f.name(i % max(1, f.Characters))
		if err == nil {
			err = os.MkdirAll(filepath.Join(dir, "chats", owner), 0o700)
		}
		put(fmt.Sprintf("chats/%s/%s - 2024-01-%02d@%02dh%02dm%02ds.jsonl", owner, owner, i%28+1, i/28%24, i/672%60, i/40320), f.chat(i))
	}
	put("settings.json", f.settings())
	put("User Avatars/ann.png", avatar)
	put("groups/1700000000000.json", f.group())
	put("group chats/2024-01-01@10h.jsonl", f.groupChat())
	put("OpenAI Settings/Calm.json", []byte(`{"temperature":0.7,"top_p":0.9,"prompts":[{"identifier":"main","name":"Main","content":"You are {{char}}."},{"identifier":"chatHistory","marker":true},`+
		`{"identifier":"jailbreak","name":"After","content":"Stay calm."}],"prompt_order":[{"character_id":100001,"order":[{"identifier":"main","enabled":true},{"identifier":"chatHistory","enabled":true},{"identifier":"jailbreak","enabled":true}]}]}`))
	put("TextGen Settings/Warm.json", []byte(`{"temp":1.1,"top_p":0.95,"min_p":0.05}`))
	put("instruct/Lines.json", []byte(`{"name":"Lines","input_sequence":"> ","output_sequence":"< "}`))
	put("sysprompt/Calm.json", []byte(`{"name":"Calm","content":"Write as {{char}} would."}`))
	put("QuickReplies/Set.json", []byte(`{"version":2,"name":"Set","disableSend":false,"qrList":[{"id":1,"label":"Go on","message":"Go on."},{"id":2,"label":"Roll","message":"/roll 1d6"}]}`))
	put("backgrounds/stage.jpg", []byte("no picture"))
	put("thumbnails/bg/stage.jpg", []byte("no picture"))
	put("secrets.json", []byte(`{"api_key_openai":"not to be read"}`))
	return err
}

func (f dataFolder) name(i int) string { return fmt.Sprintf("Player %d", i) }

func (f dataFolder) character(i int) storage.Character {
	var parts []string
	if f.Worlds > 0 && i%4 == 0 {
		parts = append(parts, fmt.Sprintf(`"world":"World %d"`, i/4%f.Worlds))
	}
	if i < 2 { // of which the first are allowed to act
		parts = append(parts, `"regex_scripts":[{"id":"c1","scriptName":"stars","findRegex":"/\\*/g","replaceString":"","placement":[2],"markdownOnly":true}]`)
	}
	ext := `"extensions":{` + strings.Join(parts, ",") + `}`
	source := fmt.Sprintf(`{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":%q,"description":%q,"first_mes":"Good evening.","tags":["made up"],%s}}`,
		f.name(i), prose(i, 80), ext)
	got, err := formats.ReadCard("card.json", []byte(source))
	if err != nil {
		panic(err)
	}
	return storage.Character{Card: got.Card, Source: got.Source}
}

func world(i int) []byte {
	entries := map[string]any{}
	for n := range 12 {
		entries[fmt.Sprint(n)] = map[string]any{"uid": n, "key": []string{words[(i+n)%len(words)]}, "keysecondary": []string{}, "comment": fmt.Sprintf("entry %d", n),
			"content": prose(i+n, 30), "order": 100, "position": 0, "probability": 100, "useProbability": true}
	}
	data, _ := json.Marshal(map[string]any{"entries": entries})
	return data
}

func (f dataFolder) chat(i int) []byte {
	var out bytes.Buffer
	who, at := f.name(i%max(1, f.Characters)), time.Date(2024, 1, 1+i%28, 10, 0, 0, 0, time.UTC)
	meta := map[string]any{"note_prompt": "Keep it short.", "note_depth": 4}
	if f.Worlds > 0 && i%10 == 0 {
		meta["world_info"] = fmt.Sprintf("World %d", i%f.Worlds)
	}
	if i%3 == 0 {
		meta["persona"] = "ann.png"
	}
	line := func(v any) { data, _ := json.Marshal(v); out.Write(append(data, '\n')) }
	line(map[string]any{"user_name": "Bea", "character_name": who, "create_date": at.Format(time.RFC3339), "chat_metadata": meta})
	for n := range f.Messages {
		m := map[string]any{"name": who, "is_user": n%2 == 1, "is_system": false, "send_date": at.Add(time.Duration(n) * time.Minute).Format(time.RFC3339),
			"mes": fmt.Sprintf("%d: %s", i, prose(i*31+n, 40)), "extra": map[string]any{"api": "ollama", "model": "some-model"}}
		if n%2 == 1 {
			m["name"] = "Bea"
		} else if n%5 == 0 {
			other := prose(i*17+n, 40)
			m["swipes"], m["swipe_id"] = []any{m["mes"], other}, 0
			m["swipe_info"] = []any{map[string]any{"send_date": m["send_date"], "extra": map[string]any{}}, map[string]any{"send_date": m["send_date"], "extra": map[string]any{}}}
		}
		line(m)
	}
	return out.Bytes()
}

// group is one of three, of whom the last is muted, that take turns from a pool.
func (f dataFolder) group() []byte {
	const name = "2024-01-01@10h"
	data, _ := json.Marshal(map[string]any{"id": "1700000000000", "name": "The crew", "members": []string{f.name(1) + ".png", f.name(0) + ".png", f.name(2) + ".png"},
		"disabled_members": []string{f.name(2) + ".png"}, "chats": []string{name}, "chat_id": name, "activation_strategy": int(formats.Pooled),
		"past_metadata": map[string]any{name: map[string]any{"note_prompt": "All at sea.", "note_depth": 2, "persona": "ann.png"}}})
	return data
}

// groupChat has no header, as the chats of groups had none for long.
func (f dataFolder) groupChat() []byte {
	var out bytes.Buffer
	for n := range f.Messages {
		m := map[string]any{"name": "Ann", "is_user": n%3 == 2, "is_system": false, "send_date": time.Date(2024, 1, 1, 10, n, 0, 0, time.UTC).Format(time.RFC3339), "mes": prose(n*7, 40)}
		if n%3 < 2 {
			m["name"], m["original_avatar"] = f.name(n%3), f.name(n%3)+".png"
			m["force_avatar"] = "/thumbnail?type=avatar&file=" + strings.ReplaceAll(f.name(n%3), " ", "%20") + ".png"
		}
		data, _ := json.Marshal(m)
		out.Write(append(data, '\n'))
	}
	return out.Bytes()
}

func (f dataFolder) settings() []byte {
	data, _ := json.Marshal(map[string]any{
		"username": "Bea", "user_avatar": "bea.png",
		"world_info_settings": map[string]any{"world_info": map[string]any{"globalSelect": []string{"World 1"},
			"charLore": []any{map[string]any{"name": f.name(1), "extraBooks": []string{"World 2"}}}}},
		"power_user": map[string]any{"default_persona": "bea.png",
			"personas": map[string]string{"ann.png": "Ann", "bea.png": "Bea"},
			"persona_descriptions": map[string]any{"ann.png": map[string]any{"description": "A pilot.", "position": 0, "lorebook": "World 3"},
				"bea.png": map[string]any{"description": "A baker.", "position": 0, "connections": []any{map[string]string{"type": "character", "id": f.name(2) + ".png"}}}}},
		"tags":    []any{map[string]string{"id": "t1", "name": "favourite"}},
		"tag_map": map[string]any{f.name(0) + ".png": []string{"t1"}},
		"extension_settings": map[string]any{"regex": []any{
			map[string]any{"id": "r1", "scriptName": "dashes", "findRegex": "/--/g", "replaceString": "—", "placement": []int{1, 2}, "markdownOnly": true},
			map[string]any{"id": "r2", "scriptName": "status", "findRegex": "/<status>.*?<\\/status>/gs", "replaceString": "", "placement": []int{2}, "promptOnly": true, "disabled": true},
			map[string]any{"id": "r3", "scriptName": "no script"}},
			"character_allowed_regex": []string{f.name(0) + ".png"},
			"note":                    map[string]any{"default": "", "chara": []any{}}},
	})
	return data
}

func smallPicture() ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, 24, 36))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
	}
	img.Set(3, 3, color.White)
	var out bytes.Buffer
	err := png.Encode(&out, img)
	return out.Bytes(), err
}

var words = strings.Fields("lamp curtain harbour winter letter ghost stairs velvet orchard mirror thunder bread violin station river " +
	"window captain silence garden needle paper island market sugar candle bridge wolf thimble anchor chapel meadow copper")

// prose is some words that are the same for the same number.
func prose(seed, n int) string {
	var b strings.Builder
	x := uint32(seed)*2654435761 + 12345
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		x = x*1664525 + 1013904223
		b.WriteString(words[(x>>16)%uint32(len(words))])
		if x>>28 == 0 {
			fmt.Fprintf(&b, "%d", x>>20&255)
		}
	}
	return b.String()
}
