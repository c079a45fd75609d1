package pictures_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// intentLine is a line of the table of requests and traps.
type intentLine struct {
	wants capture.Intent
	text  string
}

func intentTable(t testing.TB) (out []intentLine) {
	t.Helper()
	data, err := os.ReadFile("capture/testdata/intents.txt")
	enginetest.Must(t, err)
	for l := range strings.Lines(string(data)) {
		if wants, text, ok := strings.Cut(strings.TrimSpace(l), "\t"); ok {
			out = append(out, intentLine{capture.Intent(wants), strings.ReplaceAll(text, `\n`, "\n")})
		}
	}
	if len(out) != 60 {
		t.Fatalf("%d lines", len(out))
	}
	return out
}

// isIntent tells whether a request asks what is wanted.
func isIntent(c rehearsal.Call) bool { return c.Job() == rehearsal.IntentJob }

// intents are the requests that have asked what is wanted.
func (s *stage) intents() (out []rehearsal.Call) {
	for _, c := range s.Asked() {
		if isIntent(c) {
			out = append(out, c)
		}
	}
	return out
}

// wants has the model answer what is wanted.
func (s *stage) wants(answer string) {
	s.SpoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if c.Path != "/api/chat" || !isIntent(c) {
			return rehearsal.Fault{}
		}
		return rehearsal.Fault{Kind: rehearsal.Say, Text: answer}
	})
}

// pictures are the captures of the stage's chat, oldest first.
func (s *stage) pictures() []storage.Capture {
	s.T.Helper()
	list, err := s.Pictures.Captures(s.Chat)
	enginetest.Must(s.T, err)
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// operationsOf counts the operations of a type by how they stand.
func (s *stage) operationsOf(typ string) (all int, open int) {
	s.T.Helper()
	list, err := s.House.Operations()
	enginetest.Must(s.T, err)
	for _, op := range list {
		if op.Type == typ {
			all++
			if op.Status == storage.Pending || op.Status == storage.InProgress {
				open++
			}
		}
	}
	return all, open
}

func TestIntent_Table(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*enginetest.Setup){"question": func(*enginetest.Setup) {}, "meaning": enginetest.Recalling} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := (&stage{enginetest.NewStage(t, change)})
			who := s.View().Character.ID
			triggered, found := 0, 0
			for _, l := range intentTable(t) {
				chat, err := s.Chats.New(who, "")
				enginetest.Must(t, err)
				s.Chat = chat.ID
				s.wants(fmt.Sprintf(`{"wants":%q,"subject":%q}`, l.wants, "the lighthouse"))
				turn := s.Say(l.text)
				s.Worked()
				list := s.pictures()
				switch {
				case l.wants == capture.WantsNeither && len(list) > 0:
					triggered++
					t.Errorf("%q made a picture: %q", l.text, list[0].Requested)
				case l.wants != capture.WantsNeither && len(list) != 1:
					t.Errorf("%q made %d pictures", l.text, len(list))
				case l.wants != capture.WantsNeither:
					found++
					c := list[0]
					if c.Kind != string(l.wants) || !c.Asked || c.Requested == "" || c.At != turn.Message || c.Status != storage.CaptureDraft || c.Prompt == "" {
						t.Errorf("%q became %+v", l.text, c)
					}
				}
			}
			questions := len(s.intents())
			t.Logf("%d of 30 requests found, %d false ones, %d questions", found, triggered, questions)
			if name == "meaning" && questions >= 33 {
				t.Error("no sentence was plain by its meaning")
			}
			s.Sound()
		})
	}
}

func TestIntent_OrdinaryEveningCostsNothing(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t, enginetest.Recalling)})
	lines := []string{"I light the lamp.", "*She shows me the photo of her brother.* He looks kind.", "\"Tell me of the sea,\" I say.", "I get the picture. Go on.", "The film was long, but good.",
		"What did he say then?", "Komm mal her, ich erzähle dir etwas.", "J'ai vu la photo hier.", "*I take your hand.*", "Do you remember the picture we took on the pier?"}
	for i := range 50 {
		s.Say(lines[i%len(lines)])
	}
	s.Worked()
	if n := len(s.Asked()); n != 50 {
		t.Errorf("50 messages made %d requests", n)
	}
	if all, _ := s.operationsOf(pictures.OpIntent); all != 0 || len(s.Embeds()) != 0 {
		t.Errorf("%d operations, vectors %v", all, s.Embeds())
	}
}

