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

	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/formats/folder"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// storeIndex holds the store's records at the beginning of a move, so that the store is not
// searched for each file.
type storeIndex struct {
	titles  map[string]bool
	cards   map[[32]byte]storage.CharacterID // by card document
	texts   map[[32]byte]storage.CharacterID // by textKey
	presets map[[32]byte]storage.PresetID    // by document
	scripts map[string]storage.RegexID       // by scriptKey
	names   map[string]storage.CharacterID
	// personas are compared by name and description; one of several alike is listed.
	personas map[personaKey]storage.PersonaID
	persona  storage.PersonaID // the default one
}

// personaKey is the name and the description of a persona.
type personaKey struct{ name, about string }

// textKey returns the hash of a card's texts.
func textKey(c storage.Card) [32]byte {
	data, _ := json.Marshal(c) // cannot fail
	return sha256.Sum256(data)
}

func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// buildIndex reads what the store holds.
func (m *mover) buildIndex() error {
	k := storeIndex{titles: map[string]bool{}, cards: map[[32]byte]storage.CharacterID{},
		texts:   map[[32]byte]storage.CharacterID{},
		presets: map[[32]byte]storage.PresetID{},
		scripts: map[string]storage.RegexID{}, names: map[string]storage.CharacterID{},
		personas: map[personaKey]storage.PersonaID{}}
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
			k.personas[personaKey{p.Name, p.Description}] = id
		}
		k.persona = chats.DefaultPersona(tx).ID
		return nil
	})
	m.index = k
	return err
}

// setExisting sets the existing record of an item that was added in another way.
func (k *storeIndex) setExisting(l *loaded) {
	l.existing = k.findRecord(l.value)
	if card, ok := l.value.(formats.ImportedCard); ok {
		l.newer = l.newer && l.previous.Name == card.Card.Name
	}
}

func (k *storeIndex) nameOf(l *loaded) string {
	if card, ok := l.value.(formats.ImportedCard); ok {
		return card.Card.Name
	}
	return ""
}

