package memory

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// correctionStep holds everything that undoes a correction.
type correctionStep struct {
	ID      string                   `json:"id"`
	At      time.Time                `json:"at"`
	Wrong   string                   `json:"wrong"`
	Instead string                   `json:"instead,omitempty"`
	Nodes   []nodeEdit               `json:"nodes,omitempty"`
	Recaps  []scenes.PreviousVersion `json:"recaps,omitempty"`
	Kept    []PreviousItem           `json:"kept,omitempty"`
	Lore    []loreEdit               `json:"lore,omitempty"`
	Ends    []storage.StatementEnd   `json:"ends,omitempty"` // that were added
	// Answer is the user's answer to a doubt, "" for a correction that the user asked for. Doubts
	// are the ends of lines as they were before it.
	Answer Verdict                `json:"answer,omitempty"`
	Doubts []storage.StatementEnd `json:"doubts,omitempty"`
}

// change returns the step as an item of the chat's list of changes.
func (s correctionStep) change() chats.Correction {
	return chats.Correction{Step: s.ID, Wrong: s.Wrong, Instead: s.Instead, At: s.At}
}

type nodeEdit struct {
	ID  storage.NodeID `json:"id"`
	Was string         `json:"was"`
	Now string         `json:"now"`
}

type loreEdit struct {
	Book  storage.LorebookID `json:"book"`
	Entry storage.EntryID    `json:"entry"`
	Made  storage.RevisionID `json:"made"`
}

// stepsKind is the kind of the chat text that stores a chat's corrections.
const (
	stepsKind    = "mended"
	maxSteps     = 10
	maxStepBytes = 4 << 20
)

func stepsOf(tx *storage.Tx, chat storage.ChatID) (list []correctionStep) {
	text, err := tx.Text(stepsKind, string(chat))
	if err != nil || text == "" || json.Unmarshal([]byte(text), &list) != nil {
		return nil // damaged: nothing can be undone
	}
	return list
}

func putSteps(tx *storage.Tx, chat storage.ChatID, list []correctionStep) error {
	list = list[max(0, len(list)-maxSteps):]
	for len(list) > 0 {
		data, err := json.Marshal(list)
		if err != nil {
			return err
		}
		if len(data) <= maxStepBytes || len(list) == 1 {
			return tx.PutText(stepsKind, string(chat), string(data))
		}
		list = list[1:]
	}
	return tx.PutText(stepsKind, string(chat), "")
}

// apply does a correction in the places that are named.
func (f *placeSearch) apply(svc *Service, ids []string) (done CorrectionResult, err error) {
	var list []*Place
	chosen := map[string]bool{}
	for _, id := range ids {
		at := slices.IndexFunc(f.places, func(p Place) bool { return p.ID == id })
		if at < 0 {
			return done, failure.Refusef("the text has changed: search again")
		}
		if !chosen[id] {
			chosen[id], list = true, append(list, &f.places[at])
		}
	}
	is := func(p *Place) bool { return chosen[p.ID] }
	f.dropRepeated(is)
	if len(list) == 0 && !f.needsMemory(is) {
		switch {
		case len(f.places) == 0 && f.correct:
			return done, failure.Refusef("not found, and the correct text is already saved")
		case len(f.places) == 0:
			return done, failure.Refusef("not found")
		}
		return done, failure.Refusef("nothing is selected")
	}
	f.step.ID, f.step.At, f.step.Wrong, f.step.Instead = storage.NewID(), svc.core.Config.Now(),
		f.ask.Wrong, f.ask.Instead
	for _, do := range []func(*Service, []*Place, func(*Place) bool) error{f.correctRecaps, f.correctItems,
		f.correctLore, f.correctMessages} {
		if err := do(svc, list, is); err != nil {
			return done, err
		}
	}
	done.Count, done.Step = len(list), f.step.ID
	if f.needsMemory(is) {
		mention := storage.Mention{At: f.step.At}
		if chats.IsGroup(f.chat) && !chats.KnownToAll(f.chat, f.witnesses) {
			p, err := f.tx.NodeInfo(f.chat.ID, f.chat.Head)
			if err != nil {
				return done, err
			}
			mention.Chat, mention.Node, mention.Depth, mention.Witnesses = f.chat.ID, f.chat.Head, p.Depth, f.witnesses
		}
		was, added, err := add(f.tx, f.scope, f.ask.Instead, mention)
		if err != nil {
			return done, err
		}
		if done.Remember = added; added {
			f.step.Kept = append(f.step.Kept, was)
		}
	}
	if err := chats.AddCorrection(f.tx, f.chat.ID, f.step.change()); err != nil {
		return done, err
	}
	return done, putSteps(f.tx, f.chat.ID, append(stepsOf(f.tx, f.chat.ID), f.step))
}

// end returns the end that a correction sets: everywhere, because the user has stated it.
func (f *placeSearch) end() storage.End {
	return storage.End{Mention: storage.Mention{At: f.step.At}, Kind: storage.Corrected,
		Why: "the user has corrected it", Instead: failure.FirstRunes(f.ask.Instead, 200)}
}

