package movein

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem/folder"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// known is what the store holds when a move begins, so that nothing has to be looked
// through for each file.
type known struct {
	titles  map[string]bool
	cards   map[[32]byte]storage.CharacterID // by the card's document
	texts   map[[32]byte]storage.CharacterID // by textKey
	presets map[[32]byte]storage.PresetID    // by the document
	scripts map[string]storage.RegexID       // by scriptKey
	names   map[string]storage.CharacterID
	// personas are told by all that they are; of two alike each is one.
	personas map[words]storage.PersonaID
	persona  storage.PersonaID // the default one
}

// words are the name and the description of a persona.
type words struct{ name, about string }

// textKey is the hash of a card's texts.
func textKey(c storage.Card) [32]byte {
	data, _ := json.Marshal(c) // has nothing that cannot be written
	return sha256.Sum256(data)
}

func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// know reads what the store holds.
func (m *mover) know() error {
	k := known{titles: map[string]bool{}, cards: map[[32]byte]storage.CharacterID{}, texts: map[[32]byte]storage.CharacterID{},
		presets: map[[32]byte]storage.PresetID{},
		scripts: map[string]storage.RegexID{}, names: map[string]storage.CharacterID{}, personas: map[words]storage.PersonaID{}}
	err := m.svc.core.Store.View(func(tx *storage.Tx) error {
		for _, c := range storage.Chats.All(tx) {
			k.titles[c.Title] = true
		}
		for id, c := range storage.Characters.All(tx) {
			if len(c.Source) > 0 {
				k.cards[sha256.Sum256(c.Source)] = id
			}
			k.texts[textKey(c.Card)] = id
			if _, met := k.names[fold(c.Card.Name)]; !met {
				k.names[fold(c.Card.Name)] = id
			}
		}
		for id, p := range storage.Presets.All(tx) {
			k.presets[sha256.Sum256(p.Source)] = id
		}
		for id, s := range storage.RegexScripts.All(tx) {
			k.scripts[scriptKey(s)] = id
		}
		for id, p := range storage.Personas.All(tx) {
			k.personas[words{p.Name, p.Description}] = id
		}
		k.persona = chats.DefaultPersona(tx).ID
		return nil
	})
	m.known = k
	return err
}

// look tells of what was read whether it has come in otherwise, by itself.
func (k *known) look(l *loaded) {
	l.here = k.otherwise(l.value)
	if card, ok := l.value.(ecosystem.Imported); ok {
		l.newer = l.newer && l.was.Name == card.Card.Name
	}
}

func (k *known) nameOf(l *loaded) string {
	if card, ok := l.value.(ecosystem.Imported); ok {
		return card.Card.Name
	}
	return ""
}

// title is one that no chat has. An item keeps its own, however often it is tried.
func (k *known) title(l *loaded, want string) string {
	for n := 1; l.title == ""; n++ {
		try := want
		if n > 1 {
			try = fmt.Sprintf("%s (%d)", want, n)
		}
		if !k.titles[try] {
			k.titles[try], l.title = true, try
		}
	}
	return l.title
}

// putBook stores a lorebook under the name of its file, by which others ask for it. It
// counts in every chat where it did, else where somebody asks for it.
func (m *mover) putBook(tx *storage.Tx, l *loaded) (stored, error) {
	got := l.value.(ecosystem.ImportedBook)
	into := storage.Lorebook{ID: freeID(tx, storage.Lorebooks, ecosystem.IDOf(got.Book.Source))}
	if u := m.user(l.House); u.told || len(m.found.Houses) > 0 {
		if into.Name = baseOf(l.File); library.FileName(got.Book.Name) == into.Name {
			into.Name = got.Book.Name // the file's is what a file can be called
		}
		into.Off = !slices.ContainsFunc(u.settings.GlobalBooks, func(name string) bool { return fold(name) == fold(baseOf(l.File)) })
	} else if strings.TrimSpace(got.Book.Name) == "" {
		into.Name = baseOf(l.File)
	}
	if into.Name != "" && into.Name != got.Book.Name && got.Book.Format == ecosystem.FormatWorldInfo {
		source, err := ecosystem.NameByFile(got.Book.Source, into.Name)
		if err != nil {
			return stored{}, err
		}
		got.Book.Source = source
	}
	remarks := got.Warnings
	if l.newer {
		into.Off = true
		remarks = append(remarks, "the newer version was added separately and disabled")
	}
	b, err := m.svc.lore.AddImported(tx, got, into)
	return stored{record: string(b.ID), stamp: b.UpdatedAt, remarks: remarks}, err
}

