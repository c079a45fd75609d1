package memory

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Where a thread of a recap stands.
const (
	threadOpen    = "open"
	threadClosed  = "closed"
	threadDropped = "dropped"
)

const (
	hookKey = "hook/"
	// marksKind is the kind of text that a chat keeps the marks of its threads as,
	// so that they go with it.
	marksKind = "threads"
	mostMarks = 500
)

// threadMark is what the user has said of a thread of a recap. It counts for all
// threads that say the same, since every new recap writes them anew.
type threadMark struct {
	Text  string `json:"text"`
	State string `json:"state"`
}

// Threads are the pending threads of a chat's recaps and its hooks, open ones
// first.
func (svc *Service) Threads(chat storage.ChatID) (out []Thread, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		out, err = svc.threads(tx, chat)
		return err
	})
	if err != nil {
		return nil, failure.Fail("read threads", err)
	}
	return out, nil
}

func (svc *Service) threads(tx *storage.Tx, chat storage.ChatID) ([]Thread, error) {
	a, err := askedOf(tx, Query{Chat: chat})
	if err != nil {
		return nil, err
	}
	marks, err := threadMarks(tx, chat)
	if err != nil {
		return nil, err
	}
	out := []Thread{}
	over := scenes.OverAt(tx, a.story, a.story.Head, nil)
	for _, t := range append(recapThreads(tx, a.story), endedLines(tx, a.story, over)...) {
		if slices.ContainsFunc(out, func(o Thread) bool { return o.Key == t.Key }) {
			continue
		}
		if e, ended := over.PartEnd(t.Text, nil); ended && t.Over == nil {
			t.Over = &e.End
		}
		if t.State = threadOpen; t.Over != nil {
			t.State = threadClosed
		}
		if at := markOf(marks, t.Text); at >= 0 {
			t.State = marks[at].State
		}
		out = append(out, t)
	}
	var hooks []HookView
	for _, h := range storage.Hooks.All(tx, a.scope) {
		if v := svc.hookView(a, h); v.Holds {
			hooks = append(hooks, v)
		}
	}
	slices.SortStableFunc(hooks, func(a, b HookView) int { return hookRank(a.State) - hookRank(b.State) })
	for _, v := range hooks {
		out = append(out, Thread{Key: hookKey + string(v.ID), Text: v.Content, State: string(v.State), Hook: v.ID, Source: v.Source, When: v.When, Due: v.State == HookDue})
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

// recapThreads are the threads that the recaps of the head's path leave open: of
// the running recap, which knows what has come of those of the scenes in it, and
// of the scenes that are not in it yet, the newest first. Of several that say the
// same the newest counts.
func recapThreads(tx *storage.Tx, c storage.Chat) (out []Thread) {
	list := scenes.StretchesOf(tx, c.ID, c.Head)
	run := scenes.RunningOn(tx, c.ID, list)
	merged := run.Past.Parts(run.Current)
	var sources []storage.Source
	add := func(recap string, t Thread) {
		for _, thread := range rules.Threads(recap) {
			if slices.ContainsFunc(out, func(o Thread) bool { return text.Equal(o.Text, thread) }) {
				continue
			}
			t.Key, t.Text = threadKey(thread), thread
			out = append(out, t)
		}
	}
	for _, s := range slices.Backward(list) {
		if s.Brk == nil || s.Last.ID == "" {
			continue
		}
		r, err := storage.Recaps.Get(tx, c.ID, s.Brk.Recap())
		if err != nil {
			continue // none yet
		}
		sources = append(sources, r.Sources...)
		if !merged[s.Brk.Node] {
			add(r.Text, Thread{Break: s.Brk.Node, Scene: s.Brk.Name})
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

// endedLines are the other lines of the running recap that have ended.
func endedLines(tx *storage.Tx, c storage.Chat, over *scenes.Over) (out []Thread) {
	r, _, err := scenes.RunningAt(tx, c.ID, c.Head)
	if err != nil || r == nil || over == nil {
		return nil
	}
	for _, b := range scene.Bullets(r.Text) {
		if e, ended := over.End(*r, b.Text); ended {
			out = append(out, Thread{Key: threadKey(b.Text), Text: b.Text, Source: sourceOf(r.Sources, b.Text), Over: &e.End})
		}
	}
	return out
}

func threadKey(thread string) string { return "thread/" + scenes.TextHash(thread)[:16] }

// sourceOf is the newest message that a thread came from, "" where none is known.
func sourceOf(sources []storage.Source, thread string) storage.NodeID {
	for _, s := range sources {
		if len(s.Messages) > 0 && (strings.Contains(s.Bullet, thread) || text.Equal(s.Bullet, thread)) {
			return slices.Max(s.Messages)
		}
	}
	return ""
}

func threadMarks(tx *storage.Tx, chat storage.ChatID) (marks []threadMark, err error) {
	stored, err := tx.Text(marksKind, string(chat))
	if err != nil || stored == "" {
		return nil, err
	}
	if json.Unmarshal([]byte(stored), &marks) != nil {
		return nil, nil // damaged: all threads are open again
	}
	return marks, nil
}

// markOf finds the mark of a thread, -1 for none.
func markOf(marks []threadMark, thread string) int {
	return slices.IndexFunc(marks, func(m threadMark) bool { return text.Equal(m.Text, thread) })
}

// MarkThread says where a thread stands: open, closed or dropped.
func (svc *Service) MarkThread(chat storage.ChatID, key, state string) error {
	const op = "mark thread"
	do, ok := map[string]HookAction{threadOpen: HookReopen, threadClosed: HookClose, threadDropped: HookDrop}[state]
	if !ok {
		return failure.Fail(op, failure.Refuse("a thread is open, closed or dropped, not %q", failure.FirstRunes(state, 40)))
	}
	scope, err := svc.chats.ScopeOf(chat)
	if err != nil {
		return err
	}
	if id, is := strings.CutPrefix(key, hookKey); is {
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
		marks, err := threadMarks(tx, chat)
		if err != nil {
			return err
		}
		thread := list[at].Text
		marks = slices.DeleteFunc(marks, func(m threadMark) bool { return text.Equal(m.Text, thread) })
		if state != threadOpen {
			marks = append(marks, threadMark{thread, state})
		}
		if err := markLine(tx, chat, thread, state, svc.core.Config.Now()); err != nil {
			return err
		}
		data, err := json.Marshal(marks[max(0, len(marks)-mostMarks):])
		if err != nil {
			return err
		}
		if len(marks) == 0 {
			data = nil
		}
		return tx.PutText(marksKind, string(chat), string(data))
	})
}
