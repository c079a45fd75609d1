package plain

import (
	"fmt"
	"path/filepath"

	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// note keeps the words about an event until they can be printed.
func (s *session) note(ev event.Event) {
	s.tipMoment(ev)
	if words := s.words(ev); words != "" {
		s.news = append(s.news, words)
	}
}

// sayNews prints the words about events since the last call, a line for each.
func (s *session) sayNews() {
	for _, words := range s.news {
		s.out.line("Note: " + words)
	}
	s.news = nil
}

// words returns the note for an event, "" if it is not worth one.
func (s *session) words(ev event.Event) string {
	switch ev := ev.(type) {
	case event.Notice:
		return ev.Text
	case backup.File:
		if ev.Fault == nil {
			return "the data file is back: changes are saved again"
		}
		return failure.Text(ev.Fault) + " /do backup --to FILE does so."
	case queue.Changed:
		return s.workWords(ev.Operation)
	case models.PullProgressed:
		switch {
		case ev.Err != nil:
			return ev.Model + " could not be downloaded: " + failure.Text(ev.Err)
		case ev.Finished:
			return ev.Model + " is downloaded"
		}
	case pictures.PictureRequested:
		return fmt.Sprintf("the prompt of the %s you requested is ready: /pictures lists it", ev.Capture.Kind)
	case pictures.CaptureChanged:
		if c := ev.Capture; c.Chat == s.chat && c.Status == storage.CaptureCompleted && c.ImagePath != "" {
			return "picture ready: " + filepath.Base(c.ImagePath)
		}
	case director.EpisodeEnded:
		if ev.Next != nil {
			return fmt.Sprintf("the episode is complete; %q comes next: /do episode play %s", ev.Next.Title, ev.Next.ID)
		}
		return "the episode is complete"
	case director.SparksWanted:
		return fmt.Sprintf("an automatic picture is possible, for %s of %d: /do director allow . , or refuse",
			plural(ev.Cost, "spark", "sparks"), ev.Left)
	}
	return ""
}

// workWords returns the words about background work that has ended. Work that is done between every
// two turns is only worth a word if it failed.
func (s *session) workWords(op storage.Operation) string {
	what := s.o.Work(op.Type)
	switch {
	case what == "":
		return ""
	case op.Status == storage.Completed && op.Type == "generate_scene_recap":
		return "done: " + what
	case op.Status == storage.Failed:
		return what + " failed: " + op.Error + " /queue has it."
	}
	return ""
}
