package scenes

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/engine/words"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// SceneRecap returns the recap of the scene that ends at node.
func (svc *Service) SceneRecap(chat storage.ChatID, node storage.NodeID) (RecapView, error) {
	v := RecapView{Chat: chat, Kind: storage.SceneRecap, Current: -1}
	err := svc.readChat(chat, "read recap", func(tx *storage.Tx, c storage.Chat) error {
		b, err := VisibleBreak(tx, chat, node)
		if err != nil {
			return err
		}
		for _, s := range svc.ReadScenes(tx, c).List {
			if s.Break == node {
				v.Scene = s
			}
		}
		if v.Scene.Break == "" { // on another branch
			s, err := SpanAt(tx, chat, node)
			if err != nil {
				return err
			}
			v.Scene = SceneView(tx, chat, s, 0)
		}
		v.Working = v.Scene.Working
		for _, r := range VersionsOf(tx, chat, b) {
			if r.ID == b.Recap() {
				v.Current = len(v.Versions)
			}
			v.Versions = append(v.Versions,
				RecapVersion{Recap: r, Stale: StaleFor(r, b.InputsHash), Reads: partEnds(tx, chat, r, node)})
		}
		return nil
	})
	return v, err
}

// partEnds returns the numbers of the last messages of a recap's parts, counted in its scene up to
// the message to.
func partEnds(tx *storage.Tx, chat storage.ChatID, r storage.Recap, to storage.NodeID) (out []int) {
	if len(r.PartEnds) == 0 {
		return nil
	}
	after := map[storage.NodeID]int{} // number of messages after each
	n := 0
	for p := range walkScene(tx, chat, to) {
		if p.InStory() {
			after[p.ID] = n
			n++
		}
	}
	for _, id := range r.PartEnds {
		if behind, ok := after[id]; ok {
			out = append(out, n-behind)
		}
	}
	return out
}

// RunningRecap reads the running recap of the head's place.
func (svc *Service) RunningRecap(chat storage.ChatID) (RecapView, error) {
	v := RecapView{Chat: chat, Kind: storage.RunningRecap, Current: -1}
	err := svc.readChat(chat, "read running recap", func(tx *storage.Tx, c storage.Chat) error {
		run := RunningOn(tx, chat, SpansOf(tx, chat, c.Head))
		v.Current = run.at
		parts := newStaleParts(tx, chat)
		for _, r := range run.list {
			v.Versions = append(v.Versions, RecapVersion{Recap: r, Stale: run.Past.stale(r, parts)})
		}
		v.Working = isQueued(tx, chat, opRunning)
		return nil
	})
	return v, err
}

// isQueued reports whether work of a kind on a chat waits or runs.
func isQueued(tx *storage.Tx, chat storage.ChatID, kind string) bool {
	for op := range chats.Unfinished(tx, chat) {
		if op.Type == kind {
			return true
		}
	}
	return false
}

// MessageRecap reads the recap of a single message; the newest version is the
// current one.
func (svc *Service) MessageRecap(chat storage.ChatID, node storage.NodeID) (RecapView, error) {
	v := RecapView{Chat: chat, Kind: storage.MessageRecap, Current: -1}
	err := svc.readChat(chat, "read recap", func(tx *storage.Tx, _ storage.Chat) error {
		n, err := tx.Node(chat, node)
		if err != nil {
			return err
		}
		inputs := scene.HashMessages([]scene.Message{MessageFor(n)})
		for _, r := range messageRecaps(tx, chat, node) {
			v.Versions = append(v.Versions, RecapVersion{Recap: r, Stale: StaleFor(r, inputs)})
		}
		v.Current = len(v.Versions) - 1
		nodes, _ := svc.working(tx, chat)
		v.Working = nodes[node]
		return nil
	})
	return v, err
}

// RecapTable finds the table that stores a version.
func RecapTable(tx *storage.Tx, chat storage.ChatID,
	id storage.RecapID) (storage.ChatTable[storage.RecapID, storage.Recap], storage.Recap, error) {
	r, err := storage.RunningRecaps.Get(tx, chat, id)
	if err == nil || !errors.Is(err, storage.ErrNotFound) {
		return storage.RunningRecaps, r, err
	}
	r, err = storage.Recaps.Get(tx, chat, id)
	return storage.Recaps, r, err
}

