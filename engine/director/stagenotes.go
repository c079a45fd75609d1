package director

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// StageNotes are the director's notes in a prompt besides the lore. A note is put before the user's
// message at which it came up and stays there, so that a turn only adds what is new and everything
// before it is in the server's cache.
type StageNotes struct {
	at       storage.NodeID // new notes are put before this message
	notes    map[string]storage.StageNote
	previous map[string]storage.NodeID // the places of notes that are not new
	inRecap  map[string]func(*prompt.RecapBlock) bool
}

// The ids of notes begin with their layer. The layers are in prompt order.
const (
	memoryNote   = "memory/"
	hookNote     = "hook/"
	recalledNote = "recalled/"
	awayNote     = "away/"
	authorNote   = "note/"
)

// inTail reports whether a note that an older version has stored is about the moment or the
// relationship, which are in the tail now.
func inTail(id string) bool {
	return strings.HasPrefix(id, "moment/") || strings.HasPrefix(id, "engagement/")
}

// wantedNote is a note that ought to be in the prompt.
type wantedNote struct {
	id, layer, section, source, reason string
	text                               string
}

// StageNotes adds the notes of a moment to a snapshot. near is the result of EmbedNewest.
func (svc *Service) StageNotes(tx *storage.Tx, s *prompt.Snapshot, m chats.Viewpoint,
	near NewestEmbedding) (StageNotes, error) {
	out := StageNotes{at: chats.AnchorOf(s.History), notes: map[string]storage.StageNote{},
		previous: map[string]storage.NodeID{}}
	leaf := lore.StoredLeaf(tx, m.Chat.ID, s.History)
	episodeAt(tx, s, m)
	s.Moment, s.Engagement = svc.moment(tx, s, m), svc.engagementText(tx, s, m)
	standing, frozen, err := svc.standing(tx, m, s.History, out.at)
	if err != nil {
		return out, err
	}
	wishes, valid, inRecap := svc.wantedNotes(tx, s, m, leaf, near, standing)
	out.inRecap = inRecap
	out.put(s, m, standing, wishes, valid, frozen)
	if svc.noteEvery() > 1 {
		svc.authorNote(&out, s, m, standing, frozen)
	}
	return out, nil
}

func (svc *Service) noteEvery() int {
	if svc.core.Settings().Stage.NoteEvery > 0 {
		return svc.core.Settings().Stage.NoteEvery
	}
	return config.DefaultNoteEvery
}

// standingNote is a note in the history.
type standingNote struct {
	storage.StageNote
	at  storage.NodeID
	age int // messages of the user's since, that one included
}

// standing returns the notes of the moment's speaker that are in a history, oldest first. frozen
// reports that the newest turn has its notes already: another reply to it, or a request about it,
// gets the same ones.
func (svc *Service) standing(tx *storage.Tx, m chats.Viewpoint, h []storage.Node,
	at storage.NodeID) (out []standingNote, frozen bool, err error) {
	if !storage.Notes.Any(tx, m.Chat.ID) {
		return nil, false, nil
	}
	users, gone := 0, map[string]bool{}
	for i := len(h) - 1; i >= 0; i-- {
		n := &h[i]
		shown := lore.InPrompt(n)
		if shown && n.Role == storage.User {
			users++
		}
		if !storage.Notes.Has(tx, m.Chat.ID, n.ID) {
			continue
		}
		t, err := storage.Notes.Get(tx, m.Chat.ID, n.ID)
		if err != nil {
			if failure.Damaged(err) {
				continue // it will be added again
			}
			return nil, false, err
		}
		mine := slices.Contains(t.Speakers, m.Speaker)
		frozen = frozen || n.ID == at && mine
		for _, note := range slices.Backward(t.Notes) {
			if shown && note.Speaker == m.Speaker && !gone[note.ID] && !inTail(note.ID) {
				out = append(out, standingNote{note, n.ID, users})
			}
		}
		for _, id := range t.Gone { // even if the message is deleted
			gone[id] = gone[id] || mine
		}
	}
	slices.Reverse(out)
	return newest(out), frozen, nil
}

// newest returns the newest of the notes with the same id: a note that was moved counts at its new
// place.
func newest(notes []standingNote) []standingNote {
	last := map[string]storage.NodeID{}
	for _, n := range notes {
		last[n.ID] = n.at
	}
	return slices.DeleteFunc(notes, func(n standingNote) bool { return last[n.ID] != n.at })
}