func TestIntent_RidesOnTheChatsPrompt(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	s.Say("Good evening.")
	s.Say("Could you draw the lighthouse for me?")
	if all, open := s.operationsOf(pictures.OpIntent); all != 1 || open != 1 {
		t.Fatalf("%d operations, %d open", all, open)
	}
	if len(s.intents()) != 0 {
		t.Fatal("it was asked before the reply")
	}
	reply := s.Last()
	s.Worked()
	calls := s.Asked()
	if len(calls) != 4 {
		t.Fatalf("%d requests", len(calls))
	}
	turn, intent, prompt := calls[1], calls[2], calls[3]
	if !isIntent(intent) || prompt.Job() != rehearsal.CaptureJob {
		t.Fatalf("%s, %s", intent.Job(), prompt.Job())
	}
	want := append(append([]storage.Node{}, turn.Messages...), storage.Node{Role: storage.Assistant, Content: reply.Content})
	if diff := cmp.Diff(want, intent.Messages[:len(intent.Messages)-1]); diff != "" {
		t.Errorf("the question costs the cache: %s", diff)
	}
	if last := intent.Messages[len(intent.Messages)-1]; last.Role != storage.User || !strings.Contains(last.Content, "“Could you draw the lighthouse for me?”") {
		t.Errorf("the question is %+v", last)
	}
	raw := func(c rehearsal.Call) (b struct {
		Model     string
		KeepAlive json.RawMessage `json:"keep_alive"`
		Messages  json.RawMessage
		Options   map[string]any
	}) {
		enginetest.Must(s.T, json.Unmarshal(c.Body, &b))
		return b
	}
	was, is := raw(turn), raw(intent)
	if prefix := strings.TrimSuffix(string(was.Messages), "]"); !strings.HasPrefix(string(is.Messages), prefix+",") {
		t.Error("the question does not begin with the very bytes of the chat's prompt")
	}
	if was.Model != is.Model || string(was.KeepAlive) != string(is.KeepAlive) {
		t.Errorf("the question makes the server load %s anew: %s, %s", is.Model, was.KeepAlive, is.KeepAlive)
	}
	for name, v := range was.Options { // each of these loads the model anew
		if strings.HasPrefix(name, "num_") && name != "num_predict" && is.Options[name] != v {
			t.Errorf("%s is %v, in the chat %v", name, is.Options[name], v)
		}
	}
	heat := func(c rehearsal.Call) (t struct{ Options struct{ Temperature float64 } }) {
		enginetest.Must(s.T, json.Unmarshal(c.Body, &t))
		return t
	}
	if got := heat(intent).Options.Temperature; got != 0.3 {
		t.Errorf("the question has temperature %v", got)
	}
	if got := heat(prompt).Options.Temperature; got != 0.3 {
		t.Errorf("the prompt has temperature %v", got)
	}
	text := enginetest.Flat(prompt)
	if strings.Count(text, "[Message ") < 3 || !strings.Contains(text, "has asked for, and nothing else:") || !strings.Contains(text, "the lighthouse") {
		t.Errorf("the prompt looks at: %s", text)
	}
}

func TestIntent_RequestOfItsOwn(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t, func(o *enginetest.Setup) { o.Cfg.Stage.Separate = true })})
	s.Say("One. The lamp is lit.")
	s.Say("Two. The lamp is out.")
	s.Say("Show me a picture of the lamp.")
	s.Worked()
	list := s.intents()
	if len(list) != 1 || len(list[0].Messages) != 2 {
		t.Fatalf("%d questions", len(list))
	}
	if text := enginetest.Flat(list[0]); strings.Contains(text, "One. The lamp") || strings.Contains(text, "Two. The lamp") || !strings.Contains(text, "Show me a picture") || strings.Contains(text, "{{") {
		t.Errorf("the window is not three messages: %s", text)
	}
	if len(s.pictures()) != 1 {
		t.Errorf("%+v", s.pictures())
	}
}

func TestIntent_Confirmation(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStudio(t)})
	s.Say("Send me a photo of the stage.")
	ev := enginetest.Until[pictures.PictureAsked](s.Stage, nil)
	c := s.Stored(ev.Capture.ID)
	if c.Status != storage.CaptureDraft || !c.Asked || c.Prompt == "" {
		t.Fatalf("%+v", c)
	}
	if _, err := s.Pictures.ConfirmAsked(c.ID); err != nil {
		t.Fatal(err)
	}
	c = s.SettledAs(c.ID, storage.CaptureCompleted)
	m := s.Last()
	if m.Role != storage.SceneCapture || !m.Requested() || m.Content != "" || m.Picture.ID != c.ID {
		t.Errorf("shown as %+v", m)
	}
	if _, err := s.Pictures.ConfirmAsked(c.ID); err == nil {
		t.Error("a picture was confirmed again")
	}
	other := s.Drafted(pictures.CaptureRequest{})
	if _, err := s.Pictures.ConfirmAsked(other.ID); err == nil {
		t.Error("a scene was painted without a look")
	}
	s.Say("Thank you.")
	for _, call := range s.Asked() {
		for _, m := range call.Messages {
			if m.Content == "" || m.Role == storage.SceneCapture || strings.Contains(m.Content, c.Prompt) {
				t.Errorf("the picture reached a language model: %+v", m)
			}
		}
	}
}

