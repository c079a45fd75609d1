package library

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ChatImport is a chat to import. Name is the file name without extension. Character is the
// character of the chat; "" finds it by the names in the file. CharactersByFile and PersonasByFile
// map avatar files, as far as these are known; others are found by name. Title must be unique; ""
// makes one. Persona is the user's persona; "" finds it. Books maps lower-case names to lorebooks;
// nil searches all. With KeepDates a chat is as old as its messages, otherwise as new as the
// import.
type ChatImport struct {
	Name             string
	Path             string // of the file, "" if it is not to be used
	File             formats.ChatFile
	Group            *formats.Group // nil for a chat that came without a group file
	Character        storage.CharacterID
	CharactersByFile map[string]storage.CharacterID
	PersonasByFile   map[string]storage.PersonaID
	Title            string
	Persona          storage.PersonaID
	Books            map[string]storage.LorebookID
	KeepDates        bool
	// KeepIDs keeps the IDs that the chat had when it was moved out. If that chat exists, the
	// messages are added to it.
	KeepIDs bool
	// Staged are the messages of a long chat that are stored already; nil stores the messages with
	// the chat.
	Staged *StagedMessages
}

// ImportChat imports the chats of a file, each in its own transaction. The character is who; if who
// is "" it is the one that the chat names, or a new one without texts.
func (svc *Service) ImportChat(path string, who storage.CharacterID) (ImportResult, error) {
	path = core.ExpandHome(path)
	f, err := formats.ReadChatFile(path)
	if err != nil {
		return ImportResult{}, failure.Wrap("import", err)
	}
	got, err := svc.AddChat(ChatImport{Name: fileStem(path), Path: path, File: f, Character: who})
	for i := 0; i < len(f.More) && err == nil; i++ {
		whose := who
		if f.More[i].CharacterName == f.CharacterName {
			whose = got.Character.ID
		}
		var one ImportResult
		if one, err = svc.AddChat(ChatImport{Name: fileStem(path), Path: path, File: f.More[i],
			Character: whose}); err == nil {
			got.More = append(got.More, one)
		}
	}
	return got, err
}

// ImportGroupChat imports a chat of a group: see AddChat.
func (svc *Service) ImportGroupChat(g formats.Group, name string, chat formats.ChatFile) (ImportResult, error) {
	return svc.AddChat(ChatImport{Name: name, File: chat, Group: &g})
}

