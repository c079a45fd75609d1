package memory

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Line returns a fact that is a line of a recap, in full.
func (svc *Service) Line(chat storage.ChatID, id string) (string, error) {
	a, _ := addressOf(id)
	if a.kind != recapHome {
		return "", failure.Wrap("read a fact", failure.Refusef("this is not a line of a recap"))
	}
	text, err := svc.lineOf(chat, a)
	if err != nil {
		return "", failure.Wrap("read a fact", err)
	}
	return text, nil
}

// maxLine is the maximum length of the text that the user writes in place of a line, in bytes.
const maxLine = 4 << 10

// EditLine replaces the text of a recap line, which must still be was. The new line has the same
// sources. back undoes that if the line was not changed since.
func (svc *Service) EditLine(chat storage.ChatID, id, was, text string) (back func() error, err error) {
	const op, changed = "edit a line of a recap", "the recap has changed meanwhile; read it again"
	a, _ := addressOf(id)
	if a.kind != recapHome {
		return nil, failure.Wrap(op, failure.Refusef("this is not a line of a recap"))
	}
	var old []scenes.PreviousVersion
	err = svc.scenes.ChangeScenes(chat, op, func(tx *storage.Tx) error {
		r, had, err := recapLine(tx, chat, a)
		if err != nil {
			return err
		}
		switch {
		case strings.TrimSpace(text) == "":
			return failure.Refusef("a line cannot be empty; end the fact instead")
		case len(text) > maxLine:
			return failure.Refusef("a line has at most %d KB", maxLine>>10)
		case !scene.SameBullet(had, was):
			return failure.Refusef(changed)
		}
		now := scene.Reword(r, map[int]string{a.nth: text}, storage.BulletCorrected)
		if len(scene.Bullets(now.Text)) != len(scene.Bullets(r.Text)) {
			return failure.Refusef("a line of a recap is one statement, without headings or lists")
		}
		old, err = svc.scenes.ReplaceVersions(tx, chat, []storage.Recap{now}, false)
		return err
	})
	return func() error {
		return svc.scenes.ChangeScenes(chat, "undo an edited line of a recap", func(tx *storage.Tx) error {
			left, err := svc.scenes.RestoreVersions(tx, chat, old)
			if err == nil && left > 0 {
				return failure.Refusef(changed)
			}
			return err
		})
	}, err
}