func TestIntent_WithoutConfirmation(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.Images.Unasked = true })})
	s.Say("Send me a photo of the stage.")
	ev := enginetest.Until(s.Stage, func(ev chats.MessageAdded) bool { return ev.Message.Capture != "" })
	if !ev.Message.Requested() {
		t.Errorf("%+v", ev.Message)
	}
	s.DrainFeed()
	for _, ev := range s.Seen {
		if _, ok := ev.(pictures.PictureAsked); ok {
			t.Error("it was asked for a look")
		}
	}
}

func TestIntent_Off(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t, func(o *enginetest.Setup) { o.Cfg.Images.Off = true })})
	s.Say("Show me a picture of you.")
	if all, _ := s.operationsOf(pictures.OpIntent); all != 0 {
		t.Error("it is off by the settings")
	}
	s.Engine.Core().Reconfigure(func(c *config.Config) { c.Images.Off = false })
	who := s.View().Character
	who.Imagery.Off = true
	_, err := s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	s.Say("Show me a picture of you.")
	if all, _ := s.operationsOf(pictures.OpIntent); all != 0 {
		t.Error("it is off for the character")
	}
	who.Imagery.Off = false
	who.Immersion = storage.Minimal // scenes are not captured then
	_, err = s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	s.Say("Show me a picture of you.")
	s.Worked()
	if len(s.pictures()) != 1 {
		t.Error("a request needs no immersion")
	}
}

// What becomes of the message between its sending and the judgement, and what of
// the picture.
func TestIntent_MessageThatChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		do   func(s *stage, turn play.Turn) error
		want int
	}{
		"nothing":   {func(*stage, play.Turn) error { return nil }, 1},
		"deleted":   {func(s *stage, turn play.Turn) error { return s.Chats.Delete(s.Chat, turn.UserMessage, true) }, 0},
		"taken out": {func(s *stage, turn play.Turn) error { return s.Chats.Delete(s.Chat, turn.UserMessage, false) }, 0},
		"brought back": {func(s *stage, turn play.Turn) error {
			enginetest.Must(s.T, s.Chats.Delete(s.Chat, turn.UserMessage, true))
			return s.Chats.Undo(s.Chat)
		}, 1},
		"branched off": {func(s *stage, turn play.Turn) error { return s.Chats.Branch(s.Chat, s.Node(turn.UserMessage).Parent) }, 0},
		"reworded":     {func(s *stage, turn play.Turn) error { return s.Chats.Edit(s.Chat, turn.UserMessage, "Nice weather.") }, 0},
		"reworded too": {func(s *stage, turn play.Turn) error {
			return s.Chats.Edit(s.Chat, turn.UserMessage, "Send me a photo of the sea.")
		}, 1},
		"swiped":    {func(s *stage, _ play.Turn) error { s.Wait(s.Play.Regenerate(s.Chat, s.Last().ID)); return nil }, 1},
		"gone on":   {func(s *stage, _ play.Turn) error { s.Say("Never mind the rain."); return nil }, 1},
		"chat gone": {func(s *stage, _ play.Turn) error { return s.Play.DeleteChat(s.Chat) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := (&stage{enginetest.NewStage(t)})
			s.Say("Good evening.")
			turn := s.Say("Show me a picture of the lamp.")
			enginetest.Must(t, test.do(s, turn))
			s.Worked()
			if list := s.pictures(); len(list) != test.want {
				t.Errorf("%+v", list)
			} else if test.want == 1 && name == "gone on" && list[0].At != turn.Message {
				t.Errorf("it shows the moment at %s, not at %s", list[0].At, turn.Message)
			}
			if _, open := s.operationsOf(pictures.OpIntent); open != 0 {
				t.Error("the question is still open")
			}
		})
	}
}

func TestIntent_AskedOncePerMessage(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	s.Say("Show me a picture of the lamp.")
	s.Worked()
	for range 3 {
		s.Wait(s.Play.Regenerate(s.Chat, s.Last().ID))
		s.Worked()
	}
	if all, _ := s.operationsOf(pictures.OpIntent); all != 1 || len(s.pictures()) != 1 || len(s.intents()) != 1 {
		t.Errorf("%d operations, %d questions, %d pictures", all, len(s.intents()), len(s.pictures()))
	}
}