// bind makes a lorebook one that counts with a character or a persona.
func bind(tx *storage.Tx, book storage.LorebookID, who storage.CharacterID, user storage.PersonaID) error {
	b, err := storage.Lorebooks.Get(tx, book)
	if err != nil {
		return err
	}
	owner := string(who) + string(user)
	switch {
	case owner == string(b.Character)+string(b.Persona), slices.Contains(b.Also, owner):
		return nil
	case b.Kind == storage.GlobalBook && b.Off && len(b.Also) == 0:
		b.Kind, b.Character, b.Persona, b.Off = storage.CharacterBook, who, user, false
		if user != "" {
			b.Kind = storage.PersonaBook
		}
	default:
		b.Also = append(b.Also, owner)
	}
	return storage.Lorebooks.Put(tx, book, b)
}

// bindAll binds the books of a user by their names, and says which there are not.
func (u *user) bindAll(tx *storage.Tx, names []string, who storage.CharacterID, user storage.PersonaID) (remarks []string, err error) {
	for _, name := range names {
		if fold(name) == "" {
			continue
		}
		id := u.books[fold(name)]
		if id == "" {
			remarks = append(remarks, fmt.Sprintf("it uses the lorebook %q, which is not in the folder", name))
			continue
		}
		if err := bind(tx, id, who, user); err != nil {
			return remarks, err
		}
	}
	return remarks, nil
}

func (m *mover) putPersona(tx *storage.Tx, l *loaded) (stored, error) {
	got, u := l.value.(folder.UserPersona), m.user(l.House)
	p := storage.Persona{Name: got.Name, Description: got.Description, Default: got.File == u.settings.Default && m.yields(tx)}
	var remarks []string
	if got.File == u.settings.Default && !p.Default {
		remarks = append(remarks, "it is the default persona there; your default here is kept")
	}
	if l.newer {
		remarks = append(remarks, "the newer version was added separately")
	}
	p, err := m.svc.library.AddPersona(tx, p)
	if err != nil {
		return stored{}, err
	}
	if p.Default {
		m.known.persona = p.ID
	}
	more, err := u.bindAll(tx, []string{got.Book}, "", p.ID)
	return stored{record: string(p.ID), stamp: p.UpdatedAt, remarks: append(remarks, more...)}, err
}

// yields reports whether the default persona may be another from now on: there is none, or
// it is the one that comes with the program.
func (m *mover) yields(tx *storage.Tx) bool {
	p, own := chats.DefaultPersona(tx), bundled.Persona()
	return p.ID == "" || p.Description == strings.ReplaceAll(own.Description, own.Name, p.Name)
}

func (m *mover) putCharacter(tx *storage.Tx, l *loaded) (stored, error) {
	got, u := l.value.(ecosystem.Imported), m.user(l.House)
	for _, tag := range u.settings.Tags[path.Base(l.Place)] {
		if !slices.ContainsFunc(got.Card.Tags, func(t string) bool { return fold(t) == fold(tag) }) {
			got.Card.Tags = append(got.Card.Tags, tag)
		}
	}
	world := strings.TrimSpace(ecosystem.CardWorld(got.Source))
	id, _ := ecosystem.CardID(got.Source)
	c, err := m.svc.library.AddCard(tx, got, freeID(tx, storage.Characters, id), u.books[fold(world)])
	if err != nil {
		return stored{}, err
	}
	remarks := slices.Clone(got.Warnings)
	if l.House != "" || u.told {
		more, err := u.bindAll(tx, append([]string{world}, u.settings.CharBooks[baseOf(l.File)]...), c.ID, "")
		if err != nil {
			return stored{}, err
		}
		remarks = append(remarks, more...)
	}
	more, err := m.allowScripts(tx, l, c)
	return stored{record: string(c.ID), stamp: c.UpdatedAt, name: c.Card.Name, remarks: append(remarks, more...)}, err
}

