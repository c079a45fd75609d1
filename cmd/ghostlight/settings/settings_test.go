package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What config show prints must be read again as the same settings.
func TestSettings_ReadBack(t *testing.T) {
	const text = "[ollama]\nnum_ctx = 4096\ntop_k = 3\nseed = 0\nthink = false\nstop = [\"a\"]\n[comfyui]\nurls = [\"http://x:1\"]\nfree_after = true\n" +
		"[scenes]\nauto_detect = false\nmin_messages = 1\nscene_recap_message_types = \"user\"\n[memory]\nmode = \"scenes\"\n" +
		"keep_messages = 0\n[director]\nseparate = true\nsparks = 0\nidle_minutes = 5\nmoment = false\n[remember]\nhooks = false\nembed_server = \"http://e:1\"\n" +
		"[prompt]\nnote_every = 3\n[[quick_replies]]\ntext = \"a\"\nkey = \"f11\"\n[queue]\ntimeout_seconds = 5\nchat_waits = true\n" +
		"[ui]\nimages = \"blocks\"\n[keys]\nquit = [\"ctrl+q\", \"f10\"]\n"
	s, err := parse("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := s.Ollama.Profile()
	if p.NumCtx != 4096 || *p.TopK != 3 || *p.Seed != 0 || p.Think != storage.ThinkOff || p.Temperature != nil || len(p.Stop) != 1 {
		t.Errorf("the profile is %+v", p)
	}
	if s, err := parse("x", []byte("[ollama]\nthink = \"low\"")); err != nil || s.Ollama.Profile().Think != storage.ThinkLow {
		t.Errorf("a level of thinking: %v, %+v", err, s.Ollama.Think)
	}
	scenes, memory, jobs := s.Scenes.Config(), s.Memory.Config(), s.Queue.Config()
	if !scenes.NoDetect || scenes.NoRecap || scenes.MinMessages != 1 || scenes.Types != "user" || memory.Mode != config.MemoryScenes ||
		*memory.Keep != 0 || memory.Budget != 0 || jobs.Timeout != 5*time.Second || !jobs.ChatWaits {
		t.Errorf("the settings are %+v %+v %+v", scenes, memory, jobs)
	}
	if st := s.Stage(true); st.NoDirector || !st.Separate || *st.Sparks != 0 || st.Idle != 5*time.Minute || !st.NoMoment || st.NoEngaged || st.NoMemories || !st.NoHooks ||
		st.EmbedServer != "http://e:1" || st.NoteEvery != 3 || !st.WarmUp {
		t.Errorf("the settings of the stage are %+v", st)
	}
	if s.Stage(false).WarmUp {
		t.Error("a command would read prompts ahead")
	}
	if q := s.QuickReplies(); len(q) != 1 || q[0].Text != "a" || q[0].Key != "f11" {
		t.Errorf("the quick replies are %+v", q)
	}
	if v := s.ComfyUI.VRAM(); v != (config.VRAM{FreeComfy: true}) {
		t.Errorf("around a picture is done: %+v", v)
	}
	if !reflect.DeepEqual(s.Keys["quit"], []string{"ctrl+q", "f10"}) || s.UI.DarkMode() != nil {
		t.Errorf("the settings are %+v", s)
	}
}

func TestParseSettings_RefusesInWords(t *testing.T) {
	for text, want := range map[string]string{
		"[ollama]\nnum_ctx = 'many'":                   "c:2:11: ollama.num_ctx must be a whole number, not text",
		"[ollama]\nnum_ctx = 1.5":                      "must be a whole number, not a number with a fraction",
		"[ollama]\nthink = 1":                          "ollama.think must be true, false, low, medium or high, not 1",
		"[ollama]\nstop = 'a'":                         "ollama.stop must be a list, not text",
		"[ollama.num_ctx]\na = 1":                      "ollama.num_ctx must be a whole number, not a section",
		"[[ollama]]\na = 1":                            "ollama must be a section, not a list",
		"[keys]\nquit = 'q'":                           "keys.quit must be a list, not text",
		"[ui]\ndark = 1979-05-27":                      "ui.dark must be text, not a date or time",
		"ollama = 3":                                   "ollama must be a section, not a whole number",
		"[ollama]\nnum_ctx = 255":                      "ollama.num_ctx",
		"[ollama]\nnum_ctx = 1048577":                  "ollama.num_ctx",
		"[ollama]\nnum_ctx = -1":                       "ollama.num_ctx",
		"[ollama]\nnum_predict = 131073":               "ollama.num_predict",
		"[ollama]\nnum_predict = -1":                   "ollama.num_predict",
		"[ollama]\nnum_ctx = 512":                      "must be smaller than ollama.num_ctx (512)",
		"[ollama]\nnum_ctx = 512\nnum_predict = 512":   "must be smaller",
		"[ollama]\ntemperature = nan":                  "ollama.temperature must be a number from 0 to 5",
		"[ollama]\ntemperature = 5.1":                  "ollama.temperature",
		"[ollama]\ntop_p = inf":                        "ollama.top_p",
		"[ollama]\ntop_p = -0.1":                       "ollama.top_p",
		"[ollama]\nmin_p = 1.1":                        "ollama.min_p",
		"[ollama]\ntop_k = -1":                         "ollama.top_k",
		"[ollama]\nrepeat_penalty = -inf":              "ollama.repeat_penalty",
		"[ui]\n\n  dark = 'dusk'":                      "c:3:3: ui.dark must be auto, dark or light, not \"dusk\"",
		"[scenes]\nmin_messages = 0":                   "c:2:1: scenes.min_messages must be a number of messages from 1 to 1000, not 0",
		"[scenes]\nmin_messages = 'few'":               "c:2:16: scenes.min_messages must be a whole number, not text",
		"[scenes]\nhistory_count = 0":                  "scenes.history_count",
		"[scenes]\nstyle = 'haiku'":                    "scenes.style must be bullets, narrative or dialogue, not \"haiku\"",
		"[scenes]\nscene_recap_message_types = 'all'":  "scenes.scene_recap_message_types must be user, character or both",
		"[scenes]\nauto_detect = 1":                    "scenes.auto_detect must be true or false, not a whole number",
		"[scenes]\nautodetect = true":                  "c:2:1: unknown setting scenes.autodetect",
		"scenes.min_messages = 1001":                   "c:1:8: scenes.min_messages",
		"memory = { mode = 'all' }":                    "c:1:1: memory.mode must be running, scenes or short",
		"[memory]\nrole = 'narrator'":                  "memory.role must be system, user or assistant",
		"[memory]\ndepth = -1":                         "memory.depth",
		"[memory]\nkeep_messages = -1":                 "memory.keep_messages",
		"[memory]\nrecent_scenes = 0":                  "memory.recent_scenes",
		"[memory]\nbudget = 49":                        "memory.budget",
		"[memory]\nbudget = 8192":                      "c:2:1: memory.budget (8192) must be smaller than ollama.num_ctx (8192)",
		"[queue]\ntimeout_seconds = 0":                 "c:2:1: queue.timeout_seconds must be a number of seconds from 1 to 86400, not 0",
		"[queue]\nchat_waits = 'no'":                   "queue.chat_waits must be true or false, not text",
		"[comfyui]\ntimeout_seconds = 86401":           "comfyui.timeout_seconds",
		"[comfyui]\ntimeout_seconds = -1":              "comfyui.timeout_seconds",
		"\ufeff[ollama]\nnum_ctx = 512\nnum_predict=9": "",
		"[ollama]\nnum_ctx = 256\nnum_predict = 255\ntop_p = 1\ntemperature = 5\ntop_k = 0": "",
	} {
		_, err := parse("c", []byte(text))
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(got, want) {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func FuzzParseSettings(f *testing.F) {
	for _, s := range []string{"", "[ollama]\nurl = 'x'", "[keys]\na = ['b']", "a", "[ollama]\nnope = 1", "[ui]\ndark = 3", "\x00", "[[ollama]]", "[ollama]\nnum_ctx = 99999999999999999999"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := parse("config.toml", data); err != nil && !strings.HasPrefix(err.Error(), "config.toml:") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}

// A file that sets what earlier versions knew can be read and changed; one sentence says what
// counts now, until it is taken out.
func TestParse_OutdatedSettings(t *testing.T) {
	f := File{Path: filepath.Join(t.TempDir(), "config.toml")}
	text := "[ollama]\nsilence = \"2m\"\nthink_time = \"1h\" # slow\nnum_ctx = 4096\n[voice]\nrole = false\n"
	if err := os.WriteFile(f.Path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Read(f.Path, true)
	if err != nil || s.Ollama.NumCtx != 4096 || s.Ollama.GiveUp() != 0 {
		t.Fatalf("%v, %+v", err, s.Ollama)
	}
	if words := s.OutdatedWords(); strings.Count(words, "ollama.give_up_after") != 1 || !strings.Contains(words, "ollama.silence, ollama.think_time, voice.role") || !strings.Contains(words, "voice.sets") {
		t.Errorf("it is said: %q", words)
	}
	for _, name := range []string{"ollama.silence", "ollama.think_time", "voice.role"} {
		if s, err = f.Unset(name); err != nil {
			t.Fatal(err)
		}
	}
	if s.OutdatedWords() != "" || s.Ollama.NumCtx != 4096 {
		t.Errorf("after they are gone: %q, %+v", s.OutdatedWords(), s.Ollama)
	}
	if _, err := f.Set("ollama.silence", "2m"); err == nil {
		t.Error("one is set again")
	}
	if _, err := parse("f", []byte(text+"silense = 1\n")); err == nil || strings.Contains(err.Error(), "silence") {
		t.Errorf("a slip of the pen beside them: %v", err)
	}
}

func TestOllama_GiveUp(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "90s": 90 * time.Second, "never": -1, "0": -1, "0s": -1} {
		o := Ollama{GiveUpAfter: text}
		if err := o.check(); err != nil || o.GiveUp() != want {
			t.Errorf("%q: %v, %s", text, err, o.GiveUp())
		}
	}
	for _, text := range []string{"soon", "-1s", "10ms", "25h"} {
		if err := (Ollama{GiveUpAfter: text}).check(); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
