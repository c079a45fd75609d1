package taste_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// learntOf puts a profile with such cards into the store.
func (l *lessonHarness) learntOf(cards ...storage.PreferenceCard) {
	l.T.Helper()
	scope := l.Chats.ScopeIn(l.Chat)
	enginetest.Must(l.T, l.Core().Store.Update(func(tx *storage.Tx) error {
		return storage.Tastes.Put(tx, scope, storage.Taste{Scope: scope, UpdatedAt: l.clock.Now(), PreferenceCards: cards})
	}))
}

func card(id, preference, applies string) storage.PreferenceCard {
	of := map[string]string{"c1": lessons.ForPictures, "c2": lessons.ForRecaps, "c3": lessons.ForProse}[id]
	return storage.PreferenceCard{For: of, ID: storage.CardID(id), Preference: preference, AppliesTo: applies, AvoidApplyingTo: "crowds", Confidence: storage.HighConfidence}
}

// Cards about pictures, recaps and prose are in the requests for these, each behind the text that
// all requests share and before the question at the end.
func TestTaste_ToldToPicturesRecapsAndProse(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	node := l.scene("lamp")
	l.learntOf(card("c1", "Warm candlelight and soft shadows", "quiet evenings"), card("c2", "Recaps keep to decisions", "long talks"),
		card("c3", "Prose with short sentences", "quiet talks"), card("c4", "Hold longer before an answer", "quiet talks"))
	var asked []demo.Call
	l.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Path == "/api/chat" {
			asked = append(asked, c)
		}
		return demo.Fault{}
	})
	_, err := l.Pictures.Capture(l.Chat, pictures.CaptureRequest{Requested: "the lamp"})
	enginetest.Must(t, err)
	l.Work()
	_, err = l.Scenes.Recap(l.Chat, node, scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	l.Work()
	reply, err := l.Play.Prompt(t.Context(), l.Chat, "And now?")
	enginetest.Must(t, err)
	own := map[string]string{"Warm candlelight": "", "Recaps keep": ""}
	for _, c := range asked {
		all := c.Messages
		for words := range own {
			for i, m := range all {
				if at := strings.Index(m.Content, words); at >= 0 {
					if m.Role == storage.System && i == 0 {
						t.Errorf("%q stands in what all requests share", words)
					}
					own[words] += string(c.Job()) + ";"
				}
			}
		}
		for _, m := range all {
			if strings.Contains(m.Content, "Hold longer before") {
				t.Errorf("a card on shots is told to %q", c.Job())
			}
		}
	}
	if !strings.Contains(own["Warm candlelight"], string(demo.CaptureJob)) || strings.Contains(own["Warm candlelight"], string(demo.SceneJob)) {
		t.Errorf("pictures: %v", own)
	}
	if !strings.Contains(own["Recaps keep"], string(demo.SceneJob)) || strings.Contains(own["Recaps keep"], string(demo.CaptureJob)) {
		t.Errorf("recaps: %v", own)
	}
	at := slices.IndexFunc(reply.Messages, func(m prompt.Message) bool { return strings.Contains(m.Content, "Prose with") })
	if at < 2 || !strings.Contains(reply.Messages[at-1].Content, "And now?") || strings.Contains(fmt.Sprint(reply.Messages), "Recaps keep") {
		t.Errorf("prose stands at %d of %v", at, reply.Messages)
	}
}
