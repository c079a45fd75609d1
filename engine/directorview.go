package engine

import (
	"errors"
	"strings"

	"ghostlight/engine/director/rules"
	"ghostlight/storage"
)

// What the director's view shows of beats: how many, how far back they are looked
// for, in messages, and how much of a reply, in runes.
const (
	shownBeats   = 30
	lookedBeats  = 2000
	shownOfReply = 120
)

// Director is what the director knows of a chat.
func (e *Engine) Director(chat storage.ChatID) (out DirectorView, err error) {
	err = e.store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		out, err = e.directorView(tx, c)
		return err
	})
	if err != nil {
		return DirectorView{}, fail("read director", err)
	}
	return out, nil
}

func (e *Engine) directorView(tx *storage.Tx, c storage.Chat) (DirectorView, error) {
	v := DirectorView{Chat: c, State: e.playState(tx, c), Ended: playEnd(tx, c), Turn: playTurn(c, turnAt(tx, c.ID, c.Head)), Off: e.cfg.Stage.NoDirector}
	if s, err := storage.AllSeries.Get(tx, c.Play.Series); err == nil {
		v.Series = &s
	}
	v.Mode = storage.ScenesOff // a plain chat has pictures by hand only
	if ep, err := storage.Episodes.Get(tx, c.Play.Episode); err == nil {
		v.Episode, v.Mode, v.Next = &ep, ep.Mode(), nextEpisode(tx, ep)
	}
	v.Phase = rules.Phase(v.Turn)
	v.Allowance = e.allowance(c)
	_, v.Left = rules.Afford(v.Allowance, c.Play.Spent, 0)
	var err error
	if v.Beats, err = beatViews(tx, c); err != nil {
		return v, err
	}
	if v.Moment, err = e.momentNow(tx, c); err != nil {
		return v, err
	}
	if v.Engagement, err = e.engagementView(tx, c); err != nil {
		return v, err
	}
	for op := range unfinished(tx, c.ID) {
		v.Working = v.Working || op.Type == opAfterTurn
	}
	return v, nil
}

// beatViews are the newest beats of the head's path, the newest first.
func beatViews(tx *storage.Tx, c storage.Chat) ([]BeatView, error) {
	out := []BeatView{}
	if !storage.Beats.Any(tx, c.ID) {
		return out, nil
	}
	looked := 0
	for p := range tx.Spine(c.ID, c.Head) {
		if looked++; looked > lookedBeats || len(out) == shownBeats {
			break
		}
		if p.Deleted || !storage.Beats.Has(tx, c.ID, p.ID) {
			continue
		}
		b, err := storage.Beats.Get(tx, c.ID, p.ID)
		if err != nil {
			return nil, err
		}
		n, err := tx.Node(c.ID, p.ID)
		if err != nil {
			return nil, err
		}
		b.Turn = playTurn(c, b.Turn)
		out = append(out, BeatView{Beat: b, Said: firstRunes(strings.Join(strings.Fields(firstRunes(n.Content, 4*shownOfReply)), " "), shownOfReply), Phase: rules.Phase(b.Turn)})
	}
	return out, nil
}

// momentNow is the moment note as the next prompt would hold it.
func (e *Engine) momentNow(tx *storage.Tx, c storage.Chat) (string, error) {
	b, ok := lastSeen(tx, c.ID, c.Head)
	if !ok || e.cfg.Stage.NoMoment {
		return "", nil
	}
	path, err := tx.Path(c.ID, c.Head, 20)
	if err != nil {
		return "", err
	}
	user, char := lastLines(path)
	return rules.Moment(user, char, b.Seen.Open, b.Seen.Setting), nil
}

// engagementView is how things stand between the user and the characters.
func (e *Engine) engagementView(tx *storage.Tx, c storage.Chat) (EngagementView, error) {
	en, err := storage.Engagements.Get(tx, scopeOf(c))
	v := EngagementView{Engagement: en}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		v.Scope = scopeOf(c)
		return v, nil
	case err != nil:
		return v, err
	}
	if !en.FirstMet.IsZero() {
		v.Since = rules.Since(e.cfg.Now().Sub(en.FirstMet))
	}
	began := en.LastEnd
	if en.Open != nil {
		began = en.Open.Began
	}
	if e.cfg.Stage.NoEngaged {
		return v, nil
	}
	char, user := e.names(tx, c)
	v.Text = rules.EngagementText(en, char, user, began)
	return v, nil
}
