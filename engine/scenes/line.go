package scenes

import (
	"strings"

	"ghostlight/engine/failure"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// EditLine puts the user's words in place of a recap's bullet at nth, which must read was.
// It rests on the same messages. back takes it back where the recap has not changed since.
func (svc *Service) EditLine(chat storage.ChatID, id storage.RecapID, nth int, was, text string) (back func() error, err error) {
	const changed = "the recap has changed meanwhile; read it again"
	var old []Was
	err = svc.Reshape(chat, "edit a line of a recap", func(tx *storage.Tx) error {
		_, r, err := RecapTable(tx, chat, id)
		if err != nil {
			return err
		}
		list := scene.Bullets(r.Text)
		switch {
		case strings.TrimSpace(text) == "":
			return failure.Refuse("a line cannot be empty; end the fact instead")
		case len(text)+len(r.Text) > longestRecap:
			return failure.Refuse("a recap has at most %d KB; the old text is kept", longestRecap>>10)
		case nth < 0 || nth >= len(list) || !scene.SameBullet(list[nth].Text, was):
			return failure.Refuse(changed)
		case svc.busyWith(tx, chat, r):
			return failure.Refuse("another version of this recap is being made; edit the line once it is there")
		}
		now := scene.Reword(r, map[int]string{nth: text}, storage.CorrectedHand)
		if len(scene.Bullets(now.Text)) != len(list) {
			return failure.Refuse("a line of a recap is one statement, without a heading or a list in it")
		}
		old, err = svc.Mend(tx, chat, []storage.Recap{now}, false)
		return err
	})
	return func() error {
		return svc.Reshape(chat, "take back a line of a recap", func(tx *storage.Tx) error {
			left, err := svc.Unmend(tx, chat, old)
			if err == nil && left > 0 {
				return failure.Refuse(changed)
			}
			return err
		})
	}, err
}