// renewCharacter puts a newer card in the place of one that nobody has changed here.
func (m *mover) renewCharacter(tx *storage.Tx, l *loaded, was storage.MovedRecord) (stored, error) {
	got := l.value.(ecosystem.Imported)
	c, err := storage.Characters.Get(tx, storage.CharacterID(was.Record))
	if err != nil {
		return stored{}, err
	}
	if !moment(c.UpdatedAt).Equal(was.Stamp) {
		return stored{}, fmt.Errorf("newer in the folder, but also changed here: import the file separately to have both")
	}
	c.Card, c.Source, c.Actor, c.UpdatedAt = got.Card, got.Source, got.Actor, m.svc.core.Config.Now()
	if len(got.Avatar) > 0 {
		c.HasAvatar = true
		if err := tx.PutAvatar(c.ID, got.Avatar); err != nil {
			return stored{}, err
		}
	}
	if err := tx.DeleteAssets(c.ID); err != nil {
		return stored{}, err
	}
	for _, a := range got.Assets {
		if err := tx.PutAsset(c.ID, a.Path, a.Data); err != nil {
			return stored{}, err
		}
	}
	if err := storage.Characters.Put(tx, c.ID, c); err != nil {
		return stored{}, err
	}
	more, err := m.allowScripts(tx, l, c)
	remarks := append(slices.Clone(got.Warnings), "the newer card replaced the older one; the lorebook here was not changed")
	return stored{record: string(c.ID), stamp: c.UpdatedAt, name: c.Card.Name, remarks: append(remarks, more...)}, err
}

func (m *mover) putChat(tx *storage.Tx, l *loaded) (stored, error) {
	f, u := l.value.(ecosystem.ChatFile), m.user(l.House)
	who, err := m.castOf(tx, l, &f)
	if err != nil {
		return stored{}, err
	}
	meta := struct {
		Persona string `json:"persona"`
	}{}
	if len(f.Metadata) > 0 {
		_ = json.Unmarshal(f.Metadata, &meta) // what cannot be read binds nothing
	}
	title := strings.TrimSpace(baseOf(l.File))
	if title == "" {
		title = l.Owner
	}
	title = cmp.Or(movedTitle(f.Metadata, title), title)
	var remarks []string
	if l.newer {
		remarks = append(remarks, "the newer version was added as a separate chat")
	}
	got, err := m.addChat(tx, l, library.ChatImport{Name: baseOf(l.File), File: f, Character: who, Title: m.known.title(l, title),
		Persona: m.personaOf(u, l, meta.Persona, f.UserName), Books: u.books, Dated: true, Moved: true})
	return chatStored(got, remarks), err
}

// movedTitle is the title that a chat had where it was moved out, if that is what its file
// is called as far as a file can be; else "".
func movedTitle(metadata json.RawMessage, file string) string {
	var meta struct {
		Title string `json:"ghostlight_title"`
	}
	if len(metadata) == 0 || json.Unmarshal(metadata, &meta) != nil || library.FileName(meta.Title) != file {
		return ""
	}
	return meta.Title
}

// chatStored is what has become of a chat. Of one that was here only what was added is told.
func chatStored(got library.Imported, remarks []string) stored {
	s := stored{record: string(got.Chat.ID), stamp: got.Chat.UpdatedAt, remarks: append(remarks, got.Warnings...)}
	if got.Merged {
		s.here = got.Added == 0
	}
	return s
}

// errLong asks for the messages of a chat to come in ahead of it.
var errLong = errors.New("this chat is too long for one transaction")

