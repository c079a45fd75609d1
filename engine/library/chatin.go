package library

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ChatImport is a chat that comes in. Name is that of its file, without an ending.
// Character is with whom it is; "" finds that by the names in the file. Faces and Personas
// are characters and personas by their avatar files, as far as these are known: names
// tell the others. Title is one that no other chat has, and Persona who the user is; ""
// finds them. Books are lorebooks by their names in lower case; nil looks among all. Dated
// chats are as old as their messages, others as new as the import.
type ChatImport struct {
	Name      string
	Path      string // of the file, "" where that says nothing
	File      ecosystem.ChatFile
	Group     *ecosystem.Group // nil for a chat that came without a group file
	Character storage.CharacterID
	Faces     map[string]storage.CharacterID
	Personas  map[string]storage.PersonaID
	Title     string
	Persona   storage.PersonaID
	Books     map[string]storage.LorebookID
	Dated     bool
	// Moved chats keep the IDs with which they were moved out, and are added to the chat that
	// they were, where that is here.
	Moved bool
	// Staged are the messages of a long chat, which are there already; nil has them come in
	// with the chat.
	Staged *Staged
}

// ImportChat brings in the chats of a file, each of them whole or not at all. The character is the one
// named, else the one of the chat's name, else a new bare one.
func (svc *Service) ImportChat(path string, who storage.CharacterID) (Imported, error) {
	path = core.ExpandHome(path)
	f, err := ecosystem.ReadChatFile(path)
	if err != nil {
		return Imported{}, failure.Fail("import", err)
	}
	got, err := svc.AddChat(ChatImport{Name: fileStem(path), Path: path, File: f, Character: who})
	for i := 0; i < len(f.More) && err == nil; i++ {
		whose := who
		if f.More[i].CharacterName == f.CharacterName {
			whose = got.Character.ID
		}
		var one Imported
		if one, err = svc.AddChat(ChatImport{Name: fileStem(path), Path: path, File: f.More[i], Character: whose}); err == nil {
			got.More = append(got.More, one)
		}
	}
	return got, err
}

// ImportGroupChat brings in a chat of a group: see AddChat.
func (svc *Service) ImportGroupChat(g ecosystem.Group, name string, chat ecosystem.ChatFile) (Imported, error) {
	return svc.AddChat(ChatImport{Name: name, File: chat, Group: &g})
}

