package plain

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/demo/tove"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// talk is a conversation with the front end.
type talk struct {
	t     *testing.T
	e     *engine.Engine
	keys  *io.PipeWriter
	stops chan os.Signal
	ended chan Outcome
	mu    sync.Mutex
	all   bytes.Buffer
	fresh chan struct{}
	read  int // of all, by see
}

func (k *talk) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case k.fresh <- struct{}{}:
	default:
	}
	return k.all.Write(p)
}

// begin opens the engine in demo mode, without a model where bare, and converses.
func begin(t *testing.T, o demo.Options, model string, change func(*Options)) *talk {
	t.Helper()
	if o.Script == nil {
		o.Script = tove.Reply
	}
	h, err := demo.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(config.Config{DataDir: t.TempDir(), Program: "test", Ollama: h.OllamaURL, Comfy: []string{h.ComfyURL}, Model: model})
	if err == nil {
		err = e.Library.EnsureBundled()
	}
	if err == nil {
		err = e.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	in, keys := io.Pipe()
	k := &talk{t: t, e: e, keys: keys, stops: make(chan os.Signal, 1), ended: make(chan Outcome, 1), fresh: make(chan struct{}, 1)}
	p := Options{In: NewInput(in, true), Out: k, Interrupts: k.stops, Work: func(string) string { return "" },
		Program: func([]string, io.Writer) error { return nil }}
	if change != nil {
		change(&p)
	}
	go func() {
		out, err := Run(t.Context(), e, p)
		if err != nil {
			t.Error(err)
		}
		k.ended <- out
	}()
	t.Cleanup(func() {
		_ = keys.Close()
		p.In.Close()
		for range p.In.lines { // the reader ends
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// see waits until the output contains the texts, in this order and after what was seen before.
func (k *talk) see(texts ...string) *talk {
	k.t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	for {
		k.mu.Lock()
		all, at := k.all.String(), k.read
		k.mu.Unlock()
		for i, text := range texts {
			found := strings.Index(all[at:], text)
			if found < 0 {
				break
			}
			at += found + len(text)
			if i == len(texts)-1 {
				k.read = at
				return k
			}
		}
		select {
		case <-k.fresh:
		case <-deadline.C:
			k.t.Fatalf("waiting for %q; after what was seen comes:\n%s", texts, all[k.read:])
		}
	}
}

// said waits for one of several texts, and returns its index.
func (k *talk) said(texts ...string) int {
	k.t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	for {
		k.mu.Lock()
		new := k.all.String()[k.read:]
		k.mu.Unlock()
		for i, text := range texts {
			if at := strings.Index(new, text); at >= 0 {
				k.read += at + len(text)
				return i
			}
		}
		select {
		case <-k.fresh:
		case <-deadline.C:
			k.t.Fatalf("waiting for one of %q: %s", texts, new)
		}
	}
}

// enter types a line.
func (k *talk) enter(text string) *talk {
	k.t.Helper()
	if _, err := io.WriteString(k.keys, text+"\n"); err != nil {
		k.t.Fatal(err)
	}
	return k
}

// end waits until the front end was left, and checks all that it wrote.
func (k *talk) end() Outcome {
	k.t.Helper()
	select {
	case out := <-k.ended:
		k.mu.Lock()
		defer k.mu.Unlock()
		if all := k.all.String(); safetext.Block(all) != all || strings.ContainsAny(all, "\x1b\r\b\x07") {
			k.t.Errorf("not plain: %q", all)
		}
		return out
	case <-time.After(time.Minute):
		k.t.Fatal("it does not end")
	}
	return Outcome{}
}

// The first start asks for the user's name, the model and the character, each with a default on
// enter. Then the speaker is printed before the text.
func TestRun_Setup(t *testing.T) {
	k := begin(t, demo.Options{}, "", nil)
	k.see("Your name? Enter: Robin. ").enter("Ada").see("Choose a model", "1. ", "2. ", "try the demo", "Enter: 1").enter("").
		see("Choose a character", "1. Tove Halloran", "Enter: 1").enter("").
		see("Tove Halloran. 1 message. You are Ada.", "1. Tove, swipe 1 of 3: ", "Write a message, or /help.", "Ada: ")
	k.enter("Good evening.").see("Tove: *She", "Dry yourself first.", "What does it ask you to do?\"\n", "Ada: ")
	k.enter("/again").see("Tove: ", "Ada: ").enter("/takes").see("2 swipes:", "1. ", "2. (this one)").enter("/take 1").see("swipe 1 of 2")
	k.enter("/edit 2").see("2. Ada: Good evening.", "New text?").enter("Good morning.").see("Message 2 edited").enter("/read 2").see("2. Ada: Good morning.", "3. Tove")
	k.enter("/delete").see("Message 3 deleted").enter("/undo").see("Undone: deleted message 3").enter("/chats").see("1 chat:", "1. Tove Halloran, 3 messages, open")
	k.enter("/suggest").see("Suggested message: ", "/say sends it").enter("/say").see("Tove: ", "Ada: ")
	k.enter("/ca").see("This can be ", "/cast", "/capture").enter("/nonsense").see("Unknown command /nonsense").enter("/help").see("/again: regenerate", "/quit: leave.")
	k.enter("//shrug").see("Tove: ", "Ada: ").enter("/quit").see("Goodbye")
	if out := k.end(); out.Demo {
		t.Error("nobody asked for demo mode")
	}
	v, err := k.e.Play.View(mustLast(t, k.e), 2)
	if err != nil || v.Messages[0].Content != "/shrug" {
		t.Errorf("%v %v", v.Messages, err)
	}
}

func TestRun_GoesOnWithTheLastChat(t *testing.T) {
	k := begin(t, demo.Options{}, demo.Model, func(o *Options) { o.In.Terminal = false })
	k.enter("Hello.").see("Tove Halloran. 1 message. You are Robin.", "\nRobin: Hello.\nTove: ", "do?\"\n")
	_ = k.keys.Close()
	k.see("Goodbye")
	k.end()
}

// Nobody has to have a model: enter goes over to demo mode.
func TestRun_WithoutAModel(t *testing.T) {
	k := begin(t, demo.Options{Fault: func(demo.Call) demo.Fault { return demo.Fault{Kind: demo.HTML} }}, "", nil)
	k.see("Your name?").enter("").see("No model: ", "Enter starts the demo").enter("")
	if out := k.end(); !out.Demo {
		t.Error("it is not demo mode")
	}
}

// What happens in the next reply, and how it is written, can be chosen.
func TestRun_BeatsAndActs(t *testing.T) {
	k := begin(t, demo.Options{Answer: func(format json.RawMessage, _ []storage.Node) (string, bool) {
		const three = `{"proposals":["Tove locks the door.","The lamp goes out, and somebody laughs.","Tove tears the letter in two."]}`
		return three, (demo.Call{Format: format}).Job() == demo.ProposalsJob
	}}, demo.Model, nil)
	k.see("Your name?").enter("").see("Choose a character").enter("").see("Robin: ")
	k.enter("/beats the lamp").see("Suggestions for the next reply", "2. The lamp goes out", "Enter skips").enter("2").see("The next reply tells: The lamp goes out, and somebody laughs.")
	k.enter("/act plainer, more speech").see("tells: The lamp goes out, and somebody laughs. It is plainer, more-speech.").enter("/act").see("plainer: simple words, no purple prose (wanted)")
	k.enter("/act loud").see("unknown quick act").enter("And now?").see("Tove: ", "Robin: ")
	v, err := k.e.Play.View(mustLast(t, k.e), 1)
	if err != nil || len(v.Messages) != 1 || v.Messages[0].Steer.Beat != "The lamp goes out, and somebody laughs." || len(v.Messages[0].Steer.Acts) != 2 || !v.Chat.Steer.IsZero() {
		t.Errorf("%+v %v", v.Messages, err)
	}
	k.enter("/beats").see("Enter skips").enter("7").see("No such suggestion").enter("/act shorter").see("The next reply is shorter.").enter("/act none").see("No instructions")
	k.enter("/beats").see("Enter skips").enter("Tove sleeps").see("The next reply tells: Tove sleeps.").enter("/quit").see("Goodbye")
	k.end()
}

// Control C stops a reply first, and leaves when none is being written.
func TestRun_Interrupts(t *testing.T) {
	k := begin(t, demo.Options{TokenDelay: 20 * time.Millisecond}, demo.Model, nil)
	k.see("Your name?").enter("").see("Choose a character").enter("").see("Robin: ").enter("Good evening.").see("Tove: ")
	k.stops <- os.Interrupt
	k.see("Stopped; the text so far is kept.", "Robin: ")
	k.stops <- os.Interrupt
	k.see("Goodbye")
	k.end()
}

// Notes about events are printed between lines: never into one that is being typed.
func TestRun_NewsWait(t *testing.T) {
	k := begin(t, demo.Options{}, demo.Model, nil)
	k.see("Your name?").enter("").see("Choose a character").enter("").see("Robin: ")
	k.e.Core().Events.Emit(event.Notice{Text: "the lamp is out"})
	for range 1000 { // the news may be on its way still
		if k.enter("").said("Note: the lamp is out\nRobin: ", "Nothing new.") == 0 {
			break
		}
	}
	k.enter("/quit").see("Goodbye")
	k.end()
	if all := k.all.String(); strings.Count(all, "the lamp is out") != 1 {
		t.Errorf("%s", all)
	}
}

// hostile is text that must never reach the terminal as it is.
const hostile = "\x1b[66;77Hmoved\x1b]52;c;ZXZpbA==\x07 clip \x1b]0;owned\x1b\\ title \x1bP+q544e\x1b\\dcs \x1bc reset " +
	"\u009b66;77H c1 \u009d52;c;ZXZpbA==\u009c \x1b[?1049l\u202eright to left\u202c \u2066isolate\u2069 \x00nul\x07bel\x7fdel\b\b\bback" +
	"\rover\x0bvt\x0cff \u2028line\u2029par \ufeffbom soft\u00adhyphen \u200bzero end"

// A reply may say what it likes: it commands nothing.
func TestRun_HostileReply(t *testing.T) {
	script := func([]storage.Node, int) string { return hostile + "\n\n" + hostile }
	k := begin(t, demo.Options{Script: script}, demo.Model, nil)
	k.see("Your name?").enter("").see("Choose a character").enter("").see("Robin: ").enter("Go.").see("Tove: ", "soft", "Robin: ").enter("/quit").see("Goodbye")
	k.end()
}

func TestSentenceEnd(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "She waits": "", "She waits.": "", "She waits. She": "She waits. ", "\"Go!\" *She": "\"Go!\" ", "3.5 metres": "", "One\ntwo": "One\n",
		"One. Two\nthree": "One. ", "\nx": "\n", "Well… yes": "Well… ", "a.b c": "", "*Gone.* He": "*Gone.* ",
	} {
		if got := text[:sentenceEnd(text)]; got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func TestNumbered(t *testing.T) {
	var b bytes.Buffer
	s := &session{out: &printer{w: &b}}
	n := &numberedList{s: s}
	_, _ = io.WriteString(n, "01M84H4QG4DCW9BYA3ETHDAH8N  image  draft\n01M84H4R0NAE9NES2VX9X3DEV0 completed\n  MWGS33G3/1  recap  Good\nJEDDCEBB  fact\n01M84H4QG4DCW9BYA3ETHDAH8N\nMERCHANT words\nend")
	n.close()
	if got, want := b.String(), "1. image, draft\n2. completed\n  3. recap, Good\n4. fact\n1. follows.\nMERCHANT words\nend\n"; got != want {
		t.Errorf("%s", got)
	}
	for word, want := range map[string]string{"#1": "01M84H4QG4DCW9BYA3ETHDAH8N", "#3": "MWGS33G3/1", "#4": "JEDDCEBB", "#5": "", "2": "", "#x": ""} {
		if got, ok := s.numberOf(word); got != want || ok != (want != "") {
			t.Errorf("%s is %q", word, got)
		}
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{"": "", "a b": "a|b", ` a  "b c" d`: "a|b c|d", `a"b c"`: "ab c", `""`: ""} {
		if got := strings.Join(split(text), "|"); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func mustLast(t *testing.T, e *engine.Engine) storage.ChatID {
	t.Helper()
	id, ok, err := e.Chats.Last()
	if err != nil || !ok {
		t.Fatal(err)
	}
	return id
}
