package formats

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// sceneIn reads the scene of a line with this extra.
func sceneIn(t testing.TB, extra string) *SceneMark {
	t.Helper()
	f := readChat(t, `{"name":"B","mes":"x","is_user":false,"is_system":false,"extra":`+extra+`}`)
	if len(f.Messages) != 1 {
		t.Fatalf("%d messages, %q, of %.200s", len(f.Messages), f.Warnings, extra)
	}
	return f.Messages[0].Scene
}

func one(v SceneVersion) *SceneMark { return &SceneMark{Versions: []SceneVersion{v}} }

func texts(current int, texts ...string) *SceneMark {
	m := &SceneMark{Current: current}
	for _, s := range texts {
		m.Versions = append(m.Versions, SceneVersion{Text: s})
	}
	return m
}

func TestReadScene_Marks(t *testing.T) {
	tests := []struct {
		name, extra string
		want        *SceneMark
	}{
		{"no keys", `{}`, nil},
		{"extra is not an object", `"scene_break"`, nil},
		{"mark", `{"scene_break":true}`, &SceneMark{}},
		{"as text", `{"scene_break":"true"}`, &SceneMark{}},
		{"no mark", `{"scene_break":false}`, nil},
		{"no mark, as text", `{"scene_break":"false"}`, nil},
		{"mark of another type", `{"scene_break":{"a":1}}`, nil},
		{"number", `{"scene_break":1}`, nil},
		{"null", `{"scene_break":null}`, nil},
		{"visible", `{"scene_break":true,"scene_break_visible":true,"scene_break_collapsed":true}`, &SceneMark{}},
		{"hidden and expanded", `{"scene_break":true,"scene_break_visible":false,"scene_break_collapsed":"false"}`, &SceneMark{Hidden: true, Expanded: true}},
		{"other types", `{"scene_break":true,"scene_break_visible":0,"scene_break_collapsed":[],"scene_break_name":5,"scene_recap_versions":"v","scene_recap_memory":7,"scene_recap_current_index":"x"}`, &SceneMark{}},
		{"name", `{"scene_break":true,"scene_break_name":"Pier \u2603"}`, &SceneMark{Name: "Pier ☃"}},
		{"name without end", `{"scene_break":true,"scene_break_name":"` + strings.Repeat("x", maxSceneText+1) + `"}`, &SceneMark{}},
		{"recaps without a mark", `{"scene_recap_versions":["a"]}`, texts(0, "a")},
		{"recaps and a mark taken back", `{"scene_break":false,"scene_recap_versions":["a"]}`, &SceneMark{Hidden: true, Versions: []SceneVersion{{Text: "a"}}}},
		{"only a current text", `{"scene_recap_memory":"a"}`, texts(0, "a")},
		{"empty recaps without a mark", `{"scene_recap_versions":["",null," "]}`, nil},
		{"part of an extension", `{"auto_recap_memory":{"scene_break":true,"scene_break_name":"own"},"scene_break":false}`, &SceneMark{Name: "own"}},
		{"extension without a scene", `{"auto_recap_memory":{"memory":"m"},"scene_break":true,"scene_break_name":"flat"}`, &SceneMark{Name: "flat"}},
		{"extension of another type", `{"auto_recap_memory":[1],"scene_break":true}`, &SceneMark{}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, sceneIn(t, tt.extra)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestReadScene_Versions(t *testing.T) {
	tests := []struct {
		name, keys string
		want       *SceneMark
	}{
		{"texts", `"scene_recap_versions":["a","b"],"scene_recap_current_index":1`, texts(1, "a", "b")},
		{"index as text", `"scene_recap_versions":["a","b"],"scene_recap_current_index":"1"`, texts(1, "a", "b")},
		{"objects", `"scene_recap_versions":[{"text":"a"},{"content":"b"},{"recap":"c"}],"scene_recap_current_index":2`, texts(2, "a", "b", "c")},
		{"odd ones are left out", `"scene_recap_versions":["",5,"a",null,[1],{},{"text":7},"b",true],"scene_recap_current_index":7`, texts(1, "a", "b")},
		{"no index", `"scene_recap_versions":["a","b"]`, texts(0, "a", "b")},
		{"no index, but a current text", `"scene_recap_versions":["a","b"],"scene_recap_memory":"b"`, texts(1, "a", "b")},
		{"index off, current text there", `"scene_recap_versions":["a","b"],"scene_recap_current_index":9,"scene_recap_memory":"a"`, texts(0, "a", "b")},
		{"index off, another current text", `"scene_recap_versions":["a","b"],"scene_recap_current_index":-1,"scene_recap_memory":"c"`, texts(2, "a", "b", "c")},
		{"index off, no current text", `"scene_recap_versions":["a","b"],"scene_recap_current_index":9`, texts(1, "a", "b")},
		{"index below, no current text", `"scene_recap_versions":["a","b"],"scene_recap_current_index":-3`, texts(0, "a", "b")},
		{"index at an odd one", `"scene_recap_versions":["a",5,"b"],"scene_recap_current_index":1`, texts(1, "a", "b")},
		{"index at an empty one", `"scene_recap_versions":["a",""],"scene_recap_current_index":1,"scene_recap_memory":""`, texts(0, "a")},
		{"index counts", `"scene_recap_versions":["a","b"],"scene_recap_current_index":0,"scene_recap_memory":"b"`, texts(0, "a", "b")},
		{"no list", `"scene_recap_memory":"a"`, texts(0, "a")},
		{"list of another type", `"scene_recap_versions":{"0":"a"},"scene_recap_memory":"a","scene_recap_current_index":3`, texts(0, "a")},
		{"too long", `"scene_recap_versions":["` + strings.Repeat("x", maxSceneText+1) + `",{"text":"` + strings.Repeat("x", maxSceneText) + `"},"a"]`, texts(0, "a")},
	}
	for _, tt := range tests {
		tt.want.Hidden = true
		got := sceneIn(t, `{"scene_break":true,"scene_break_visible":false,`+tt.keys+`}`)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	many := make([]string, 250)
	for i := range many {
		many[i] = fmt.Sprint("v", i)
	}
	for current, want := range map[int][3]any{249: {"v50", "v249", 199}, 10: {"v10", "v209", 0}, 60: {"v50", "v249", 10}} {
		got := sceneIn(t, fmt.Sprintf(`{"scene_recap_versions":%s,"scene_recap_current_index":%d}`, quoteList(many), current))
		if n := len(got.Versions); n != maxVersions || [3]any{got.Versions[0].Text, got.Versions[n-1].Text, got.Current} != want {
			t.Errorf("%d of many: %d versions, current %d", current, n, got.Current)
		}
	}
}

func TestReadScene_Parts(t *testing.T) {
	lore := func(c ...storage.LoreCandidate) SceneVersion { return SceneVersion{Text: "r", Lorebooks: c} }
	tests := []struct {
		name, text string
		want       SceneVersion
	}{
		{"plain", "## Current Situation\n- a", SceneVersion{Text: "## Current Situation\n- a"}},
		{"white space", " a\n", SceneVersion{Text: " a\n"}},
		{"all parts", `{"scene_name":"n","recap":"r","atmosphere":"a","emotional_beats":"e","lorebooks":[]}`, SceneVersion{SceneName: "n", Text: "r", Atmosphere: "a", EmotionalBeats: "e"}},
		{"fence", "```json\n{\"recap\": \"r\"}\n```", SceneVersion{Text: "r"}},
		{"bare fence", " ```{\"recap\":\"r\"}``` \n", SceneVersion{Text: "r"}},
		{"fence around text", "```\nr\n```", SceneVersion{Text: "```\nr\n```"}},
		{"open fence", "```json\n{\"recap\":\"r\"}", SceneVersion{Text: "```json\n{\"recap\":\"r\"}"}},
		{"broken", `{"recap":"r"`, SceneVersion{Text: `{"recap":"r"`}},
		{"too deep", `{"recap":"r","x":` + strings.Repeat("[", tooDeep) + strings.Repeat("]", tooDeep) + `}`, SceneVersion{Text: `{"recap":"r","x":` + strings.Repeat("[", tooDeep) + strings.Repeat("]", tooDeep) + `}`}},
		{"other object", `{"a":1}`, SceneVersion{Text: `{"a":1}`}},
		{"parts of other types", `{"scene_name":1,"recap":true,"atmosphere":[],"emotional_beats":{},"lorebooks":"x"}`, SceneVersion{Text: `{"scene_name":1,"recap":true,"atmosphere":[],"emotional_beats":{},"lorebooks":"x"}`}},
		{"a part of another type", `{"scene_name":"n","recap":7}`, SceneVersion{SceneName: "n"}},
		{"recap that looks like JSON", `{"recap":"{\"recap\":\"r\"}"}`, SceneVersion{Text: `{"recap":"r"}`}},
		{"sections", `{"recap":{"current_situation":["a\n b","- c"],"tone_style":"dry","key_developments":[],"pending_threads":"- x\n- y","odd":5,"dialogue_highlights":[{"text":"d","messages":[1]},7,""]}}`,
			SceneVersion{Text: "## Current Situation\n- a b\n- c\n\n## Tone & Style\n- dry\n\n## Pending Threads\n- x\n- y\n\n## Dialogue Highlights\n- d"}},
		{"section names", `{"recap":{"Key Developments":"a","tone_and_style":"b","été":"c"}}`, SceneVersion{Text: "## Key Developments\n- a\n\n## Tone & Style\n- b\n\n## Été\n- c"}},
		{"list", `{"recap":["a","* b"]}`, SceneVersion{Text: "- a\n* b"}},
		{"lore", `{"recap":"r","lorebooks":[{"name":"N","type":"T","keywords":["k",1,"l"],"secondaryKeys":["s"],"content":"c","uid":"7"}]}`,
			lore(storage.LoreCandidate{Name: "N", Type: "T", Keywords: []string{"k", "l"}, SecondaryKeys: []string{"s"}, Content: "c", UID: "7"})},
		{"lore by its other name", `{"recap":"r","setting_lore":[{"name":"N","keywords":"k, l,","content":["c","d"],"uid":12}]}`,
			lore(storage.LoreCandidate{Name: "N", Keywords: []string{"k", "l"}, Content: "- c\n- d", UID: "12"})},
		{"odd lore", `{"recap":"r","lorebooks":[1,{},{"type":"T"},{"name":["N"],"content":"c","uid":null}]}`, lore(storage.LoreCandidate{Content: "c"})},
		{"stages", `{"scene_name":"n","stage1":{"sn":"m","extracted":["x"]},"stage2":{"recap":{"outcomes":"o"},"entities":[{"name":"E"}]},"stage3":{"developments":["d"],"open":[]},"stage4":{"entities":[]}}`, SceneVersion{SceneName: "n", Text: "## Developments\n- d"}},
		{"two stages", `{"stage1":{"sn":"m","extracted":["x"]},"stage2":{"recap":{"outcomes":"o","state":""}}}`, SceneVersion{SceneName: "m", Text: "## Outcomes\n- o"}},
		{"one stage", `{"stage1":{"sn":"m","extracted":["x"]}}`, SceneVersion{SceneName: "m", Text: "- x"}},
	}
	for _, tt := range tests {
		got := sceneIn(t, fmt.Sprintf(`{"scene_recap_versions":[%s]}`, quote(tt.text)))
		if diff := cmp.Diff(one(tt.want), got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	got := sceneIn(t, `{"scene_recap_versions":[{"text":"{\"recap\":\"r\",\"atmosphere\":\"a\"}","scene_name":"n","atmosphere":"b","lorebooks":[{"name":"N"}]}]}`)
	want := one(SceneVersion{SceneName: "n", Text: "r", Atmosphere: "a", Lorebooks: []storage.LoreCandidate{{Name: "N"}}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("parts inside and outside: " + diff)
	}
}

func TestReadScene_Files(t *testing.T) {
	if s := readChat(t, string(load(t, "chat.jsonl"))).Messages[0].Scene; s == nil || cmp.Diff(texts(0, "a"), s) != "" {
		t.Errorf("%+v", s)
	}
	f := readChat(t, string(load(t, "scenes.jsonl")))
	if len(f.Warnings) > 0 || len(f.Messages) != 6 {
		t.Fatalf("%q, %d messages", f.Warnings, len(f.Messages))
	}
	if f.Messages[0].Scene != nil || f.Messages[1].Scene != nil {
		t.Error("scenes where there are none")
	}
	s := f.Messages[2].Scene
	if s == nil || s.Name != "Stranded" || len(s.Versions) != 2 || s.Current != 1 || s.Versions[0].SceneName != "The last ferry" ||
		!strings.HasPrefix(s.Versions[1].Text, "## Current Situation\n- Ada is") || s.Versions[1].Lorebooks[0].UID != "12" {
		t.Errorf("%+v", s)
	}
	s = f.Messages[3].Scene
	if s == nil || !s.Hidden || !s.Expanded || len(s.Versions) != 1 || s.Versions[0].Text != "## Developments\n- The oil lasts three nights.\n\n## Open\n- Where does the oil go?" ||
		s.Versions[0].Lorebooks[0].Content != "- keeps the lamp\n- is left-handed" {
		t.Errorf("%+v", s)
	}
	want := texts(1, "The ferry came.", "The ferry came a week later.")
	want.Name, want.Expanded = "Thursday", true
	if diff := cmp.Diff(want, f.Messages[4].Scene); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(texts(0, "They part <at> the pier."), f.Messages[5].Scene); diff != "" {
		t.Error(diff)
	}
}

func TestWriteScene_KeepsTheLine(t *testing.T) {
	for _, name := range []string{"chat.jsonl", "scenes.jsonl"} {
		data := string(load(t, name))
		f := readChat(t, data)
		out := writeChat(t, f)
		for i, line := range strings.Split(strings.TrimSpace(data), "\n")[1:] {
			was, _ := parseObject(json.RawMessage(line))
			now, _ := parseObject(json.RawMessage(strings.Split(out, "\n")[i+1]))
			if string(was.get("extra")) != string(now.get("extra")) {
				t.Errorf("%s: extra %s became %s", name, was.get("extra"), now.get("extra"))
			}
		}
		if writeChat(t, readChat(t, out)) != out {
			t.Errorf("%s: a second round changes the file", name)
		}
		// A scene that is taken away here is kept there.
		for i := range f.Messages {
			f.Messages[i].Scene = nil
		}
		if writeChat(t, f) != out {
			t.Errorf("%s: lines depend on scenes that say nothing new", name)
		}
	}
	data, out := lines(t, string(load(t, "scenes.jsonl"))), lines(t, writeChat(t, readChat(t, string(load(t, "scenes.jsonl")))))
	if diff := cmp.Diff(data, out); diff != "" {
		t.Error(diff)
	}
}

// written returns the extra of a line after a scene is written over it.
func written(t testing.TB, extra string, scene *SceneMark) string {
	t.Helper()
	f := readChat(t, `{"name":"B","mes":"x","is_user":false,"is_system":false,"extra":`+extra+`}`)
	f.Messages[0].Scene = scene
	o, _ := parseObject(json.RawMessage(strings.Split(writeChat(t, f), "\n")[0]))
	return string(o.get("extra"))
}

func TestWriteScene(t *testing.T) {
	const a = `"{\"scene_name\":\"\",\"recap\":\"<a>\",\"atmosphere\":\"\",\"emotional_beats\":\"\",\"lorebooks\":[]}"`
	const full = `"{\"scene_name\":\"n\",\"recap\":\"r\",\"atmosphere\":\"t\",\"emotional_beats\":\"e\",\"lorebooks\":[{\"name\":\"N\",\"type\":\"T\",\"keywords\":[],\"secondaryKeys\":[\"s\"],\"content\":\"c\",\"uid\":\"7\"}]}"`
	const bare = `"scene_break":true,"scene_break_visible":true,"scene_break_collapsed":true,"scene_break_name":"","scene_recap_versions":[],"scene_recap_current_index":0,"scene_recap_memory":""`
	const two = `"scene_break":true,"scene_recap_versions":["\u0061",{"text":"b","at":1}],"scene_recap_current_index":0,"scene_recap_memory":"a"`
	fullVersion := SceneVersion{SceneName: "n", Text: "r", Atmosphere: "t", EmotionalBeats: "e",
		Lorebooks: []storage.LoreCandidate{{Name: "N", Type: "T", SecondaryKeys: []string{"s"}, Content: "c", UID: "7"}, {Type: "empty"}}}
	tests := []struct {
		name, extra string
		scene       *SceneMark
		want        string
	}{
		{"no scene", `{"x":1.0}`, nil, `{"x":1.0}`},
		{"keys without a scene now", `{` + two + `}`, nil, `{` + two + `}`},
		{"new mark", `{"x":1.0}`, &SceneMark{}, `{"x":1.0,` + bare + `}`},
		{"new mark where the extension is at work", `{"auto_recap_memory":{"y":1e2},"x":1.0}`, &SceneMark{}, `{"auto_recap_memory":{"y":1e2,` + bare + `},"x":1.0}`},
		{"mark over another type", `{"scene_break":5,"scene_break_visible":[]}`, &SceneMark{Hidden: true, Expanded: true, Name: "n"},
			`{"scene_break":true,"scene_break_visible":false,"scene_break_collapsed":false,"scene_break_name":"n","scene_recap_versions":[],"scene_recap_current_index":0,"scene_recap_memory":""}`},
		{"new recap", `{}`, texts(0, "<a>"), `{` + strings.Replace(strings.Replace(bare, "[]", "["+a+"]", 1), `memory":""`, `memory":`+a, 1) + `}`},
		{"all parts", `{"scene_break":true}`, one(fullVersion), `{"scene_break":true,"scene_recap_versions":[` + full + `],"scene_recap_current_index":0,"scene_recap_memory":` + full + `}`},
		{"same", `{"scene_break":"true","scene_recap_versions":["\u0061"]}`, texts(0, "a"), `{"scene_break":"true","scene_recap_versions":["\u0061"]}`},
		{"hidden", `{` + two + `,"z":[1.0]}`, &SceneMark{Hidden: true, Versions: texts(0, "a", "b").Versions}, `{` + two + `,"z":[1.0],"scene_break_visible":false}`},
		{"shown again", `{"scene_break_visible":"false","scene_break":false,"scene_recap_versions":["a"]}`, texts(0, "a"), `{"scene_break_visible":true,"scene_break":true,"scene_recap_versions":["a"]}`},
		{"renamed", `{"scene_break_name":"o",` + two + `}`, &SceneMark{Name: "n", Versions: texts(0, "a", "b").Versions}, `{"scene_break_name":"n",` + two + `}`},
		{"other one in use", `{` + two + `}`, texts(1, "a", "b"), `{"scene_break":true,"scene_recap_versions":["\u0061",{"text":"b","at":1}],"scene_recap_current_index":1,"scene_recap_memory":"{\"scene_name\":\"\",\"recap\":\"b\",\"atmosphere\":\"\",\"emotional_beats\":\"\",\"lorebooks\":[]}"}`},
		{"one more", `{` + two + `}`, texts(2, "a", "b", "<a>"), `{"scene_break":true,"scene_recap_versions":["\u0061",{"text":"b","at":1},` + a + `],"scene_recap_current_index":2,"scene_recap_memory":` + a + `}`},
		{"one before", `{` + two + `}`, texts(0, "<a>", "a", "b"), `{"scene_break":true,"scene_recap_versions":[` + a + `,"\u0061",{"text":"b","at":1}],"scene_recap_current_index":0,"scene_recap_memory":` + a + `}`},
		{"one edited", `{` + two + `}`, texts(0, "a", "<a>"), `{"scene_break":true,"scene_recap_versions":["\u0061",` + a + `],"scene_recap_current_index":0,"scene_recap_memory":"\u0061"}`},
		{"one gone", `{` + two + `}`, texts(0, "a"), `{"scene_break":true,"scene_recap_versions":["\u0061"],"scene_recap_current_index":0,"scene_recap_memory":"\u0061"}`},
		{"odd ones keep their place", `{"scene_break":true,"scene_recap_versions":["",5,"a",null]}`, texts(1, "a", "<a>"), `{"scene_break":true,"scene_recap_versions":["",5,"a",null,` + a + `],"scene_recap_current_index":4,"scene_recap_memory":` + a + `}`},
		{"a current text joins the list", `{"scene_break":true,"scene_recap_memory":"\u0061"}`, texts(1, "a", "<a>"), `{"scene_break":true,"scene_recap_memory":` + a + `,"scene_recap_versions":["\u0061",` + a + `],"scene_recap_current_index":1}`},
		{"empty ones do not count", `{` + two + `}`, texts(1, " ", "a", "", "b"), `{` + two + `}`},
		{"current off", `{"scene_break":true,"scene_recap_versions":["a","b"],"scene_recap_current_index":1}`, texts(9, "a", "b"), `{"scene_break":true,"scene_recap_versions":["a","b"],"scene_recap_current_index":1}`},
	}
	for _, tt := range tests {
		got := written(t, tt.extra, tt.scene)
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		if again := written(t, got, tt.scene); again != got {
			t.Errorf("%s: a second time\n%s", tt.name, again)
		}
		if tt.scene == nil {
			continue
		}
		if diff := cmp.Diff(tt.scene.normalized(), *sceneIn(t, got), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestWriteScene_ComesBack writes any scene over any other.
func TestWriteScene_ComesBack(t *testing.T) {
	version := rapid.Custom(func(t *rapid.T) SceneVersion {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", `{"recap":"r"}`, "```json\n{}\n```", "## A\n- b"}))
		v := SceneVersion{SceneName: text.Draw(t, "name"), Text: text.Draw(t, "text"), Atmosphere: text.Draw(t, "atmosphere"), EmotionalBeats: text.Draw(t, "beats")}
		for range rapid.IntRange(0, 2).Draw(t, "lore") {
			v.Lorebooks = append(v.Lorebooks, storage.LoreCandidate{Name: text.Draw(t, "n"), Type: text.Draw(t, "t"), Content: text.Draw(t, "c"), UID: text.Draw(t, "u"),
				Keywords: rapid.SliceOfN(text, 0, 3).Draw(t, "k"), SecondaryKeys: rapid.SliceOfN(text, 0, 2).Draw(t, "s")})
		}
		return v
	})
	scene := rapid.Custom(func(t *rapid.T) *SceneMark {
		return &SceneMark{Hidden: rapid.Bool().Draw(t, "hidden"), Expanded: rapid.Bool().Draw(t, "expanded"), Name: rapid.String().Draw(t, "name"),
			Versions: rapid.SliceOfN(version, 0, 4).Draw(t, "versions"), Current: rapid.IntRange(-1, 4).Draw(t, "current")}
	})
	rapid.Check(t, func(rt *rapid.T) {
		extra := rapid.SampledFrom([]string{`{}`, `{"x":1.0}`, `{"auto_recap_memory":{"x":1.0}}`, `{"scene_recap_versions":["",5,{"text":"a","y":1}],"scene_recap_memory":"b"}`}).Draw(rt, "extra")
		for _, s := range rapid.SliceOfN(scene, 1, 3).Draw(rt, "scenes") {
			extra = written(t, extra, s)
			want, got := s.normalized(), *sceneIn(t, extra)
			if n := len(want.Versions); n > 0 && got.Name == "" && want.Name == want.Versions[want.Current].SceneName {
				want.Name = "" // a scene without a name of its own has that of its recap
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				rt.Fatalf("%s in %s", diff, extra)
			}
			if again := written(t, extra, s); again != extra {
				rt.Fatalf("%s became %s", extra, again)
			}
		}
	})
}
