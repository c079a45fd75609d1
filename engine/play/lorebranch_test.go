package play_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A job that follows an answered turn finds the turn's prompt, whatever triggered.
func TestLore_JobsRideOnTheTurnsPrompt(t *testing.T) {
	t.Parallel()
	for _, placement := range []string{lore.PlacePinned, lore.PlaceTail} {
		s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Lore.Placement = placement })})
		x := enginetest.Keyed("Gull Inn", enginetest.InnLore, "inn")
		x.Sticky, x.Cooldown = 2, 3
		y := enginetest.Keyed("Tide", "The tide is {{random:high,low,in,out}}.", "rain")
		y.Probability = 50
		s.Book(storage.Lorebook{Name: "Harbour"}, x, y)
		for _, text := range []string{"To the inn.", "It rains.", "On we go.", "The inn again, in the rain.",
			"Rain, rain."} {
			s.Say(text)
			turn := enginetest.Flat(s.Asked()[len(s.Asked())-1])
			m := chats.Viewpoint{Chat: s.View().Chat, FollowsReply: true}
			snap, err := play.Snapshot(s.Play, play.RequestAt(s.Chat, s.Last().ID), m,
				s.Models.NewKnownModel(demo.Model))
			enginetest.Must(t, err)
			_, _, err = play.AddContext(s.Play, &snap, m)
			enginetest.Must(t, err)
			snap.Appended = "One more thing."
			p, err := prompt.Compile(snap)
			enginetest.Must(t, err)
			var job strings.Builder
			for _, m := range p.Messages {
				job.WriteString("<" + m.Role + ">" + m.Content)
			}
			if !strings.HasPrefix(job.String(), turn) {
				t.Errorf("%s, %q: the job says\n%s\nafter\n%s", placement, text, job.String(), turn)
			}
		}
	}
}