// busyWith reports whether another version of a recap is being made.
func busyWith(tx *storage.Tx, chat storage.ChatID, r storage.Recap) bool {
	kinds := map[string]storage.RecapKind{opRunning: storage.RunningRecap, opRecap: storage.SceneRecap,
		opJoin: storage.SceneRecap, opMessage: storage.MessageRecap}
	for op := range chats.Unfinished(tx, chat) {
		if kinds[op.Type] == r.Kind && (r.Kind == storage.RunningRecap || chats.ParamsOf(op).Node == r.Node) {
			return true
		}
	}
	return false
}

// maxRecap bounds a recap's text, in bytes.
const maxRecap = 1 << 20

// EditRecap rewrites a version's text in place. While another version is being made, the edit
// becomes a new version. It returns the version with the text.
func (svc *Service) EditRecap(chat storage.ChatID, id storage.RecapID, text string) (now storage.RecapID, err error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", failure.Wrap("edit recap", failure.Refusef("a recap cannot be empty; the old text is kept"))
	case len(text) > maxRecap:
		return "", failure.Wrap("edit recap",
			failure.Refusef("a recap has at most %d KB; the old text is kept", maxRecap>>10))
	}
	err = svc.ChangeScenes(chat, "edit recap", func(tx *storage.Tx) error {
		_, r, err := RecapTable(tx, chat, id)
		if err != nil {
			return err
		}
		now = r.ID
		if text == r.Text {
			return nil
		}
		if r.EditedAt = svc.core.Config.Now(); !busyWith(tx, chat, r) {
			if r.Original == "" {
				r.Original = r.Text
			}
			r.Text, r.RecallTest = text, nil // it was held over other words
			return errors.Join(svc.putVersion(tx, chat, r), svc.RecapEdited.Run(tx, RecapEdited{chat, r, r.Original}))
		}
		own := r
		own.ID, own.Origin, own.Original, own.Text = storage.RecapID(storage.NewID()), storage.Edited, r.Text, text
		own.RequestHash, own.RecallTest, own.CreatedAt = "", nil, svc.core.Config.Now()
		now = own.ID
		return errors.Join(svc.addVersion(tx, chat, r, own),
			svc.RecapEdited.Run(tx, RecapEdited{chat, own, own.Original}))
	})
	return now, err
}

// putVersion stores a version that has changed.
func (svc *Service) putVersion(tx *storage.Tx, chat storage.ChatID, r storage.Recap) error {
	if r.Kind == storage.RunningRecap {
		return storage.RunningRecaps.Put(tx, chat, r)
	}
	if err := storage.Recaps.Put(tx, chat, r); err != nil || r.Kind == storage.MessageRecap {
		return err
	}
	b, err := storage.Breaks.Get(tx, chat, r.Node)
	if err != nil {
		return err
	}
	return svc.putScene(tx, chat, b)
}

// addVersion adds a version beside the one that it was made from and makes it current.
func (svc *Service) addVersion(tx *storage.Tx, chat storage.ChatID, from, own storage.Recap) error {
	switch own.Kind {
	case storage.MessageRecap:
		return storage.Recaps.Put(tx, chat, own)
	case storage.SceneRecap:
		b, err := storage.Breaks.Get(tx, chat, own.Node)
		if err != nil {
			return err
		}
		return svc.AppendVersion(tx, chat, b, own)
	}
	own.Base, own.BaseTextHash, own.Part = from.ID, TextHash(from.Text), nil
	if err := storage.RunningRecaps.Put(tx, chat, own); err != nil {
		return err
	}
	return chooseRunning(tx, chat, own)
}

// RestoreRecap gives a version its original text back.
func (svc *Service) RestoreRecap(chat storage.ChatID, id storage.RecapID) error {
	return svc.ChangeScenes(chat, "restore recap", func(tx *storage.Tx) error {
		_, r, err := RecapTable(tx, chat, id)
		if err != nil {
			return err
		}
		if !r.Edited() {
			return failure.Refusef("this version was not edited")
		}
		r.Text, r.Original, r.RecallTest, r.EditedAt = r.Original, "", nil, svc.core.Config.Now()
		return errors.Join(svc.putVersion(tx, chat, r), svc.RecapEdited.Run(tx, RecapEdited{chat, r, r.Text}))
	})
}

