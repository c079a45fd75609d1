package pictures_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// small returns a studio whose model has a context of 4,096 tokens.
func small(t *testing.T) *harness {
	return &harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.Sampling.NumCtx = 4096 })}
}

func lastAsked(s *harness) string {
	s.T.Helper()
	for i := len(s.Asked()) - 1; i >= 0; i-- {
		if text := enginetest.Flat(s.Asked()[i]); strings.Contains(string(s.Asked()[i].Format), "negative_prompt") {
			return text
		}
	}
	s.T.Fatal("no prompt of a picture was asked for")
	return ""
}

func TestCapture_OfLongMessagesTellsTheNewestWholeAndTheOthersInShort(t *testing.T) {
	t.Parallel()
	s := small(t)
	filler := strings.Repeat("They walk on along the quay, slowly, and the gulls cry above the roofs while the tide goes out. ", 16)
	var texts []string
	for i := range 12 {
		texts = append(texts, fmt.Sprintf("Mark %d begins. %sMark %d ends.", i, filler, i))
	}
	ids := s.Tell(texts[:4]...)
	s.recapped(ids[3], "## Current Situation\n- Robin and Tove stand on the quay\n\n## Key Developments\n- Tove has the brass compass of Mr Wendel")
	s.Tell(texts[4:]...)

	c := s.Drafted(pictures.CaptureRequest{})
	text := lastAsked(s)
	if c.Prompt == "" || !strings.Contains(text, texts[11]) {
		t.Errorf("the newest message is not told whole:\n%s", text)
	}
	for _, want := range []string{"[Message 10/10]", "brass compass of Mr Wendel", "stand on the quay", "BACKGROUND"} {
		if !strings.Contains(text, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, text)
		}
	}
	if len(text) > 4096*4 {
		t.Errorf("the prompt has %d bytes", len(text))
	}
	if len(c.Warnings) > 0 {
		t.Errorf("warnings: %q", c.Warnings)
	}
}

func TestCapture_OfOneHugeMessageShowsItsEndAndSaysSo(t *testing.T) {
	t.Parallel()
	s := small(t)
	s.Tell(strings.Repeat("The tide goes out, and on the wet sand gulls quarrel over a crab that nobody wants. ", 400) + "Tove opens the red door.")
	c := s.Drafted(pictures.CaptureRequest{})
	if text := lastAsked(s); !strings.Contains(text, "Tove opens the red door.") {
		t.Errorf("the end of the message is not told:\n%s", text)
	}
	if !strings.Contains(strings.Join(c.Warnings, "\n"), "only its end was shown") {
		t.Errorf("warnings: %q", c.Warnings)
	}
}

func TestCapture_RefusesPlainlyWhereNotEvenTheNewestMessageHasRoom(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewStudio(t)}
	s.ProfileFor(models.JobCapture, storage.Profile{Name: "tiny", NumCtx: 1024, NumPredict: 300})
	c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{})
	enginetest.Must(t, err)
	if c = s.SettledAs(c.ID, storage.CaptureFailed); !strings.Contains(c.Error, "context") {
		t.Errorf("the fault is %q", c.Error)
	}
}

func TestCapture_MarksWhatWasWhispered(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewStudio(t)}
	who := s.Joined("Mara")
	s.SayTo("Only you may know: the key is under the bell.", who, who)
	s.Drafted(pictures.CaptureRequest{})
	if text := lastAsked(s); !strings.Contains(text, "(whispered, heard only by Mara):\nOnly you may know") {
		t.Errorf("the whisper is not marked:\n%s", text)
	}
}

// recapped ends a scene that has a recap already.
func (s *harness) recapped(at storage.NodeID, text string) {
	s.T.Helper()
	_, err := s.Scenes.SetBreak(s.Chat, at, true)
	enginetest.Must(s.T, err)
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		b, err := storage.Breaks.Get(tx, s.Chat, at)
		if err != nil {
			return err
		}
		r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: at, Text: text}
		b.Versions, b.TextHash = []storage.RecapID{r.ID}, core.ContentHash(r.Text)
		if err := storage.Recaps.Put(tx, s.Chat, r); err != nil {
			return err
		}
		return storage.Breaks.Put(tx, s.Chat, b)
	}))
}

// Two pictures of a long chat, one turn apart, at 4,096 tokens: both requests leave room for the
// answer, and what does not change between them stands at their beginning, where the server has
// read it already.
func TestCapture_TwoAtASmallContext(t *testing.T) {
	t.Parallel()
	s := small(t)
	filler := strings.Repeat("They walk on along the quay, slowly, and the gulls cry above the roofs while the tide goes out. ", 6)
	var texts []string
	for i := range 14 {
		texts = append(texts, fmt.Sprintf("Mark %d begins. %sMark %d ends.", i, filler, i))
	}
	who := s.View().Character
	who.Card.Description = strings.Repeat("Tove keeps the lamps of the harbour and knows each boat by its horn. ", 12)
	who.Imagery.Appearance = "a tall woman of forty, grey plait, burn scar on the left wrist"
	_, err := s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	s.Tell(texts[:12]...)
	ask := func(r pictures.CaptureRequest) (string, int) {
		s.SettledAs(s.Send(s.Drafted(r), pictures.CaptureEdit{ImagePrompt: "A quay.", Width: 64, Height: 64}).ID, storage.CaptureCompleted)
		calls := s.Asked()
		for i := len(calls) - 1; ; i-- {
			if strings.Contains(string(calls[i].Format), "negative_prompt") {
				var body struct {
					Options struct {
						NumPredict int `json:"num_predict"`
					}
				}
				enginetest.Must(t, json.Unmarshal(calls[i].Body, &body))
				return enginetest.Flat(calls[i]), body.Options.NumPredict
			}
		}
	}
	for _, r := range []pictures.CaptureRequest{{}, {Requested: "the harbour from the quay"}} {
		first, _ := ask(r)
		s.Tell(texts[12:]...)
		_, err := s.Pictures.Continuity.Save(s.Chat, storage.Fact{Kind: storage.FactClothes, Who: "Tove",
			Text: "an oilskin coat, " + cmp.Or(r.Requested, "unbuttoned")})
		enginetest.Must(t, err)
		second, room := ask(r)
		same := 0
		for same < min(len(first), len(second)) && first[same] == second[same] {
			same++
		}
		a, b, both := text.Tokens(first), text.Tokens(second), text.Tokens(second[:same])
		t.Logf("%q: %d and %d tokens, of the second %d (%d %%) are known; %d are left for the answer",
			r.Requested, a, b, both, 100*both/b, room)
		if max(a, b)+room > 4096 || room < 600 {
			t.Errorf("%q: %d and %d tokens with %d for the answer", r.Requested, a, b, room)
		}
		if 100*both < 50*b {
			t.Errorf("%q: %d of %d tokens are read again; they part at %q", r.Requested, b-both, b, second[same:min(same+200, len(second))])
		}
	}
}
