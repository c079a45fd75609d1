package pictures_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// small is a studio whose model has a context of 4,096 tokens.
func small(t *testing.T) *stage {
	return &stage{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.Sampling.NumCtx = 4096 })}
}

func lastAsked(s *stage) string {
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
	s := &stage{enginetest.NewStudio(t)}
	s.ProfileFor(house.JobCapture, storage.Profile{Name: "tiny", NumCtx: 1024, NumPredict: 300})
	c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{})
	enginetest.Must(t, err)
	if c = s.SettledAs(c.ID, storage.CaptureFailed); !strings.Contains(c.Error, "context") {
		t.Errorf("the fault is %q", c.Error)
	}
}

func TestCapture_MarksWhatWasWhispered(t *testing.T) {
	t.Parallel()
	s := &stage{enginetest.NewStudio(t)}
	who := s.Joined("Mara")
	s.SayTo("Only you may know: the key is under the bell.", who, who)
	s.Drafted(pictures.CaptureRequest{})
	if text := lastAsked(s); !strings.Contains(text, "(whispered, heard only by Mara):\nOnly you may know") {
		t.Errorf("the whisper is not marked:\n%s", text)
	}
}

// recapped ends a scene that has a recap already.
func (s *stage) recapped(at storage.NodeID, text string) {
	s.T.Helper()
	_, err := s.Scenes.SetBreak(s.Chat, at, true)
	enginetest.Must(s.T, err)
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		b, err := storage.Breaks.Get(tx, s.Chat, at)
		if err != nil {
			return err
		}
		r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: at, Text: text}
		b.Versions, b.Text = []storage.RecapID{r.ID}, core.ContentHash(r.Text)
		if err := storage.Recaps.Put(tx, s.Chat, r); err != nil {
			return err
		}
		return storage.Breaks.Put(tx, s.Chat, b)
	}))
}