// put makes prompt items of the notes: those in the history that are still true, then the new ones.
func (n *StageNotes) put(s *prompt.Snapshot, m chats.Viewpoint, standing []standingNote, wishes []wantedNote,
	valid func(storage.StageNote) bool, frozen bool) {
	wanted := map[string]bool{}
	for _, w := range wishes {
		wanted[w.id] = true
	}
	have := map[string]bool{}
	for _, st := range standing {
		if strings.HasPrefix(st.ID, authorNote) {
			continue
		}
		if !valid(st.StageNote) {
			n.previous[st.ID] = st.at // it does not come back there
			continue
		}
		have[st.ID] = true
		s.Lore = append(s.Lore, prompt.LoreItem{ID: st.ID, Layer: st.Layer, Section: st.Section, Source: st.Source,
			Text:  st.Text,
			Place: prompt.LorePinned, At: st.at, Active: wanted[st.ID], Reason: st.Reason, InRecap: n.inRecap[st.ID]})
		n.notes[st.ID], n.previous[st.ID] = st.StageNote, st.at
	}
	if frozen {
		return
	}
	for _, w := range wishes {
		if have[w.id] || w.text == "" {
			continue
		}
		s.Lore = append(s.Lore, prompt.LoreItem{ID: w.id, Layer: w.layer, Section: w.section,
			Source: w.source, Text: w.text,
			Place: prompt.LorePinned, Active: true, Reason: w.reason, InRecap: n.inRecap[w.id]})
		n.notes[w.id] = storage.StageNote{ID: w.id, Layer: w.layer, Section: w.section, Source: w.source, Text: w.text,
			Reason: w.reason, Speaker: m.Speaker}
	}
}

// authorNote repeats the author's note once the user has written a number of messages since its
// last copy. Copies with another wording are removed.
func (svc *Service) authorNote(n *StageNotes, s *prompt.Snapshot, m chats.Viewpoint, standing []standingNote,
	frozen bool) {
	raw := strings.TrimSpace(s.AuthorNote)
	s.AuthorNote = ""
	hash := core.ContentHash(raw)
	newest := -1
	var copies []standingNote
	for _, st := range standing {
		switch {
		case raw != "" && strings.HasPrefix(st.ID, authorNote+hash+"/"):
			copies = append(copies, st)
			newest = st.age
		case strings.HasPrefix(st.ID, authorNote):
			n.previous[st.ID] = st.at // it does not come back there
		}
	}
	again := raw != "" && !frozen && n.at != "" && (newest < 0 || newest > svc.noteEvery())
	for i, st := range copies {
		s.Lore = append(s.Lore, prompt.LoreItem{ID: st.ID, Layer: prompt.LayerNote, Source: st.Source,
			Text: st.Text, Place: prompt.LorePinned,
			At: st.at, Active: i == len(copies)-1 && !again, Reason: st.Reason})
		n.notes[st.ID], n.previous[st.ID] = st.StageNote, st.at
	}
	if !again {
		return
	}
	note := storage.StageNote{ID: authorNote + hash + "/" + string(n.at), Layer: prompt.LayerNote,
		Source: "author's note", Text: prompt.ExpandInTail(s, raw),
		Reason: "author's note, repeated at intervals", Speaker: m.Speaker}
	s.Lore = append(s.Lore, prompt.LoreItem{ID: note.ID, Layer: note.Layer, Source: note.Source, Text: note.Text,
		Place: prompt.LorePinned, Active: true, Reason: note.Reason})
	n.notes[note.ID] = note
}

// Record returns the notes of a turn to store: the place of each that is new or was moved.
func (n *StageNotes) Record(m chats.Viewpoint, stands []prompt.PinnedLore) []storage.StageNotesTurn {
	at, left := map[storage.NodeID][]storage.StageNote{}, maps.Clone(n.previous)
	if n.at != "" {
		at[n.at] = nil // the turn has its notes, if only none
	}
	for _, st := range stands {
		if note, ok := n.notes[st.ID]; ok && n.previous[st.ID] != st.At {
			at[st.At] = append(at[st.At], note)
		}
		delete(left, st.ID)
	}
	var out []storage.StageNotesTurn
	for node, notes := range at {
		t := storage.StageNotesTurn{Node: node, Notes: notes, Speakers: []storage.CharacterID{m.Speaker}}
		if node == n.at {
			t.Gone = slices.Sorted(maps.Keys(left))
		}
		out = append(out, t)
	}
	return out
}