// correctRecaps rewords recap lines, also in older versions that a prompt may still contain, and
// ends the old words, so that recaps of messages with these words do not state them again.
func (f *placeSearch) correctRecaps(svc *Service, list []*Place, chosen func(*Place) bool) error {
	words := map[storage.RecapID]map[int]string{}
	for _, p := range list {
		if !p.inRecap() {
			continue
		}
		id := storage.RecapID(p.at.record)
		if words[id] == nil {
			words[id] = map[int]string{}
		}
		words[id][p.at.nth] = p.After
		f.endWords(p, chosen)
	}
	if len(words) == 0 {
		return nil
	}
	var changed []storage.Recap
	for _, id := range slices.Sorted(maps.Keys(words)) {
		_, r, err := scenes.RecapTable(f.tx, f.chat.ID, id)
		if err != nil {
			return err
		}
		changed = append(changed, scene.Reword(r, words[id], storage.BulletCorrected))
	}
	older, err := f.olderRunning(words)
	if err != nil {
		return err
	}
	changed = append(changed, older...)
	left := func(p Place) bool { return p.inRecap() && p.current && p.Certain && !chosen(&p) }
	was, err := svc.scenes.ReplaceVersions(f.tx, f.chat.ID, changed, !slices.ContainsFunc(f.places, left))
	if err != nil {
		return err
	}
	f.step.Recaps = was
	if len(f.step.Ends) == 0 {
		return nil
	}
	return scenes.PutStatementEnds(f.tx, f.chat.ID, append(scenes.StatementEnds(f.tx, f.chat.ID), f.step.Ends...))
}

// olderRunning returns the older versions of the running recap that a prompt may still contain,
// with the same lines reworded.
func (f *placeSearch) olderRunning(words map[storage.RecapID]map[int]string) (changed []storage.Recap, err error) {
	now, _, err := scenes.RunningAt(f.tx, f.chat.ID, f.chat.Head)
	if err != nil || now == nil {
		return nil, err
	}
	lines := scene.Bullets(now.Text)
	for _, v := range scenes.Lineage(f.tx, f.chat.ID, *now) {
		older := map[int]string{}
		for i, b := range scene.Bullets(v.Text) {
			for at, after := range words[now.ID] {
				if at < len(lines) && scene.SameBullet(b.Text, lines[at].Text) {
					older[i] = after
				}
			}
		}
		if v.ID != now.ID && len(older) > 0 {
			changed = append(changed, scene.Reword(v, older, storage.BulletCorrected))
		}
	}
	return changed, nil
}

// endWords ends the words of a line unless a remaining place has them.
func (f *placeSearch) endWords(p *Place, chosen func(*Place) bool) {
	same := func(text string) bool {
		return text != "" && scene.SameBullet(text, p.Now)
	}
	stays := func(o Place) bool { return o.inRecap() && (same(o.After) || !chosen(&o) && same(o.Now)) }
	if same(f.ask.Instead) || slices.ContainsFunc(f.places, stays) ||
		slices.ContainsFunc(f.step.Ends, func(e storage.StatementEnd) bool { return scene.SameBullet(e.Text, p.Now) }) {
		return
	}
	e := f.end()
	e.Chat = f.chat.ID
	f.step.Ends = append(f.step.Ends, storage.StatementEnd{Text: p.Now, End: e})
}

// correctItems rewords or ends memories and hooks.
func (f *placeSearch) correctItems(_ *Service, list []*Place, _ func(*Place) bool) error {
	for _, p := range list {
		if !p.isItem() {
			continue
		}
		x, err := itemAt(f.tx, f.scope, p.at)
		if err != nil {
			return err
		}
		opener := ""
		if x.hook != nil {
			opener = x.hook.Opener
			if now, whole := f.fix.Apply(opener); whole && f.fix.Match(opener, "") > 0 {
				opener = now
			}
		}
		was, err := x.reword(f.tx, f.scope, p.After, opener, f.end())
		if err != nil {
			return err
		}
		f.step.Kept = append(f.step.Kept, was)
	}
	return nil
}

// correctLore rewords facts of entries. All changes to one entry are made together.
func (f *placeSearch) correctLore(svc *Service, list []*Place, _ func(*Place) bool) error {
	words := map[storage.EntryID]map[string]string{}
	for _, p := range list {
		if p.at.kind != loreHome {
			continue
		}
		id := storage.EntryID(p.at.record)
		if words[id] == nil {
			words[id] = map[string]string{}
			f.step.Lore = append(f.step.Lore, loreEdit{Book: p.book, Entry: id})
		}
		words[id][p.Now] = p.After
	}
	for i := range f.step.Lore {
		x := &f.step.Lore[i]
		var err error
		if x.Made, err = svc.lore.Reword(f.tx, x.Book, f.chat.ID, x.Entry, words[x.Entry]); err != nil {
			return err
		}
	}
	return nil
}