// addChat stores a chat and takes its words in. Of a long one the messages have to be there
// already: before that it is errLong, and l.long what they are of.
func (m *mover) addChat(tx *storage.Tx, l *loaded, in library.ChatImport) (library.Imported, error) {
	if in.File.Long == nil {
		got, err := m.svc.library.AddChatWithin(tx, in)
		if err != nil {
			return got, err
		}
		return got, chats.IndexTx(tx, got.Chat.ID)
	}
	if l.long == nil || l.long.Staged == nil {
		l.long = &in
		return library.Imported{}, errLong
	}
	in.Staged = l.long.Staged
	return m.svc.library.AddChatWithin(tx, in)
}

// commitLong stores a chat that is too long for one transaction: its messages first, which
// nobody sees until the chat is there too.
func (m *mover) commitLong(ctx context.Context, l *loaded) ([]result, error) {
	if merged, err := m.mergeLong(ctx, l); merged != nil || err != nil {
		return merged, err
	}
	staged, err := m.svc.library.Stage(ctx, *l.long)
	if err != nil {
		if ctx.Err() != nil || endsAll(err) {
			return nil, err
		}
		return []result{{l: l, did: isLeft, left: err}}, nil
	}
	l.long.Staged = staged
	results, err := m.commit(ctx, []*loaded{l})
	if err != nil || results[0].got.record != string(staged.Chat()) {
		return results, errors.Join(err, staged.Drop())
	}
	m.svc.chats.IndexSoon(staged.Chat())
	return results, nil
}

// mergeLong adds to a chat that is here what a long file of it has more; nil where there is
// no such chat.
func (m *mover) mergeLong(ctx context.Context, l *loaded) ([]result, error) {
	here := false
	if err := m.svc.core.Store.View(func(tx *storage.Tx) error {
		here = library.HasOwnChat(tx, &l.long.File)
		return nil
	}); err != nil || !here {
		return nil, err
	}
	got, err := m.svc.library.MergeLong(ctx, *l.long)
	switch {
	case err != nil && (ctx.Err() != nil || endsAll(err)):
		return nil, err
	case err != nil:
		return []result{{l: l, did: isLeft, left: err}}, nil
	}
	r := result{l: l, got: chatStored(got, nil), did: isNew}
	if r.got.here {
		r.did = isHere
	}
	return []result{r}, m.svc.core.Store.Update(func(tx *storage.Tx) error { return m.note(tx, l, r.got) })
}

// castOf is the character of a chat: that of its folder, else one of the name that it
// says, else a bare one.
func (m *mover) castOf(tx *storage.Tx, l *loaded, f *ecosystem.ChatFile) (storage.CharacterID, error) {
	if id := m.user(l.House).cast[l.Owner]; id != "" && l.Owner != "" {
		return id, nil
	}
	name := strings.TrimSpace(f.CharacterName)
	if name == "" {
		name = strings.TrimSpace(l.Owner)
	}
	if name == "" {
		return "", errNoOwner
	}
	if id := m.known.names[fold(name)]; id != "" {
		if _, err := storage.Characters.Get(tx, id); err == nil {
			return id, nil
		}
	}
	c, err := m.svc.library.AddCard(tx, ecosystem.Imported{Card: storage.Card{Name: name}}, "", "")
	if err == nil {
		m.known.names[fold(name)] = c.ID
	}
	return c.ID, err
}

// personaOf is who the user is in a chat: the persona that it is bound to, else the one it
// names, else the one that is worn with its character, else the default one.
func (m *mover) personaOf(u *user, l *loaded, file, name string) storage.PersonaID {
	if id := u.personas[file]; id != "" {
		return id
	}
	if id := u.named[fold(name)]; id != "" {
		return id
	}
	for _, p := range u.settings.Personas {
		if id := u.personas[p.File]; id != "" && slices.ContainsFunc(p.Characters, func(c string) bool { return folder.Base(c) == l.Owner }) {
			return id
		}
	}
	return m.known.persona
}