// ChooseRecap makes a version the current one of its scene or the head's place.
func (svc *Service) ChooseRecap(chat storage.ChatID, id storage.RecapID) error {
	return svc.ChangeScenes(chat, "choose recap", func(tx *storage.Tx) error {
		_, r, err := RecapTable(tx, chat, id)
		if err != nil {
			return err
		}
		switch r.Kind {
		case storage.RunningRecap:
			return chooseRunning(tx, chat, r)
		case storage.MessageRecap:
			return failure.Refusef("a message's recap always uses its newest version")
		}
		b, err := VisibleBreak(tx, chat, r.Node)
		if err != nil {
			return err
		}
		at := slices.Index(b.Versions, id)
		if at < 0 {
			return failure.Refusef("this version does not belong to that scene")
		}
		b.Current = at
		return svc.putScene(tx, chat, b)
	})
}

// chooseRunning makes a version of the running recap current for the head's place, but never above
// the scene that it belongs to: a branch that lacks this scene would get it too.
func chooseRunning(tx *storage.Tx, chat storage.ChatID, r storage.Recap) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	own, err := tx.NodeInfo(chat, r.Node)
	if err != nil {
		return err
	}
	at := r.Node
	_, last, _ := RunningAt(tx, chat, c.Head) // one that cannot be read is replaced
	if p, err := tx.NodeInfo(chat, last); err == nil && p.Depth > own.Depth && chats.OnPath(tx, chat, c.Head, r.Node) {
		at = last
	}
	b, err := VisibleBreak(tx, chat, at)
	if err != nil {
		return err
	}
	b.Running = r.ID
	return storage.Breaks.Put(tx, chat, b)
}

// SearchRecaps finds recaps of a chat, or of all chats if chat is "", that contain a text, whatever
// its case, or words that begin with each of its words. Text in quotes must occur literally. The
// running recaps come last; limit 0 means all.
func (svc *Service) SearchRecaps(chat storage.ChatID, text string, limit int) ([]RecapHit, error) {
	hits := []RecapHit{}
	q := words.Parse(text)
	if q.Empty() {
		return hits, nil
	}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		list := []storage.ChatID{chat}
		if chat == "" {
			list = storage.Chats.Keys(tx)
		}
		for _, id := range list {
			c, err := storage.Chats.Get(tx, id)
			if err != nil {
				return err
			}
			for h := range svc.recapHits(tx, c, q, strings.TrimSpace(text)) {
				if hits = append(hits, h); len(hits) == limit {
					return nil
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("search recaps", err)
	}
	return hits, nil
}

// recapHits returns the versions of a chat's recaps that contain a text, or match words.
func (svc *Service) recapHits(tx *storage.Tx, c storage.Chat, q words.Query, text string) iter.Seq[RecapHit] {
	return func(yield func(RecapHit) bool) {
		want := words.Query{Exact: cmp.Or(q.Exact, text)}
		var scenes map[storage.NodeID]Scene
		for r, version := range versionsIn(tx, c.ID) {
			at, ok := want.Match(r.Text, 1)
			if !ok && q.Exact == "" {
				at, ok = q.Match(r.Text, 1)
			}
			if !ok || len(at) == 0 {
				continue
			}
			if scenes == nil {
				scenes = map[storage.NodeID]Scene{}
				for _, s := range svc.ReadScenes(tx, c).List {
					scenes[s.Break] = s
				}
			}
			h := RecapHit{Chat: c.ID, Title: c.Title, Kind: r.Kind, Node: r.Node, Recap: r.ID, Version: version,
				Snippet: core.Snippet(r.Text, at[0].From, at[0].To-at[0].From)}
			if r.Kind != storage.RunningRecap {
				h.Scene, h.Name = scenes[r.Node].Number, scenes[r.Node].Name
			}
			if !yield(h) {
				return
			}
		}
	}
}

// versionsIn returns all versions of all recaps of a chat with their numbers: first those of scenes
// in force and of messages, then the running ones.
func versionsIn(tx *storage.Tx, chat storage.ChatID) iter.Seq2[storage.Recap, int] {
	return func(yield func(storage.Recap, int) bool) {
		version := map[storage.RecapID]int{}
		for _, b := range storage.Breaks.All(tx, chat) {
			for i, id := range b.Versions {
				if !b.Hidden {
					version[id] = i + 1
				}
			}
		}
		of := map[storage.NodeID]int{} // of a message
		for id, r := range storage.Recaps.All(tx, chat) {
			if r.Kind == storage.MessageRecap {
				of[r.Node]++
				version[id] = of[r.Node]
			}
			if version[id] > 0 && !yield(r, version[id]) {
				return
			}
		}
		n := 0
		for _, r := range storage.RunningRecaps.All(tx, chat) {
			if n++; !yield(r, n) {
				return
			}
		}
	}
}