// correctMessages rewrites the chosen messages. Records derived from a message that were not chosen
// stay unchanged. A recap that was up to date with its messages and has no wrong sentence left
// stays up to date.
func (f *placeSearch) correctMessages(svc *Service, list []*Place, chosen func(*Place) bool) error {
	var nodes []storage.NodeID
	at := map[storage.NodeID]*storage.Node{}
	for _, p := range list {
		if p.at.kind != messageHome {
			continue
		}
		id := storage.NodeID(p.at.record)
		if at[id] == nil {
			n, err := f.tx.Node(f.chat.ID, id)
			if err != nil {
				return err
			}
			at[id], nodes = &n, append(nodes, id)
			f.step.Nodes = append(f.step.Nodes, nodeEdit{ID: id, Was: n.Content})
		}
		n := at[id]
		before, after, found := strings.Cut(n.Content, p.Now)
		if !found {
			return failure.Refusef("a message has changed: search again")
		}
		if p.After == "" {
			after = strings.TrimLeft(after, " ")
		}
		n.Content = before + p.After + after
	}
	if len(nodes) == 0 {
		return nil
	}
	var fit []storage.RecapID
	for _, r := range f.all.sceneRecaps {
		left := func(p Place) bool {
			return p.inRecap() && p.at.record == string(r.ID) && p.Certain && !chosen(&p)
		}
		if scenes.IsCurrent(f.tx, f.chat.ID, r) && !slices.ContainsFunc(f.places, left) {
			fit = append(fit, r.ID)
		}
	}
	for i, id := range nodes {
		n := at[id]
		if strings.TrimSpace(n.Content) == "" {
			return failure.Refusef("the message would be empty: delete it instead")
		}
		f.step.Nodes[i].Now = n.Content
		n.EditedAt = f.step.At
		if err := f.tx.PutNode(*n); err != nil {
			return err
		}
	}
	if err := svc.chats.Rewritten.Run(f.tx, chats.RewrittenMessages{Chat: f.chat.ID, Nodes: nodes}); err != nil {
		return err
	}
	was, err := scenes.Refresh(f.tx, f.chat.ID, fit)
	f.step.Recaps = append(f.step.Recaps, was...)
	return err
}

// undoStep undoes the last correction of a chat.
func (svc *Service) undoStep(tx *storage.Tx, chat storage.ChatID,
	step string) (words string, left int, tell func(), err error) {
	steps := stepsOf(tx, chat)
	if len(steps) == 0 {
		return "", 0, nil, failure.Refusef("no correction to undo")
	}
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return "", 0, nil, err
	}
	s := steps[len(steps)-1]
	if step != "" && s.ID != step {
		return "", 0, nil, failure.Refusef("another correction was made since: undo that first")
	}
	if left, err = svc.restoreNodes(tx, chat, s.Nodes); err != nil {
		return "", 0, nil, err
	}
	n, err := svc.scenes.RestoreVersions(tx, chat, s.Recaps)
	if err != nil {
		return "", 0, nil, err
	}
	left += n
	for _, was := range slices.Backward(s.Kept) {
		back, err := was.restore(tx, chats.ScopeOf(c))
		if err != nil {
			return "", 0, nil, err
		}
		if !back {
			left++
		}
	}
	for _, x := range slices.Backward(s.Lore) {
		back, err := svc.lore.UndoReword(tx, x.Book, x.Entry, x.Made)
		if err != nil {
			return "", 0, nil, err
		}
		if !back {
			left++
		}
	}
	if len(s.Ends) > 0 {
		added := func(e storage.StatementEnd) bool {
			return slices.ContainsFunc(s.Ends, func(o storage.StatementEnd) bool {
				return o.Text == e.Text && o.At.Equal(e.At) && o.Kind == e.Kind
			})
		}
		if err := scenes.PutStatementEnds(tx, chat,
			slices.DeleteFunc(scenes.StatementEnds(tx, chat), added)); err != nil {
			return "", 0, nil, err
		}
	}
	if err := restoreDoubts(tx, chat, s.Doubts); err != nil {
		return "", 0, nil, err
	}
	if err := chats.MarkCorrectionUndone(tx, chat, s.ID); err != nil {
		return "", 0, nil, err
	}
	what := "the correction of"
	if s.Answer != "" {
		what = "the answer about"
	}
	return what + " “" + failure.FirstRunes(s.Wrong, 60) + "”", left, svc.emitCorrected(c),
		putSteps(tx, chat, steps[:len(steps)-1])
}

// restoreNodes restores the text of messages that were not changed since.
func (svc *Service) restoreNodes(tx *storage.Tx, chat storage.ChatID, list []nodeEdit) (left int, err error) {
	var nodes []storage.NodeID
	for _, was := range list {
		n, err := tx.Node(chat, was.ID)
		if err != nil || n.Content != was.Now {
			left++
			continue
		}
		n.Content, n.EditedAt = was.Was, svc.core.Config.Now()
		if err := tx.PutNode(n); err != nil {
			return left, err
		}
		nodes = append(nodes, n.ID)
	}
	if len(nodes) == 0 {
		return left, nil
	}
	return left, svc.chats.Rewritten.Run(tx, chats.RewrittenMessages{Chat: chat, Nodes: nodes})
}