// title returns a title that no chat has. An item keeps its title when it is tried again.
func (k *storeIndex) title(l *loaded, want string) string {
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

// putBook stores a lorebook under the name of its file, because other files refer to that. It
// becomes global if it was; otherwise it is only bound if a file refers to it.
func (m *mover) putBook(tx *storage.Tx, l *loaded) (putResult, error) {
	got := l.value.(formats.ImportedBook)
	into := storage.Lorebook{ID: freeID(tx, storage.Lorebooks, formats.IDOf(got.Book.Source))}
	if u := m.user(l.UserDir); u.hasSettings || len(m.found.UserDirs) > 0 {
		if into.Name = baseName(l.File); library.FileName(got.Book.Name) == into.Name {
			into.Name = got.Book.Name // the name may have characters that a file name cannot have
		}
		into.Off = !slices.ContainsFunc(u.settings.GlobalBooks,
			func(name string) bool { return fold(name) == fold(baseName(l.File)) })
	} else if strings.TrimSpace(got.Book.Name) == "" {
		into.Name = baseName(l.File)
	}
	if into.Name != "" && into.Name != got.Book.Name && got.Book.Format == formats.FormatWorldInfo {
		source, err := formats.WithFileName(got.Book.Source, into.Name)
		if err != nil {
			return putResult{}, err
		}
		got.Book.Source = source
	}
	remarks := got.Warnings
	if l.newer {
		into.Off = true
		remarks = append(remarks, "the newer version was added separately and disabled")
	}
	b, err := m.svc.lore.AddImported(tx, got, into)
	return putResult{record: string(b.ID), stamp: b.UpdatedAt, remarks: remarks}, err
}

// bind binds a lorebook to a character or a persona.
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

// bindAll binds the books of a user by name, and returns remarks about those that are missing.
func (u *user) bindAll(tx *storage.Tx, names []string, who storage.CharacterID,
	user storage.PersonaID) (remarks []string, err error) {
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

func (m *mover) putPersona(tx *storage.Tx, l *loaded) (putResult, error) {
	got, u := l.value.(folder.UserPersona), m.user(l.UserDir)
	p := storage.Persona{Name: got.Name, Description: got.Description, Default: got.File == u.settings.Default &&
		m.canReplaceDefaultPersona(tx)}
	var remarks []string
	if got.File == u.settings.Default && !p.Default {
		remarks = append(remarks, "it is the default persona there; your default here is kept")
	}
	if l.newer {
		remarks = append(remarks, "the newer version was added separately")
	}
	p, err := m.svc.library.AddPersona(tx, p)
	if err != nil {
		return putResult{}, err
	}
	if p.Default {
		m.index.persona = p.ID
	}
	more, err := u.bindAll(tx, []string{got.Book}, "", p.ID)
	return putResult{record: string(p.ID), stamp: p.UpdatedAt, remarks: append(remarks, more...)}, err
}

// canReplaceDefaultPersona reports whether there is no default persona or only the bundled one.
func (m *mover) canReplaceDefaultPersona(tx *storage.Tx) bool {
	p, own := chats.DefaultPersona(tx), bundled.Persona()
	return p.ID == "" || p.Description == strings.ReplaceAll(own.Description, own.Name, p.Name)
}

func (m *mover) putCharacter(tx *storage.Tx, l *loaded) (putResult, error) {
	got, u := l.value.(formats.ImportedCard), m.user(l.UserDir)
	for _, tag := range u.settings.Tags[path.Base(l.Place)] {
		if !slices.ContainsFunc(got.Card.Tags, func(t string) bool { return fold(t) == fold(tag) }) {
			got.Card.Tags = append(got.Card.Tags, tag)
		}
	}
	world := strings.TrimSpace(formats.CardWorld(got.Source))
	id, _ := formats.CardID(got.Source)
	c, err := m.svc.library.AddCard(tx, got, freeID(tx, storage.Characters, id), u.books[fold(world)])
	if err != nil {
		return putResult{}, err
	}
	remarks := slices.Clone(got.Warnings)
	if l.UserDir != "" || u.hasSettings {
		more, err := u.bindAll(tx, append([]string{world}, u.settings.CharBooks[baseName(l.File)]...), c.ID, "")
		if err != nil {
			return putResult{}, err
		}
		remarks = append(remarks, more...)
	}
	more, err := m.allowScripts(tx, l, c)
	return putResult{record: string(c.ID), stamp: c.UpdatedAt, name: c.Card.Name, remarks: append(remarks, more...)},
		err
}

// renewCharacter replaces a card that was not changed here.
func (m *mover) renewCharacter(tx *storage.Tx, l *loaded, was storage.MovedRecord) (putResult, error) {
	got := l.value.(formats.ImportedCard)
	c, err := storage.Characters.Get(tx, storage.CharacterID(was.Record))
	if err != nil {
		return putResult{}, err
	}
	if !normalizeTime(c.UpdatedAt).Equal(was.Stamp) {
		return putResult{}, fmt.Errorf(
			"newer in the folder, but also changed here: import the file separately to have both")
	}
	c.Card, c.Source, c.Actor, c.UpdatedAt = got.Card, got.Source, got.Actor, m.svc.core.Config.Now()
	if len(got.Avatar) > 0 {
		c.HasAvatar = true
		if err := tx.PutAvatar(c.ID, got.Avatar); err != nil {
			return putResult{}, err
		}
	}
	if err := tx.DeleteAssets(c.ID); err != nil {
		return putResult{}, err
	}
	for _, a := range got.Assets {
		if err := tx.PutAsset(c.ID, a.Path, a.Data); err != nil {
			return putResult{}, err
		}
	}
	if err := storage.Characters.Put(tx, c.ID, c); err != nil {
		return putResult{}, err
	}
	more, err := m.allowScripts(tx, l, c)
	remarks := append(slices.Clone(got.Warnings),
		"the newer card replaced the older one; the lorebook here was not changed")
	return putResult{record: string(c.ID), stamp: c.UpdatedAt, name: c.Card.Name, remarks: append(remarks, more...)},
		err
}

func (m *mover) putChat(tx *storage.Tx, l *loaded) (putResult, error) {
	f, u := l.value.(formats.ChatFile), m.user(l.UserDir)
	who, err := m.characterOf(tx, l, &f)
	if err != nil {
		return putResult{}, err
	}
	meta := struct {
		Persona string `json:"persona"`
	}{}
	if len(f.Metadata) > 0 {
		_ = json.Unmarshal(f.Metadata, &meta) // an unreadable value binds nothing
	}
	title := strings.TrimSpace(baseName(l.File))
	if title == "" {
		title = l.Owner
	}
	title = cmp.Or(movedTitle(f.Metadata, title), title)
	var remarks []string
	if l.newer {
		remarks = append(remarks, "the newer version was added as a separate chat")
	}
	got, err := m.addChat(tx, l, library.ChatImport{Name: baseName(l.File), File: f, Character: who,
		Title:   m.index.title(l, title),
		Persona: m.personaOf(u, l, meta.Persona, f.UserName), Books: u.books, KeepDates: true, KeepIDs: true})
	return chatResult(got, remarks), err
}

// movedTitle returns the title that a chat had when it was moved out, if its file name was derived
// from that title, or "".
func movedTitle(metadata json.RawMessage, file string) string {
	var meta struct {
		Title string `json:"ghostlight_title"`
	}
	if len(metadata) == 0 || json.Unmarshal(metadata, &meta) != nil || library.FileName(meta.Title) != file {
		return ""
	}
	return meta.Title
}

// chatResult returns the result of an imported chat. For an existing chat it has only what was
// added.
func chatResult(got library.ImportResult, remarks []string) putResult {
	s := putResult{record: string(got.Chat.ID), stamp: got.Chat.UpdatedAt, remarks: append(remarks, got.Warnings...)}
	if got.Merged {
		s.exists = got.Added == 0
	}
	return s
}

// errLong means that the messages of a chat have to be stored before the chat.
var errLong = errors.New("this chat is too long for one transaction")

// addChat stores a chat and indexes its words. For a long chat it returns errLong and sets l.long,
// unless its messages are already stored.
func (m *mover) addChat(tx *storage.Tx, l *loaded, in library.ChatImport) (library.ImportResult, error) {
	if in.File.Long == nil {
		got, err := m.svc.library.AddChatWithin(tx, in)
		if err != nil {
			return got, err
		}
		return got, chats.IndexTx(tx, got.Chat.ID)
	}
	if l.long == nil || l.long.Staged == nil {
		l.long = &in
		return library.ImportResult{}, errLong
	}
	in.Staged = l.long.Staged
	return m.svc.library.AddChatWithin(tx, in)
}

// commitLong stores a chat that is too long for one transaction: first its messages, which stay
// invisible until the chat is stored too.
func (m *mover) commitLong(ctx context.Context, l *loaded) ([]result, error) {
	if merged, err := m.mergeLong(ctx, l); merged != nil || err != nil {
		return merged, err
	}
	staged, err := m.svc.library.Stage(ctx, *l.long)
	if err != nil {
		if ctx.Err() != nil || isStoreError(err) {
			return nil, err
		}
		return []result{{l: l, verdict: verdictSkipped, skipErr: err}}, nil
	}
	l.long.Staged = staged
	results, err := m.commit(ctx, []*loaded{l})
	if err != nil || results[0].got.record != string(staged.Chat()) {
		return results, errors.Join(err, staged.Drop())
	}
	m.svc.chats.IndexSoon(staged.Chat())
	return results, nil
}

// mergeLong adds the additional messages of a long file to an existing chat. It returns nil if
// there is no such chat.
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
	case err != nil && (ctx.Err() != nil || isStoreError(err)):
		return nil, err
	case err != nil:
		return []result{{l: l, verdict: verdictSkipped, skipErr: err}}, nil
	}
	r := result{l: l, got: chatResult(got, nil), verdict: verdictNew}
	if r.got.exists {
		r.verdict = verdictExists
	}
	return []result{r}, m.svc.core.Store.Update(func(tx *storage.Tx) error { return m.recordMoved(tx, l, r.got) })
}

