package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"ghostlight/engine/config"
	"ghostlight/engine/pictures"
	"ghostlight/storage"
	"ghostlight/tui/safetext"
)

func TestFromOllamaHost(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"  ":                      "",
		"host":                    "http://host:11434",
		"host:1234":               "http://host:1234",
		":1234":                   "http://127.0.0.1:1234",
		"http://host":             "http://host:80",
		"https://host":            "https://host:443",
		"https://host:1234/ai/":   "https://host:1234/ai",
		`"127.0.0.1:1"`:           "http://127.0.0.1:1",
		"[::1]":                   "http://[::1]:11434",
		"[::1]:1234":              "http://[::1]:1234",
		"0.0.0.0":                 "http://0.0.0.0:11434", // the client knows what to do with it
		"http://user.example/x/y": "http://user.example:80/x/y",
	} {
		if got := fromOllamaHost(in); got != want {
			t.Errorf("%q becomes %q, not %q", in, got, want)
		}
	}
}

// What config show prints must be read again as the same settings.
func TestSettings_ReadBack(t *testing.T) {
	const text = "[ollama]\nnum_ctx = 4096\ntop_k = 3\nseed = 0\nthink = false\nstop = [\"a\"]\n[comfyui]\nurls = [\"http://x:1\"]\nverify_unload = false\nwarm_after = false\n" +
		"[scenes]\nauto_detect = false\nmin_messages = 1\nscene_recap_message_types = \"user\"\n[memory]\nmode = \"scenes\"\n" +
		"keep_messages = 0\n[director]\nseparate = true\nsparks = 0\nidle_minutes = 5\nmoment = false\n[remember]\nhooks = false\nembed_server = \"http://e:1\"\n" +
		"[prompt]\nnote_every = 3\n[[quick_replies]]\ntext = \"a\"\nkey = \"f11\"\n[queue]\ntimeout_seconds = 5\nchat_waits = true\n" +
		"[ui]\nimages = \"blocks\"\n[keys]\nquit = [\"ctrl+q\", \"f10\"]\n"
	s, err := parseSettings("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := s.Ollama.profile()
	if p.NumCtx != 4096 || *p.TopK != 3 || *p.Seed != 0 || *p.Think || p.Temperature != nil || len(p.Stop) != 1 {
		t.Errorf("the profile is %+v", p)
	}
	scenes, memory, jobs := s.Scenes.config(), s.Memory.config(), s.Queue.config()
	if !scenes.NoDetect || scenes.NoRecap || scenes.MinMessages != 1 || scenes.Types != "user" || memory.Mode != config.MemoryScenes ||
		*memory.Keep != 0 || memory.Budget != 0 || jobs.Timeout != 5*time.Second || !jobs.ChatWaits {
		t.Errorf("the settings are %+v %+v %+v", scenes, memory, jobs)
	}
	if st := s.stage(true); st.NoDirector || !st.Separate || *st.Sparks != 0 || st.Idle != 5*time.Minute || !st.NoMoment || st.NoEngaged || st.NoMemories || !st.NoHooks ||
		st.EmbedServer != "http://e:1" || st.NoteEvery != 3 || !st.WarmUp {
		t.Errorf("the settings of the stage are %+v", st)
	}
	if s.stage(false).WarmUp {
		t.Error("a command would read prompts ahead")
	}
	if q := s.quickReplies(); len(q) != 1 || q[0].Text != "a" || q[0].Key != "f11" {
		t.Errorf("the quick replies are %+v", q)
	}
	if v := s.ComfyUI.vram(); v != (config.VRAM{NoVerify: true, NoWarm: true}) {
		t.Errorf("around a picture is done: %+v", v)
	}
	if !reflect.DeepEqual(s.Keys["quit"], []string{"ctrl+q", "f10"}) || s.UI.dark() != nil {
		t.Errorf("the settings are %+v", s)
	}
}

func TestParseSettings_RefusesInWords(t *testing.T) {
	for text, want := range map[string]string{
		"[ollama]\nnum_ctx = 'many'":                   "c:2:11: ollama.num_ctx must be a whole number, not text",
		"[ollama]\nnum_ctx = 1.5":                      "must be a whole number, not a number with a fraction",
		"[ollama]\nthink = 1":                          "ollama.think must be true or false, not a whole number",
		"[ollama]\nstop = 'a'":                         "ollama.stop must be a list of texts, not text",
		"[ollama.num_ctx]\na = 1":                      "ollama.num_ctx must be a whole number, not a section",
		"[[ollama]]\na = 1":                            "ollama must be a section, not a list",
		"[keys]\nquit = 'q'":                           "keys.quit must be a list of texts, not text",
		"[ui]\ndark = 1979-05-27":                      "ui.dark must be text, not a date or time",
		"ollama = 3":                                   "ollama must be a section, not a whole number",
		"[ollama]\nnum_ctx = 255":                      "ollama.num_ctx",
		"[ollama]\nnum_ctx = 1048577":                  "ollama.num_ctx",
		"[ollama]\nnum_ctx = -1":                       "ollama.num_ctx",
		"[ollama]\nnum_predict = 131073":               "ollama.num_predict",
		"[ollama]\nnum_predict = -1":                   "ollama.num_predict",
		"[ollama]\nnum_ctx = 512":                      "must be smaller than ollama.num_ctx (512)",
		"[ollama]\nnum_ctx = 512\nnum_predict = 512":   "must be smaller",
		"[ollama]\ntemperature = nan":                  "ollama.temperature is a number from 0 to 5, not NaN",
		"[ollama]\ntemperature = 5.1":                  "ollama.temperature",
		"[ollama]\ntop_p = inf":                        "ollama.top_p",
		"[ollama]\ntop_p = -0.1":                       "ollama.top_p",
		"[ollama]\nmin_p = 1.1":                        "ollama.min_p",
		"[ollama]\ntop_k = -1":                         "ollama.top_k",
		"[ollama]\nrepeat_penalty = -inf":              "ollama.repeat_penalty",
		"[ui]\n\n  dark = 'dusk'":                      "c:3:3: ui.dark is auto, dark or light, not \"dusk\"",
		"[scenes]\nmin_messages = 0":                   "c:2:1: scenes.min_messages is a number of messages from 1 to 1000, not 0",
		"[scenes]\nmin_messages = 'few'":               "c:2:16: scenes.min_messages must be a whole number, not text",
		"[scenes]\nhistory_count = 0":                  "scenes.history_count",
		"[scenes]\nstyle = 'haiku'":                    "scenes.style is bullets, narrative or dialogue, not \"haiku\"",
		"[scenes]\nscene_recap_message_types = 'all'":  "scenes.scene_recap_message_types is user, character or both",
		"[scenes]\nauto_detect = 1":                    "scenes.auto_detect must be true or false, not a whole number",
		"[scenes]\nautodetect = true":                  "c:2:1: there is no setting scenes.autodetect",
		"scenes.min_messages = 1001":                   "c:1:8: scenes.min_messages",
		"memory = { mode = 'all' }":                    "c:1:1: memory.mode is running, scenes or short",
		"[memory]\nrole = 'narrator'":                  "memory.role is system, user or assistant",
		"[memory]\ndepth = -1":                         "memory.depth",
		"[memory]\nkeep_messages = -1":                 "memory.keep_messages",
		"[memory]\nrecent_scenes = 0":                  "memory.recent_scenes",
		"[memory]\nbudget = 49":                        "memory.budget",
		"[memory]\nbudget = 8192":                      "c:2:1: memory.budget (8192) must be smaller than ollama.num_ctx (8192)",
		"[queue]\ntimeout_seconds = 0":                 "c:2:1: queue.timeout_seconds is a number of seconds from 1 to 86400, not 0",
		"[queue]\nchat_waits = 'no'":                   "queue.chat_waits must be true or false, not text",
		"[comfyui]\ntimeout_seconds = 86401":           "comfyui.timeout_seconds",
		"[comfyui]\ntimeout_seconds = -1":              "comfyui.timeout_seconds",
		"\ufeff[ollama]\nnum_ctx = 512\nnum_predict=9": "",
		"[ollama]\nnum_ctx = 256\nnum_predict = 255\ntop_p = 1\ntemperature = 5\ntop_k = 0": "",
	} {
		_, err := parseSettings("c", []byte(text))
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(got, want) {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// What cannot be written as JSON is told as a document too.
func TestTell_FallsBack(t *testing.T) {
	var out, errs bytes.Buffer
	d := newDoor(nil, &out, &errs)
	d.json = true
	code := d.leave(d.tell(map[string]float64{"n": math.NaN()}, nil), true)
	var doc map[string]string
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || doc["error"] == "" || code != exitFailed {
		t.Errorf("ended with %d and printed %q (%v)", code, out.String(), err)
	}
}

func FuzzParseSettings(f *testing.F) {
	for _, s := range []string{"", "[ollama]\nurl = 'x'", "[keys]\na = ['b']", "a", "[ollama]\nnope = 1", "[ui]\ndark = 3", "\x00", "[[ollama]]", "[ollama]\nnum_ctx = 99999999999999999999"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := parseSettings("config.toml", data); err != nil && !strings.HasPrefix(err.Error(), "config.toml:") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}

func FuzzEscapeJSON(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[2J", "\u009b31m", "\u202eabc", "é 漢 👍🏽 👨\u200d👩", "\x7f", "\U000e0041", "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b bytes.Buffer
		if err := writeJSON(&b, map[string]string{"text": s}); err != nil {
			t.Fatal(err)
		}
		if safe := safetext.Block(b.String()); safe != b.String() {
			t.Errorf("not safe to print: %q", b.String())
		}
		var back map[string]string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); strings.ReplaceAll(back["text"], "\ufffd", "") != strings.ReplaceAll(want, "\ufffd", "") {
			t.Errorf("%q came back as %q", s, back["text"])
		}
	})
}

// An interrupted reply ends the command, and what was written is kept.
func TestSend_Interrupted(t *testing.T) {
	t.Setenv("GHOSTLIGHT_REHEARSAL_DELAY", "30ms")
	h := home{t.TempDir(), []string{"--rehearse"}}
	h.run(t, "chat", "new", "--title", "T")
	send := h.command("send", "T", "Tell me everything.")
	var out, errs bytes.Buffer
	send.Stderr = &errs
	pipe, err := send.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := send.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(&out, pipe, 1); err != nil { // the reply has begun
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if err := send.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(&out, pipe) // ends with the process, which is looked at below
	_ = send.Wait()
	if code := send.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(errs.String(), "kept") {
		t.Fatalf("ended with %d and said %q", code, errs.String())
	}
	data, err := h.command("chat", "show", "T", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var doc showShape
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	last := doc.Messages[len(doc.Messages)-1]
	if printed := strings.TrimSpace(out.String()); last.Role != storage.Assistant || last.State != storage.Stopped ||
		strings.TrimSpace(last.Content) != printed {
		t.Errorf("kept %q as %s; printed was %q", last.Content, last.State, printed)
	}
}

// When nobody reads a reply any more it is stopped, and what came is kept.
func TestSend_ReaderGone(t *testing.T) {
	t.Setenv("GHOSTLIGHT_REHEARSAL_DELAY", "30ms")
	h := home{t.TempDir(), []string{"--rehearse"}}
	h.run(t, "chat", "new", "--title", "T")
	send := h.command("send", "T", "Tell me everything.")
	var errs bytes.Buffer
	send.Stderr = &errs
	pipe, err := send.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := send.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(pipe, first); err != nil { // the reply has begun
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	_ = send.Wait()
	if code := send.ProcessState.ExitCode(); code != exitFailed || strings.Count(errs.String(), "\n") != 1 { // the word of rehearsing
		t.Fatalf("ended with %d (%v) and said %q", code, send.ProcessState, errs.String())
	}
	data, err := h.command("chat", "show", "T", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var doc showShape
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	last := doc.Messages[len(doc.Messages)-1]
	if last.Role != storage.Assistant || last.State != storage.Stopped || !strings.HasPrefix(last.Content, string(first)) {
		t.Errorf("kept %q as %s", last.Content, last.State)
	}
}

// A disk that fills up leaves the file that was there, and nothing half.
func TestPlaceFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	if err := placeFile(path, false, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := placeFile(path, false, []byte("two")); err == nil {
		t.Error("a file was replaced unasked")
	}
	if err := placeFile(path, true, []byte("three")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	info, err2 := os.Stat(path)
	if err != nil || err2 != nil || string(data) != "three" || info.Mode().Perm() != 0o640 {
		t.Errorf("it holds %q with mode %v (%v, %v)", data, info.Mode(), err, err2)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("the folder holds %v (%v)", list, err)
	}
}

// Debug records pass only for the parts that were asked for; others always.
func TestLog_Parts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "ghostlight.log")
	for _, parts := range []map[string]bool{{}, {"queue": true}, {"door": true}} {
		log, done, err := openLog(path, parts)
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("whispered")
		log.Info("said")
		done()
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if w, s := strings.Count(string(data), "whispered"), strings.Count(string(data), "said"); w != 1 || s != 3 || !strings.Contains(string(data), "part=door") {
		t.Errorf("%d whispers and %d others:\n%s", w, s, data)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log's mode is %v (%v)", info.Mode(), err)
	}
}

func TestLog_PutsALargeOneAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ghostlight.log")
	if err := os.WriteFile(path, make([]byte, logLimit+1), 0o600); err != nil {
		t.Fatal(err)
	}
	log, done, err := openLog(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	log.Info("fresh")
	done()
	small, err := os.Stat(path)
	large, err2 := os.Stat(path + ".1")
	if err != nil || err2 != nil || small.Size() > 1000 || large.Size() != logLimit+1 {
		t.Errorf("%v %v %v %v", small, large, err, err2)
	}
}

// Every command has words for its help and a place in the manual page.
func TestEveryCommandIsDocumented(t *testing.T) {
	root := newDoor(nil, io.Discard, io.Discard).root()
	page := manPage(root)
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" || c.Short[0] >= 'A' && c.Short[0] <= 'Z' {
			t.Errorf("%s: the short help %q should be a few words in lower case", c.CommandPath(), c.Short)
		}
		if c.HasParent() && !c.HasSubCommands() && !strings.Contains(page, ".B "+roff(c.CommandPath())) {
			t.Errorf("%s is not on the manual page", c.CommandPath())
		}
		if text := helpText(c, strings.ToUpper); !strings.Contains(text, "USAGE") || strings.Contains(text, " --\n") { // a flag in two
			t.Errorf("%s: the help is %q", c.CommandPath(), text)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

func TestMergeEdit(t *testing.T) {
	seven := int64(7)
	c := storage.Capture{Prompt: "written", NegativePrompt: "none", Seed: &seven, Workflow: "w", Width: 10, Status: storage.CaptureFailed}
	set := func(names ...string) func(string) bool {
		return func(s string) bool { return strings.Contains(strings.Join(names, " "), s) }
	}
	flags := pictures.CaptureEdit{ImagePrompt: "mine", Width: 20}
	kept, err := mergeEdit(set(), c, flags, -1)
	if err != nil || kept.ImagePrompt != "written" || *kept.Seed != 7 || kept.Width != 10 || kept.Workflow != "w" {
		t.Errorf("without flags it is %+v (%v)", kept, err)
	}
	changed, err := mergeEdit(set("prompt", "width", "seed"), c, flags, -1)
	if err != nil || changed.ImagePrompt != "mine" || changed.Seed != nil || changed.Width != 20 {
		t.Errorf("with flags it is %+v (%v)", changed, err)
	}
	c.Status = storage.CaptureCompleted
	if again, err := mergeEdit(set(), c, flags, -1); err != nil || again.Seed != nil {
		t.Errorf("again it is %+v (%v)", again, err)
	}
	if _, err := mergeEdit(set("seed"), c, flags, -2); !isMisuse(err) {
		t.Errorf("a seed of -2 gives %v", err)
	}
}