// fileStem is the name of a file without its ending.
func fileStem(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// AddChat brings in a chat, all of it or nothing, with those who play in it: where it is of a
// group, or several speak in it and no character is given, they become its cast. Who is
// not there is made as a stand-in, a character of a name alone.
func (svc *Service) AddChat(in ChatImport) (Imported, error) {
	var got Imported
	var err error
	if in.File.Long != nil {
		got, err = svc.addLong(in)
	} else {
		err = svc.core.Store.Update(func(tx *storage.Tx) (err error) { got, err = svc.AddChatWithin(tx, in); return err })
	}
	if err != nil {
		return Imported{}, failure.Fail("import", err)
	}
	svc.core.Emit(chats.ChatsChanged{})
	svc.core.Emit(chats.CharactersChanged{})
	if got.Lorebook.ID != "" {
		svc.core.Emit(lore.Changed{Chat: got.Chat.ID, Book: got.Lorebook.ID})
	}
	svc.chats.IndexSoon(got.Chat.ID)
	return got, nil
}

// AddChatWithin is AddChat as part of a transaction. Whoever began that emits what has
// changed, and has the chat's words taken in.
func (svc *Service) AddChatWithin(tx *storage.Tx, in ChatImport) (Imported, error) {
	a := svc.adding(tx, &in, in.File.Gist())
	var err error
	if in.Staged == nil && tx.HasChat(a.own) {
		_, err = a.merge(grafted{}, in.File.Each())
	} else {
		err = a.run()
	}
	return *a.got, err
}

func (svc *Service) adding(tx *storage.Tx, in *ChatImport, gist ecosystem.Gist) *adding {
	a := &adding{svc: svc, tx: tx, in: in, gist: gist, long: in.Staged,
		got: &Imported{Format: cmp.Or(in.File.Format, "SillyTavern"), Warnings: slices.Clone(in.File.Warnings)}}
	if in.Moved {
		a.own, _ = ownID(in.File.Metadata)
	}
	return a
}

// adding is a chat on its way in.
type adding struct {
	svc  *Service
	tx   *storage.Tx
	in   *ChatImport
	got  *Imported
	gist ecosystem.Gist
	meta ecosystem.Metadata
	cast casting
	own  storage.ChatID // the ID with which it was moved out, "" where a new one is made
	long *Staged        // nil where the messages come in with the rest
	made []storage.Character
}

func (a *adding) warn(format string, args ...any) {
	a.got.Warnings = append(a.got.Warnings, sprint(format, args...))
}

func (a *adding) run() error {
	f, now := &a.in.File, a.svc.core.Config.Now()
	raw := f.Metadata
	if g := a.in.Group; g != nil {
		a.got.Warnings = append(a.got.Warnings, g.Warnings...)
		if len(raw) <= len("{}") {
			raw = g.Metadata[a.in.Name]
		}
	}
	meta, warnings := ecosystem.ReadMetadata(raw)
	a.meta, a.got.Warnings = meta, append(a.got.Warnings, warnings...)
	c := storage.Chat{ID: a.chatID(), CreatedAt: now, UpdatedAt: now, Extra: f.Header,
		AuthorNote: strings.TrimSpace(meta.Note), Note: meta.Plan, Over: meta.Over, Variables: meta.Variables,
		From: &storage.ChatSource{File: a.in.Name, Bare: f.Bare}}
	if first, last := a.gist.First, a.gist.Last; a.in.Dated && !last.IsZero() && last.Before(now) {
		c.CreatedAt, c.UpdatedAt = last, last
		if !first.IsZero() && first.Before(last) {
			c.CreatedAt = first
		}
	}
	var err error
	if a.several() {
		err = a.castGroup(&c)
	} else {
		a.got.Character, err = a.characterFor(cmp.Or(a.in.Character, a.byPath()), f.CharacterName)
		c.Character = a.got.Character.ID
	}
	if err != nil {
		return err
	}
	if c.Title = a.in.Title; c.Title == "" {
		c.Title = chats.FreeTitle(a.tx, a.title())
	}
	if c.Persona = a.in.Persona; c.Persona == "" {
		c.Persona = a.persona()
	}
	c.Lorebooks = a.world()
	if err := storage.Chats.Put(a.tx, c.ID, c); err != nil {
		return err
	}
	if c.Head, err = a.grow(c.ID); err != nil {
		return err
	}
	if err := a.timed(&c); err != nil {
		return err
	}
	if b := f.Lorebook; b != nil {
		a.got.Entries = len(b.Entries)
		if a.got.Lorebook, err = a.svc.lore.AddImported(a.tx, *b, storage.Lorebook{Kind: storage.ChatBook, Chat: c.ID, Name: c.Title}); err != nil {
			return err
		}
	}
	if c.Over != (storage.CardOver{}) {
		a.warn("the chat has its own scenario, examples or system prompt, used instead of the card's: ghostlight chat texts shows and changes them")
	}
	if p := c.Note; p.Every > 1 && p.Place != storage.NoteAtDepth {
		a.warn("the author's note is set to every %d messages, but here, before the messages, it is in every prompt: otherwise the whole prompt would be processed again each time", p.Every)
	}
	if len(meta.Unused) > 0 {
		a.warn("kept without effect: %s", strings.Join(meta.Unused[:min(len(meta.Unused), 12)], ", "))
	}
	a.got.Chat = c
	return storage.Chats.Put(a.tx, c.ID, c)
}

func (a *adding) title() string {
	switch g := a.in.Group; {
	case g != nil && g.Name != "":
		return g.Name
	case strings.TrimSpace(a.in.File.Title) != "":
		return strings.TrimSpace(a.in.File.Title)
	case a.in.Name != "":
		return a.in.Name
	}
	return a.got.Character.Card.Name
}

// byPath is the character after whom a file or its folder is named, as programs name them
// that do not write it into the file. The longest name counts; "" for none.
func (a *adding) byPath() (id storage.CharacterID) {
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

// characterFor finds whom a chat is with, or makes a stand-in.
func (a *adding) characterFor(who storage.CharacterID, name string) (storage.Character, error) {
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
		a.warn("the chat does not name its character: the name %s was taken from the file", quote(name))
	} else {
		a.warn("no character is called %s, so an empty one was created: import its card and copy the details", quote(name))
	}
	return a.standIn(name)
}

// standIn makes a character of a name alone.
func (a *adding) standIn(name string) (storage.Character, error) {
	now := a.svc.core.Config.Now()
	c := storage.Character{ID: storage.CharacterID(storage.NewID()), Card: storage.Card{Name: name}, Immersion: storage.Full, CreatedAt: now, UpdatedAt: now}
	if n := len(a.made); a.long != nil && n < len(a.long.made) {
		c.ID = a.long.made[n].ID // as which it is named by what is there already
	}
	a.made = append(a.made, c)
	return c, storage.Characters.Put(a.tx, c.ID, c)
}

// persona is who the user plays: the one that the chat is bound to, else the one of the
// name under which the user speaks in it, else the default one.
func (a *adding) persona() storage.PersonaID {
	if id, ok := a.in.Personas[a.meta.Persona]; ok && a.meta.Persona != "" {
		return id
	}
	user, face := "", a.meta.Persona
	for _, v := range slices.Backward(a.gist.Users) {
		user = v.Name
		if id, ok := a.in.Personas[v.Face]; ok && face == "" {
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
	if user != "" && a.in.File.Format == "" && !strings.EqualFold(user, p.Name) { // others call everybody User
		a.warn("the user is called %s in this chat, but no persona has that name: it continues with %s", quote(user), quote(p.Name))
	}
	return p.ID
}

// world switches the lorebook on that the chat names, where there is one of that name.
func (a *adding) world() map[storage.LorebookID]bool {
	if a.meta.World == "" {
		return nil
	}
	if id := a.bookNamed(a.meta.World); id != "" {
		return map[storage.LorebookID]bool{id: true}
	}
	a.warn("the chat uses the lorebook %s, which was not found: import it and enable it in this chat", quote(a.meta.World))
	return nil
}

// bookNamed finds a lorebook by its name, the way file names are told apart; "" for none.
func (a *adding) bookNamed(name string) storage.LorebookID {
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

// timed keeps the timed effects of lorebooks that are here, at the newest message.
func (a *adding) timed(c *storage.Chat) error {
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
		turn.Effects = append(turn.Effects, storage.LoreEffect{Kind: e.Kind, Book: book, UID: e.UID, Hash: hash, Start: e.Start, End: e.End, Protected: e.Protected})
	}
	if lost > 0 {
		a.warn("%d timed effects belong to missing lorebook entries; they are kept without effect", lost)
	}
	if len(turn.Effects) == 0 {
		return nil
	}
	return storage.LoreTurns.Put(a.tx, c.ID, turn)
}

// grow hangs imported messages below each other; swipes become siblings, and the chat
// goes on below the chosen one.
func (a *adding) grow(chat storage.ChatID) (head storage.NodeID, err error) {
	if a.long != nil {
		return a.long.settle(a, chat)
	}
	g := graft{tx: a.tx, chat: chat, own: a.own != ""}
	for m, err := range a.in.File.Each() {
		if err != nil {
			return "", err
		}
		if err := a.line(&g, m); err != nil {
			return "", err
		}
	}
	return g.at, nil
}

// variants are the messages that a line becomes, siblings that want a parent, and which of
// them is the one that is shown.
func (a *adding) variants(m *ecosystem.ChatMessage) (list []storage.Node, chosen int) {
	base := storage.Node{Role: m.Role, Name: m.Name, State: storage.Complete}
	switch {
	case m.Hidden:
		base.Role = storage.System // hidden from the model there, and so here
	case m.Role == storage.Narrator && (m.Name == "" || m.Name == "System"):
		base.Name = script.NarratorName
	case m.Role == storage.Assistant:
		base.Speaker = a.cast.speaker(m)
	}
	all, chosen := m.Variants()
	own := a.own != ""
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
