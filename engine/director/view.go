package director

import (
	"errors"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of the turns in the director's view: how many, how many messages back they are searched
// for, and how many runes of a reply are shown.
const (
	shownTurns   = 30
	lookedTurns  = 2000
	shownOfReply = 120
)

// View returns the director's view of a chat.
func (svc *Service) View(chat storage.ChatID) (out View, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		out, err = svc.directorView(tx, c)
		return err
	})
	if err != nil {
		return View{}, failure.Wrap("read director", err)
	}
	return out, nil
}

func (svc *Service) directorView(tx *storage.Tx, c storage.Chat) (View, error) {
	v := View{Chat: c, State: svc.playState(tx, c), Ended: (*PlayEnd)(playEnd(tx, c)),
		Turn: playTurn(c, chats.TurnAt(tx, c.ID, c.Head)), Off: svc.core.Settings().Stage.NoDirector}
	if s, err := storage.AllSeries.Get(tx, c.Play.Series); err == nil {
		v.Series = &s
	}
	v.Mode = storage.ScenesOff // a plain chat has pictures by hand only
	if ep, err := storage.Episodes.Get(tx, c.Play.Episode); err == nil {
		v.Episode, v.Mode, v.Next = &ep, ep.Mode(), nextEpisode(tx, ep)
	}
	v.Phase = rules.Phase(v.Turn)
	v.Sparks = Sparks{Allowance: svc.allowance(c), Spent: c.Play.Spent, Answer: c.Play.Asked, Waits: c.Play.Wanted}
	_, v.Sparks.Left = rules.Afford(v.Sparks.Allowance, c.Play.Spent, 0)
	var err error
	if v.Turns, err = turnViews(tx, c); err != nil {
		return v, err
	}
	if i := slices.IndexFunc(v.Turns, func(b TurnView) bool { return b.Evaluated }); i >= 0 {
		v.Tension = v.Turns[i].Tension
	}
	if v.Moment, err = svc.momentNow(tx, c); err != nil {
		return v, err
	}
	if v.Engagement, err = svc.engagementView(tx, c); err != nil {
		return v, err
	}
	for op := range chats.Unfinished(tx, c.ID) {
		v.Working = v.Working || op.Type == OpAfterTurn
	}
	return v, nil
}

// turnViews returns the newest turns of the head's path, the newest first.
func turnViews(tx *storage.Tx, c storage.Chat) ([]TurnView, error) {
	out := []TurnView{}
	for b := range recordsBefore(tx, c.ID, c.Head, lookedTurns) {
		if len(out) == shownTurns {
			break
		}
		n, err := tx.Node(c.ID, b.Node)
		if err != nil {
			return nil, err
		}
		turn := playTurn(c, b.Turn)
		said := strings.Join(strings.Fields(failure.FirstRunes(n.Content, 4*shownOfReply)), " ")
		v := TurnView{Node: b.Node, Excerpt: failure.FirstRunes(said, shownOfReply), Turn: turn,
			Phase: rules.Phase(turn),
			Fault: b.Fault, Capture: b.Capture, CaptureWhy: b.Why, TakenUp: b.Taken, At: b.At}
		if b.Seen != nil {
			v.Evaluated, v.Evaluation = true, *b.Seen
		}
		out = append(out, v)
	}
	return out, nil
}

// momentNow returns the moment note as the next prompt would hold it.
func (svc *Service) momentNow(tx *storage.Tx, c storage.Chat) (string, error) {
	b, ok := lastEvaluated(tx, c.ID, c.Head)
	if !ok || svc.core.Settings().Stage.NoMoment {
		return "", nil
	}
	return rules.Moment(b.Seen.Open, b.Seen.Setting), nil
}

// engagementView returns the engagement between the user and the characters.
func (svc *Service) engagementView(tx *storage.Tx, c storage.Chat) (v EngagementView, err error) {
	scope := chats.ScopeOf(c)
	char, user := svc.chats.Names(tx, c)
	if !svc.core.Settings().Stage.NoEngaged {
		v.Text = relationshipAt(tx, chats.Viewpoint{Chat: c, Scope: scope}, c.Head, char, user).Text()
	}
	e, err := storage.Engagements.Get(tx, scope)
	if errors.Is(err, storage.ErrNotFound) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	v.Sessions, v.FirstMet, v.LastEnd = e.Sessions, e.FirstMet, e.LastEnd
	v.Dynamic, v.Milestones = e.Dynamic, e.Milestone
	if !v.FirstMet.IsZero() {
		v.Since = rules.Since(svc.core.Config.Now().Sub(v.FirstMet))
	}
	began := v.LastEnd
	if e.Open != nil {
		began, v.Turns = e.Open.Began, e.Open.Turns
	}
	v.Together = rules.SessionText(e, char, user, began)
	return v, nil
}