// KeepNotes stores the places of notes, without changing those of other speakers.
func KeepNotes(tx *storage.Tx, chat storage.ChatID, turns []storage.StageNotesTurn) error {
	for _, t := range turns {
		who := t.Speakers[0]
		had, err := storage.Notes.Get(tx, chat, t.Node)
		if err != nil && !errors.Is(err, storage.ErrNotFound) && !failure.Damaged(err) {
			return err
		}
		for _, note := range had.Notes {
			if note.Speaker != who || !slices.ContainsFunc(t.Notes,
				func(x storage.StageNote) bool { return x.ID == note.ID }) && note.Speaker == who {
				t.Notes = append(t.Notes, note)
			}
		}
		for _, s := range had.Speakers {
			if s != who {
				t.Speakers = append(t.Speakers, s)
			}
		}
		t.Gone = append(t.Gone, slices.DeleteFunc(had.Gone,
			func(id string) bool { return slices.Contains(t.Gone, id) })...)
		if err := storage.Notes.Put(tx, chat, t); err != nil {
			return err
		}
	}
	return nil
}

// wantedNotes returns the notes that should be in a prompt, in the order of their layers, a
// function that reports whether a note in the history is still true, and for notes by id whether a
// recap states them.
func (svc *Service) wantedNotes(tx *storage.Tx, s *prompt.Snapshot, m chats.Viewpoint, leaf storage.NodeID,
	near NewestEmbedding,
	standing []standingNote) ([]wantedNote, func(storage.StageNote) bool, map[string]func(*prompt.RecapBlock) bool) {
	n := noteBuilder{s: s, m: m, standing: standing, stated: memory.NewPromptFacts(s), known: map[string]bool{},
		statements: map[string]prompt.Statement{}}
	g := memory.PathsOf(tx, m.Scope, m.Chat.ID, leaf)
	memories := g.Memories()
	out := n.memories(memories, svc.memory.Nearness(tx, m.Chat, near.vector, memories))
	out = append(out, n.hooks(g.Hooks())...)
	ends, gone := scenes.EndIndexAt(tx, m.Chat, leaf, m.MayKnow), g.EndedTexts()
	ended := func(f *facts.Fact) bool { return ends.HasEnded(f) || hasEnded(f, gone) }
	out = append(out, svc.recalledNotes(tx, s, m, leaf, memories, n.stated, ended, standing, near.vector)...)
	out = append(out, svc.presenceNote(tx, m, leaf, standing)...)
	valid := func(note storage.StageNote) bool {
		switch id := note.ID; {
		case strings.HasPrefix(id, memoryNote), strings.HasPrefix(id, hookNote):
			return n.known[id]
		case strings.HasPrefix(id, recalledNote):
			f := svc.memory.Recalls(tx, m.Chat.ID, strings.TrimPrefix(id, recalledNote))
			return f != nil && !ended(f)
		}
		return true
	}
	return out, valid, n.inRecap(out)
}

// noteBuilder holds the state while the notes of a prompt are chosen. known are the ids of memories
// and hooks that hold for the speaker; stated grows with each chosen note.
type noteBuilder struct {
	s          *prompt.Snapshot
	m          chats.Viewpoint
	standing   []standingNote
	stated     *facts.PromptFacts
	known      map[string]bool
	statements map[string]prompt.Statement // of memory notes, by their ids
}

// memories returns notes of the most important memories that nothing else in the prompt states. Of
// memories with the same text one is used: the one in the history, else the first that would be
// chosen.
func (n *noteBuilder) memories(list []memory.KnownMemory, near map[storage.MemoryID]float64) (out []wantedNote) {
	var candidates []rules.Candidate
	from, ours := map[storage.MemoryID][]storage.NodeID{}, map[storage.MemoryID]bool{}
	for _, x := range list {
		if x.Muted || x.Removed || !n.m.MayKnow(x.Witnesses) {
			continue
		}
		n.known[memoryID(x.ID, x.Content)] = true
		from[x.ID], ours[x.ID] = memory.MessagesOf(x.Here, n.m.Chat.ID), !x.Pinned && x.Original == ""
		if ours[x.ID] {
			n.statements[memoryID(x.ID, x.Content)] = prompt.Statement{Memory: x.ID, Text: x.Content,
				Messages: from[x.ID]}
		}
		if by, ok := n.stated.MemorySource(x.ID, x.Content, from[x.ID]); ok && ours[x.ID] {
			n.leaveOut(x.Content, by)
			continue
		}
		candidates = append(candidates, memory.CandidateOf(x, near))
	}
	stands := n.addStanding()
	candidates = rules.InOrder(candidates)
	slices.SortStableFunc(candidates, func(a, b rules.Candidate) int {
		return rules.TrueFirst(stands[memoryID(a.ID, a.Content)], stands[memoryID(b.ID, b.Content)])
	})
	var twins facts.PromptFacts
	candidates = slices.DeleteFunc(candidates, func(c rules.Candidate) bool {
		by, ok := twins.LineSource(c.Content)
		if !ok && !stands[memoryID(c.ID, c.Content)] {
			by, ok = n.stated.MemoryLineSource(c.ID, c.Content)
		}
		if ok && ours[c.ID] {
			n.leaveOut(c.Content, by)
			return true
		}
		twins.AddLine(c.Content, "another memory")
		return false
	})
	chosen := rules.Choose(candidates)
	for _, c := range chosen {
		n.stated.AddLine(c.Content, "a memory")
		out = append(out, wantedNote{id: memoryID(c.ID, c.Content), layer: prompt.LayerMemories,
			section: rules.Section(c.Type), source: memorySource(c.Content),
			text: "- " + oneLine(c.Content), reason: "one of the most important memories"})
	}
	n.s.Memories = rules.MemoriesText(chosen)
	return out
}