// characterOf returns the character of a chat: the one of its folder, else one with the name that
// the chat has, else a new one without texts.
func (m *mover) characterOf(tx *storage.Tx, l *loaded, f *formats.ChatFile) (storage.CharacterID, error) {
	if id := m.user(l.UserDir).charactersByName[l.Owner]; id != "" && l.Owner != "" {
		return id, nil
	}
	name := strings.TrimSpace(f.CharacterName)
	if name == "" {
		name = strings.TrimSpace(l.Owner)
	}
	if name == "" {
		return "", errNoOwner
	}
	if id := m.index.names[fold(name)]; id != "" {
		if _, err := storage.Characters.Get(tx, id); err == nil {
			return id, nil
		}
	}
	c, err := m.svc.library.AddCard(tx, formats.ImportedCard{Card: storage.Card{Name: name}}, "", "")
	if err == nil {
		m.index.names[fold(name)] = c.ID
	}
	return c.ID, err
}

// personaOf returns the persona of a chat: the one it is bound to, else the one it names, else the
// one of its character, else the default.
func (m *mover) personaOf(u *user, l *loaded, file, name string) storage.PersonaID {
	if id := u.personas[file]; id != "" {
		return id
	}
	if id := u.personasByName[fold(name)]; id != "" {
		return id
	}
	for _, p := range u.settings.Personas {
		if id := u.personas[p.File]; id != "" &&
			slices.ContainsFunc(p.Characters, func(c string) bool { return folder.Base(c) == l.Owner }) {
			return id
		}
	}
	return m.index.persona
}