// fileStem returns the name of a file without its extension.
func fileStem(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// AddChat stores a chat with its characters in one transaction. If it belongs to a group, or
// several characters speak in it and none is given, they become its cast. A character that does
// not exist is created with only a name.
func (svc *Service) AddChat(in ChatImport) (ImportResult, error) {
	var got ImportResult
	var err error
	if in.File.Long != nil {
		got, err = svc.addLong(in)
	} else {
		err = svc.core.Store.Update(func(tx *storage.Tx) (err error) {
			got, err = svc.AddChatWithin(tx, in)
			return err
		})
	}
	if err != nil {
		return ImportResult{}, failure.Wrap("import", err)
	}
	svc.core.Emit(chats.ChatsChanged{})
	svc.core.Emit(chats.CharactersChanged{})
	if got.Lorebook.ID != "" {
		svc.core.Emit(lore.Changed{Chat: got.Chat.ID, Book: got.Lorebook.ID})
	}
	svc.chats.IndexSoon(got.Chat.ID)
	return got, nil
}

// AddChatWithin is AddChat as part of a transaction. The caller emits the events and indexes the
// words of the chat after the commit.
func (svc *Service) AddChatWithin(tx *storage.Tx, in ChatImport) (ImportResult, error) {
	a := svc.newChatImporter(tx, &in, in.File.Summary())
	var err error
	if in.Staged == nil && tx.HasChat(a.ownChat) {
		_, err = a.mergeMessages(mergeState{}, in.File.All())
	} else {
		err = a.run()
	}
	return *a.result, err
}

func (svc *Service) newChatImporter(tx *storage.Tx, in *ChatImport, gist formats.ChatSummary) *chatImporter {
	a := &chatImporter{svc: svc, tx: tx, in: in, gist: gist, staged: in.Staged,
		result: &ImportResult{Format: cmp.Or(in.File.Format, "SillyTavern"), Warnings: slices.Clone(in.File.Warnings)}}
	if in.KeepIDs {
		a.ownChat, _ = ownID(in.File.Metadata)
	}
	return a
}

// chatImporter imports one chat.
type chatImporter struct {
	svc      *Service
	tx       *storage.Tx
	in       *ChatImport
	result   *ImportResult
	gist     formats.ChatSummary
	meta     formats.Metadata
	speakers speakerIndex
	ownChat  storage.ChatID  // its ID when it was moved out, "" to make a new one
	staged   *StagedMessages // nil if the messages are stored with the chat
	standIns []storage.Character
}

func (a *chatImporter) warn(format string, args ...any) {
	a.result.Warnings = append(a.result.Warnings, sprint(format, args...))
}

func (a *chatImporter) run() error {
	f, now := &a.in.File, a.svc.core.Config.Now()
	raw := f.Metadata
	if g := a.in.Group; g != nil {
		a.result.Warnings = append(a.result.Warnings, g.Warnings...)
		if len(raw) <= len("{}") {
			raw = g.Metadata[a.in.Name]
		}
	}
	meta, warnings := formats.ReadMetadata(raw)
	a.meta, a.result.Warnings = meta, append(a.result.Warnings, warnings...)
	c := storage.Chat{ID: a.chatID(), CreatedAt: now, UpdatedAt: now, Extra: f.Header,
		AuthorNote: strings.TrimSpace(meta.Note), Note: meta.NotePlan,
		Overrides: meta.Overrides, Variables: meta.Variables,
		From: &storage.ChatSource{File: a.in.Name, Bare: f.NoHeader}}
	if first, last := a.gist.First, a.gist.Last; a.in.KeepDates && !last.IsZero() && last.Before(now) {
		c.CreatedAt, c.UpdatedAt = last, last
		if !first.IsZero() && first.Before(last) {
			c.CreatedAt = first
		}
	}
	var err error
	if a.isGroupChat() {
		err = a.addCast(&c)
	} else {
		a.result.Character, err = a.characterFor(cmp.Or(a.in.Character, a.characterByPath()), f.CharacterName)
		c.Character = a.result.Character.ID
	}
	if err != nil {
		return err
	}
	if c.Title = a.in.Title; c.Title == "" {
		c.Title = chats.FreeTitle(a.tx, a.title())
	}
	if c.Persona = a.in.Persona; c.Persona == "" {
		c.Persona = a.findPersona()
	}
	c.Lorebooks = a.enableBook()
	if err := storage.Chats.Put(a.tx, c.ID, c); err != nil {
		return err
	}
	if c.Head, err = a.addMessages(c.ID); err != nil {
		return err
	}
	if err := a.keepTimedEffects(&c); err != nil {
		return err
	}
	if b := f.Lorebook; b != nil {
		a.result.Entries = len(b.Entries)
		if a.result.Lorebook, err = a.svc.lore.AddImported(a.tx, *b,
			storage.Lorebook{Kind: storage.ChatBook, Chat: c.ID, Name: c.Title}); err != nil {
			return err
		}
	}
	if c.Overrides != (storage.CardOverrides{}) {
		a.warn("the chat has its own scenario, examples or system prompt, used instead of the card's: ghostlight " +
			"chat texts shows and changes them")
	}
	if p := c.Note; p.Every > 1 && p.Place != storage.NoteAtDepth {
		a.warn("the author's note is set to every %d messages, but here, before the messages, it is in every prompt: "+
			"otherwise the whole prompt would be processed again each time", p.Every)
	}
	if len(meta.Unused) > 0 {
		a.warn("kept without effect: %s", strings.Join(meta.Unused[:min(len(meta.Unused), 12)], ", "))
	}
	a.result.Chat = c
	return storage.Chats.Put(a.tx, c.ID, c)
}

func (a *chatImporter) title() string {
	switch g := a.in.Group; {
	case g != nil && g.Name != "":
		return g.Name
	case strings.TrimSpace(a.in.File.Title) != "":
		return strings.TrimSpace(a.in.File.Title)
	case a.in.Name != "":
		return a.in.Name
	}
	return a.result.Character.Card.Name
}

// characterByPath returns the character after whom the file or its folder is named. Some programs
// do not write the name into the file. The longest name wins; "" for none.
func (a *chatImporter) characterByPath() (id storage.CharacterID) {
	if a.in.Path == "" || a.in.File.Format == "" || strings.TrimSpace(a.in.File.CharacterName) != "" {
		return ""
	}
	file, folder := strings.ToLower(filepath.Base(a.in.Path)), strings.ToLower(filepath.Base(filepath.Dir(a.in.Path)))
	longest := 0
	for _, c := range storage.Characters.All(a.tx) {
		name := strings.ToLower(strings.TrimSpace(c.Card.Name))
		if len(name) <= longest {
			continue
		}
		rest, begins := strings.CutPrefix(file, name)
		if name == folder || begins && (rest == "" || strings.ContainsAny(rest[:1], " _-.")) {
			id, longest = c.ID, len(name)
		}
	}
	return id
}

// characterFor returns the character of a chat. If there is none it creates a stand-in.
func (a *chatImporter) characterFor(who storage.CharacterID, name string) (storage.Character, error) {
	if who != "" {
		return storage.Characters.Get(a.tx, who)
	}
	for _, c := range storage.Characters.All(a.tx) {
		if strings.EqualFold(c.Card.Name, name) {
			return c, nil
		}
	}
	if strings.TrimSpace(name) == "" {
		name = cmp.Or(strings.TrimSpace(a.in.Name), "Somebody")
		a.warn("the chat does not name its character: the name %s was taken from the file", quoteName(name))
	} else {
		a.warn("no character is called %s, so an empty one was created: import its card and copy the details",
			quoteName(name))
	}
	return a.makeStandIn(name)
}

// makeStandIn creates a character that has only a name.
func (a *chatImporter) makeStandIn(name string) (storage.Character, error) {
	now := a.svc.core.Config.Now()
	c := storage.Character{ID: storage.CharacterID(storage.NewID()), Card: storage.Card{Name: name},
		Immersion: storage.Full, CreatedAt: now, UpdatedAt: now}
	if n := len(a.standIns); a.staged != nil && n < len(a.staged.standIns) {
		c.ID = a.staged.standIns[n].ID // the staged messages refer to this ID
	}
	a.standIns = append(a.standIns, c)
	return c, storage.Characters.Put(a.tx, c.ID, c)
}

// findPersona returns the persona that the chat is bound to, else the one with the name of the
// user in it, else the default one.
func (a *chatImporter) findPersona() storage.PersonaID {
	if id, ok := a.in.PersonasByFile[a.meta.Persona]; ok && a.meta.Persona != "" {
		return id
	}
	user, face := "", a.meta.Persona
	for _, v := range slices.Backward(a.gist.Users) {
		user = v.Name
		if id, ok := a.in.PersonasByFile[v.Avatar]; ok && face == "" {
			return id
		}
	}
	bound := strings.TrimLeft(strings.TrimSuffix(face, filepath.Ext(face)), "0123456789")
	bound = strings.TrimPrefix(bound, "-")
	byName := map[string]storage.PersonaID{}
	for id, p := range storage.Personas.All(a.tx) {
		byName[strings.ToLower(p.Name)] = id
	}
	for _, name := range []string{bound, user} {
		if id, ok := byName[strings.ToLower(name)]; ok && name != "" {
			return id
		}
	}
	p := chats.DefaultPersona(a.tx)
	// The other formats call every user User.
	if user != "" && a.in.File.Format == "" && !strings.EqualFold(user, p.Name) {
		a.warn("the user is called %s in this chat, but no persona has that name: it continues with %s",
			quoteName(user), quoteName(p.Name))
	}
	return p.ID
}

// enableBook enables the lorebook that the chat names, if it exists.
func (a *chatImporter) enableBook() map[storage.LorebookID]bool {
	if a.meta.World == "" {
		return nil
	}
	if id := a.bookNamed(a.meta.World); id != "" {
		return map[storage.LorebookID]bool{id: true}
	}
	a.warn("the chat uses the lorebook %s, which was not found: import it and enable it in this chat",
		quoteName(a.meta.World))
	return nil
}

// bookNamed returns the lorebook with a name, compared like file names; "" for none.
func (a *chatImporter) bookNamed(name string) storage.LorebookID {
	name = strings.ToLower(strings.TrimSpace(name))
	if a.in.Books != nil {
		return a.in.Books[name]
	}
	for id, b := range storage.Lorebooks.All(a.tx) {
		if !b.Removed && strings.ToLower(b.Name) == name {
			return id
		}
	}
	return ""
}

// keepTimedEffects keeps the timed effects of existing lorebooks, at the newest message.
func (a *chatImporter) keepTimedEffects(c *storage.Chat) error {
	if len(a.meta.Timed) == 0 || c.Head == "" {
		return nil
	}
	type place struct {
		book storage.LorebookID
		uid  int
	}
	books, hashes := map[string]storage.LorebookID{}, map[place]string{}
	turn, lost := storage.LoreTurn{Node: c.Head}, 0
	for _, e := range a.meta.Timed {
		book, known := books[e.Book]
		if !known {
			if book = a.bookNamed(e.Book); book != "" {
				for _, x := range storage.LoreEntries.All(a.tx, book) {
					hashes[place{book, x.UID}] = activation.Hash(&x)
				}
			}
			books[e.Book] = book
		}
		hash, ok := hashes[place{book, e.UID}]
		if book == "" || !ok {
			lost++
			continue
		}
		turn.Effects = append(turn.Effects, storage.LoreEffect{Kind: e.Kind, Book: book, UID: e.UID, Hash: hash,
			Start: e.Start, End: e.End, Protected: e.Protected})
	}
	if lost > 0 {
		a.warn("%d timed effects belong to missing lorebook entries; they are kept without effect", lost)
	}
	if len(turn.Effects) == 0 {
		return nil
	}
	return storage.LoreTurns.Put(a.tx, c.ID, turn)
}

// addMessages adds the imported messages below each other. Swipes become siblings, and the chat
// continues below the chosen one.
func (a *chatImporter) addMessages(chat storage.ChatID) (head storage.NodeID, err error) {
	if a.staged != nil {
		return a.staged.attach(a, chat)
	}
	g := chatMerger{tx: a.tx, chat: chat, own: a.ownChat != ""}
	for m, err := range a.in.File.All() {
		if err != nil {
			return "", err
		}
		if err := a.mergeLine(&g, m); err != nil {
			return "", err
		}
	}
	return g.parent, nil
}

// variants returns the messages that a line becomes, as siblings without a parent, and the index
// of the one that is shown.
func (a *chatImporter) variants(m *formats.ChatMessage) (list []storage.Node, chosen int) {
	base := storage.Node{Role: m.Role, Name: m.Name, State: storage.Complete}
	switch {
	case m.Hidden:
		base.Role = storage.System // hidden from the model there and here
	case m.Role == storage.Narrator && (m.Name == "" || m.Name == "System"):
		base.Name = prompt.NarratorName
	case m.Role == storage.Assistant:
		base.Speaker = a.speakers.speaker(m)
	}
	all, chosen := m.Variants()
	own := a.ownChat != ""
	list = make([]storage.Node, len(all))
	for i, v := range all {
		n := base
		if own {
			n.ID = storage.NodeID(v.ID)
		}
		n.Content, n.Thinking, n.Model, n.CreatedAt = v.Content, v.Thinking, v.Model, v.CreatedAt
		if n.CreatedAt.IsZero() {
			n.CreatedAt = a.svc.core.Config.Now()
		}
		extra := importedExtra{Swipe: v.Extra}
		if i == chosen {
			extra.Line, extra.Role = m.Extra, m.Role
		}
		n.Extra = extra.encode()
		list[i] = n
	}
	return list, chosen
}