// hooks returns notes of the due hooks. A hook is always included whole, even if something else
// states it; later notes may omit facts that hook notes state.
func (n *noteBuilder) hooks(list []memory.KnownHook) (out []wantedNote) {
	var due []storage.Hook
	known := map[storage.HookID]memory.KnownHook{}
	for _, h := range list {
		if h.Closed || h.Dropped || !n.m.MayKnow(h.Witnesses) {
			continue
		}
		n.known[hookID(h.Hook)] = true
		if known[h.ID] = h; !h.TakenUp && rules.HookDue(h.Hook, h.Turn, n.s.Now, h.Story) {
			due = append(due, h.Hook)
		}
	}
	due = rules.ChooseHooks(due)
	for _, h := range due {
		n.stated.AddLine(h.Content, "a hook")
		out = append(out, wantedNote{id: hookID(h), layer: prompt.LayerHooks,
			section: hookSection, source: "hook: " + failure.FirstRunes(oneLine(h.Content), 40),
			text: rules.HookText(h), reason: rules.DueWords(h, known[h.ID].Turn, n.s.Now, known[h.ID].Story)})
	}
	for _, st := range n.standing {
		if strings.HasPrefix(st.ID, hookNote) && n.known[st.ID] {
			n.stated.AddLine(rules.HookContent(st.Text), "a note in the history")
		}
	}
	n.s.Hooks = rules.HooksText(due)
	return out
}

func memorySource(content string) string {
	return "memory: " + failure.FirstRunes(oneLine(content), 40)
}

// hookSection is the heading of due hooks.
const hookSection = "To bring up when it fits"

func memoryID(id storage.MemoryID, content string) string {
	return memoryNote + string(id) + "/" + core.ContentHash(content)
}

func hookID(h storage.Hook) string {
	return hookNote + string(h.ID) + "/" + core.ContentHash(h.Content+"\x00"+h.Opener)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// moment returns the note that anchors the next reply: the place of the scene, and what is
// unresolved, from the last evaluation before the turn. It is "" for a speaker who has not
// witnessed the evaluated messages.
func (svc *Service) moment(tx *storage.Tx, s *prompt.Snapshot, m chats.Viewpoint) string {
	if svc.core.Settings().Stage.NoMoment {
		return ""
	}
	b, ok := lastEvaluated(tx, m.Chat.ID, lore.StoredLeaf(tx, m.Chat.ID, upToUser(s.History)))
	if !ok || !m.MayKnow(chats.AttendedAt(tx, m.Chat, b.Witnesses, b.Node)) || !m.Witnessed(tx, b.Node) {
		return ""
	}
	return rules.Moment(b.Seen.Open, b.Seen.Setting)
}

// lastLines returns the newest lines of the user and of the speaker.
func lastLines(h []storage.Node) (user, char string) {
	for i := len(h) - 1; i >= max(0, len(h)-20) && (user == "" || char == ""); i-- {
		n := &h[i]
		switch {
		case n.Deleted:
		case n.Role == storage.User && user == "":
			user = n.Content
		case n.Role == storage.Assistant && char == "":
			char = n.Content
		}
	}
	return user, char
}

func userName(p storage.Persona) string {
	if p.Name == "" {
		return chats.Nobody
	}
	return p.Name
}

// NewestEmbedding is the embedding of the newest lines of a history. The zero value is an unknown
// embedding.
type NewestEmbedding struct{ vector []float32 }

// EmbedNewest returns the embedding of the newest lines of a history, if an embedding model is set
// and there is anything to find with it. It must not be called inside a transaction.
func (svc *Service) EmbedNewest(ctx context.Context, h []storage.Node, m chats.Viewpoint) (near NewestEmbedding) {
	user, char := lastLines(h)
	has := false
	_ = svc.core.Store.View(func(tx *storage.Tx) error { // if it cannot be read, there is nothing to find
		has = user+char != "" && svc.memory.HasRecords(tx, m.Chat)
		return nil
	})
	if has {
		near.vector = svc.memory.Embedding(ctx, strings.TrimSpace(char+"\n"+user))
	}
	return near
}