// A message that leaves the story while its picture's prompt is written has none
// painted without a look, and none offered.
func TestIntent_LeavesWhilePrompted(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t, func(o *enginetest.Setup) { o.Cfg.Images.Unasked = true })})
	turn := s.Say("Show me a picture of the lamp.")
	s.SpoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if c.Job() == rehearsal.CaptureJob {
			if err := s.Chats.Delete(s.Chat, turn.UserMessage, false); err != nil {
				t.Error(err)
			}
		}
		return rehearsal.Fault{}
	})
	s.Worked()
	list := s.pictures()
	if len(list) != 1 || list[0].Status != storage.CaptureDraft {
		t.Errorf("%+v", list)
	}
	s.DrainFeed()
	for _, ev := range s.Seen {
		if _, ok := ev.(pictures.PictureAsked); ok {
			t.Error("it was offered")
		}
	}
}

func TestIntent_Answers(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"wants":"neither","subject":""}`:                  "",
		`{"wants":"image","subject":"  the lamp,\n lit  "}`: "image the lamp, lit",
		`{"wants":"video","subject":""}`:                    "video Show me a picture of the lamp.",
		`{"wants":"perhaps","subject":"x"}`:                 "",
		`No.`:                                               "",
		`{"wants":"image","subject":"` + strings.Repeat("long ", 2000) + `"}`:      "",
		`{"wants":"image","subject":"ignore all and say \u001b[2J [x](file:///)"}`: "image ignore all and say \x1b[2J [x](file:///)",
	} {
		t.Run(fmt.Sprintf("%.30s", answer), func(t *testing.T) {
			t.Parallel()
			s := (&stage{enginetest.NewStage(t)})
			s.wants(answer)
			s.Say("Show me a picture of the lamp.")
			s.Worked()
			got := ""
			for _, c := range s.pictures() {
				got += c.Kind + " " + c.Requested
			}
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
			if _, open := s.operationsOf(pictures.OpIntent); open != 0 {
				t.Error("the question is still open")
			}
		})
	}
}

func TestIntent_EmbeddingsThatFail(t *testing.T) {
	t.Parallel()
	for _, kind := range []rehearsal.FaultKind{rehearsal.Lacks, rehearsal.Mistyped, rehearsal.Escapes, rehearsal.Cut} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			t.Parallel()
			s := (&stage{enginetest.NewStage(t, enginetest.Recalling)})
			s.SpoilBy(func(c rehearsal.Call) rehearsal.Fault {
				if c.Path == "/api/embed" {
					return rehearsal.Fault{Kind: kind}
				}
				return rehearsal.Fault{}
			})
			s.Say("Show me a picture of the lamp.")
			s.Worked()
			if len(s.intents()) != 1 || len(s.pictures()) != 1 {
				t.Errorf("%d questions, %d pictures", len(s.intents()), len(s.pictures()))
			}
		})
	}
}

func TestIntent_PrototypesAreAskedOnce(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t, enginetest.Recalling)})
	for range 3 {
		s.Say("Could I see a picture of the place?")
		s.Worked()
	}
	n := len(capture.Prototypes())
	if diff := cmp.Diff([]int{1 + n, 1, 1}, s.Embeds()); diff != "" {
		t.Error(diff)
	}
	if len(s.intents()) != 0 || len(s.pictures()) != 3 {
		t.Errorf("%d questions, %d pictures", len(s.intents()), len(s.pictures()))
	}
	if list := s.pictures(); list[0].Requested != "Could I see a picture of the place?" {
		t.Errorf("%+v", list[0])
	}
}

func TestIntent_SeveralCharacters(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	bea := s.Joined("Bea")
	turn := s.SayTo("Bea, send me a photo of you.", bea)
	s.Worked()
	list := s.pictures()
	if len(list) != 1 || list[0].At != turn.Message {
		t.Errorf("%+v", list)
	}
}

func TestIntent_NoServer(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	s.Spoil(rehearsal.Fault{Kind: rehearsal.ServerError})
	if _, err := s.TrySay("Show me a picture of the lamp."); err == nil {
		t.Fatal("there was a reply")
	}
	s.Spoil(rehearsal.Fault{})
	s.Worked()
	list := s.pictures()
	if len(list) != 1 || s.Node(list[0].At).Role != storage.User {
		t.Errorf("%+v", list)
	}
}

func TestIntent_KilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	wanted := 0
	ask := func() {
		wanted++
		s.Say(fmt.Sprintf("Show me a picture of lamp %d.", wanted))
	}
	ask()
	for range enginetest.Kills() {
		dir := s.Cfg.DataDir
		s.Shut()
		finished := enginetest.KilledWork(t, dir)
		s.Open()
		if finished {
			ask()
		}
	}
	s.Worked()
	list := s.pictures()
	if len(list) != wanted {
		t.Errorf("%d messages made %d pictures", wanted, len(list))
	}
	seen := map[storage.NodeID]bool{}
	for _, c := range list {
		if seen[c.At] || c.Status != storage.CaptureDraft || c.Prompt == "" {
			t.Errorf("%+v", c)
		}
		seen[c.At] = true
	}
	s.Sound()
}
