package scenes

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// RestoreDropped adds a fact that a version of a recap left out, counted from 0, to the running recap in
// force. Later merges keep it. Without a running recap the fact is added to the version itself. If
// the fact had ended, its end is undone. It returns the line.
func (svc *Service) RestoreDropped(chat storage.ChatID, id storage.RecapID, dropped int) (line string, err error) {
	err = svc.ChangeScenes(chat, "restore a fact", func(tx *storage.Tx) error {
		_, from, err := RecapTable(tx, chat, id)
		if err != nil {
			return err
		}
		if dropped < 0 || dropped >= len(from.Dropped) {
			return failure.Refusef("this version has left out %s", failure.Count(len(from.Dropped), "fact"))
		}
		d := from.Dropped[dropped]
		line = d.Bullet
		return bringBack(svc, tx, chat, from, d)
	})
	return line, err
}

func bringBack(svc *Service, tx *storage.Tx, chat storage.ChatID, from storage.Recap, d storage.DroppedBullet) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	if now, _, err := RunningAt(tx, chat, c.Head); err != nil {
		return err
	} else if now != nil {
		from = *now
	}
	said := func(b scene.Bullet) bool { return scene.SameBullet(b.Text, d.Bullet) }
	if slices.ContainsFunc(scene.Bullets(from.Text), said) {
		return failure.Refusef("it is already in the recap")
	}
	ends, opened := StatementEnds(tx, chat), false
	for i := range ends {
		if !ends[i].Undone && scene.SameBullet(ends[i].Text, d.Bullet) {
			ends[i].Undone, opened = true, true
		}
	}
	if opened {
		if err := PutStatementEnds(tx, chat, ends); err != nil {
			return err
		}
	}
	from = scene.RestoreBullet(from, d.Heading, d.Bullet, d.Messages)
	from.Dropped = slices.DeleteFunc(slices.Clone(from.Dropped),
		func(o storage.DroppedBullet) bool { return scene.SameBullet(o.Bullet, d.Bullet) })
	_, err = svc.ReplaceVersions(tx, chat, []storage.Recap{from}, true)
	return err
}
