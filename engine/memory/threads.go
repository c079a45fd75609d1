package memory

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The states of a recap's thread.
const (
	threadOpen    = "open"
	threadClosed  = "closed"
	threadDropped = "dropped"
)

const hookKey = "hook/"

// Threads returns the pending threads of a chat's recaps and its hooks, open ones first.
func (svc *Service) Threads(chat storage.ChatID) (out []Thread, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		out, err = svc.threads(tx, chat)
		return err
	})
	if err != nil {
		return nil, failure.Wrap("read threads", err)
	}
	return out, nil
}

func (svc *Service) threads(tx *storage.Tx, chat storage.ChatID) ([]Thread, error) {
	a, err := newStoryQuery(tx, Query{Chat: chat})
	if err != nil {
		return nil, err
	}
	out := []Thread{}
	over := scenes.EndIndexAt(tx, a.story, a.story.Head, nil)
	for _, t := range append(recapThreads(tx, a.story), endedLines(tx, a.story, over)...) {
		if slices.ContainsFunc(out, func(o Thread) bool { return o.Key == t.Key }) {
			continue
		}
		t.State = threadOpen
		if e, ended := over.StatementEnd(t.Text, nil); ended && t.Ended == nil {
			t.Ended = NewEndView(&e.End)
			if e.Kind == storage.Withdrawn && e.Node == "" {
				t.State = threadDropped
			}
		}
		if t.Ended != nil && t.State == threadOpen {
			t.State = threadClosed
		}
		out = append(out, t)
	}
	var hooks []HookView
	for _, h := range storage.Hooks.All(tx, a.scope) {
		if v, _ := svc.hookView(a, h); v.Holds {
			hooks = append(hooks, v)
		}
	}
	slices.SortStableFunc(hooks, func(a, b HookView) int { return hookRank(a.State) - hookRank(b.State) })
	for _, v := range hooks {
		out = append(out, Thread{Key: hookKey + string(v.ID), Text: v.Content, State: string(v.State), Hook: v.ID,
			Source: v.Source, When: v.When, Due: v.State == HookDue})
	}
	open := func(t Thread) int {
		if t.State == threadOpen || t.State == string(HookDue) || t.State == string(HookWaiting) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b Thread) int { return open(a) - open(b) })
	return out, nil
}

// recapThreads returns the open threads of the recaps on the head's path, newest first: the threads
// of the running recap, which resolves those of its scenes, and of scenes that are not in it yet.
// Of several threads with the same text, the newest counts.
func recapThreads(tx *storage.Tx, c storage.Chat) (out []Thread) {
	list := scenes.SpansOf(tx, c.ID, c.Head)
	run := scenes.RunningOn(tx, c.ID, list)
	merged := run.Past.Parts(run.Current)
	var sources []storage.Source
	add := func(recap string, t Thread) {
		for _, b := range scene.Bullets(recap) {
			if !isThread(b) || slices.ContainsFunc(out, func(o Thread) bool { return text.Equal(o.Text, b.Text) }) {
				continue
			}
			t.Key, t.Text = threadKey(b.Text), b.Text
			out = append(out, t)
		}
	}
	for _, s := range slices.Backward(list) {
		if s.Break == nil || s.Last.ID == "" {
			continue
		}
		r, err := storage.Recaps.Get(tx, c.ID, s.Break.Recap())
		if err != nil {
			continue // none yet
		}
		sources = append(sources, r.Sources...)
		if !merged[s.Break.Node] {
			add(r.Text, Thread{Break: s.Break.Node, Scene: s.Break.Name})
		}
	}
	if run.Current != nil {
		add(run.Current.Text, Thread{})
	}
	for i := range out {
		out[i].Source = sourceOf(sources, out[i].Text)
	}
	return out
}

// isThread reports whether a recap line is an open thread.
func isThread(b scene.Bullet) bool {
	return b.Heading == scene.PendingThreads && !rules.SaysNothing(b.Text)
}

// endedLines returns the other lines of the running recap that have ended.
func endedLines(tx *storage.Tx, c storage.Chat, over *scenes.EndIndex) (out []Thread) {
	r, _, err := scenes.RunningAt(tx, c.ID, c.Head)
	if err != nil || r == nil || over == nil {
		return nil
	}
	for _, b := range scene.Bullets(r.Text) {
		if e, ended := over.End(*r, b.Text); ended {
			out = append(out, Thread{Key: threadKey(b.Text), Text: b.Text, Source: sourceOf(r.Sources, b.Text),
				Ended: NewEndView(&e.End)})
		}
	}
	return out
}

func threadKey(thread string) string { return "thread/" + scenes.TextHash(thread)[:16] }

// sourceOf returns the newest message that a thread came from, "" if unknown.
func sourceOf(sources []storage.Source, thread string) storage.NodeID {
	for _, s := range sources {
		if len(s.Messages) > 0 && (strings.Contains(s.Bullet, thread) || text.Equal(s.Bullet, thread)) {
			return slices.Max(s.Messages)
		}
	}
	return ""
}

// MarkThread marks a thread as open, closed or dropped, in all lines with the same text, since
// every new recap repeats them.
func (svc *Service) MarkThread(chat storage.ChatID, key, state string) error {
	const op = "mark thread"
	do, ok := map[string]HookAction{threadOpen: HookReopen, threadClosed: HookClose, threadDropped: HookDrop}[state]
	if !ok {
		return failure.Wrap(op, failure.Refusef("a thread can be open, closed or dropped, not %q",
			failure.FirstRunes(state, 40)))
	}
	scope, err := svc.chats.ScopeOf(chat)
	if err != nil {
		return err
	}
	if id, ok := strings.CutPrefix(key, hookKey); ok {
		_, err := svc.ActHook(scope, []storage.HookID{storage.HookID(id)}, do)
		return err
	}
	return svc.changeStory(op, scope, func(tx *storage.Tx) error {
		list, err := svc.threads(tx, chat)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(t Thread) bool { return t.Key == key })
		if at < 0 {
			return &failure.Missing{Kind: "thread", Ref: key}
		}
		kind := map[string]storage.EndKind{threadClosed: storage.Settled, threadDropped: storage.Withdrawn}[state]
		ends := markLine(scenes.StatementEnds(tx, chat), chat, list[at].Text, kind, svc.core.Config.Now())
		return scenes.PutStatementEnds(tx, chat, ends)
	})
}
