package movein

import (
	"encoding/json"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/formats/folder"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// groupOf returns the key of a group chat in mover.groups. All group chats lie in one folder, and
// only the file of a group says which are its own.
func groupOf(f folder.File) string { return f.UserDir + "\x00" + baseName(f) }

// joinGroups finds the group of each group chat. In a folder without user folders, a chat that a
// group names becomes a group chat. A group that cannot be read is reported when it is loaded.
func (m *mover) joinGroups() {
	m.groups = map[string]folder.File{}
	for i := range m.items {
		if m.items[i].Role != folder.Group {
			continue
		}
		f := m.items[i].File
		g, err := m.readGroup(f)
		for _, name := range g.Chats {
			if err == nil {
				m.groups[f.UserDir+"\x00"+name] = f
			}
		}
	}
	m.grouped = map[string]bool{}
	for i := range m.items {
		it := &m.items[i]
		if _, named := m.groups[groupOf(it.File)]; named && it.Role == folder.Chat && len(m.found.UserDirs) == 0 {
			it.Role, it.importer = folder.GroupChat, importerFor(folder.GroupChat)
		}
		if it.Role == folder.GroupChat {
			m.grouped[groupOf(it.File)] = true
		}
	}
}

func (m *mover) readGroup(f folder.File) (formats.Group, error) {
	in, err := m.src.Read(f.Entry)
	if err != nil {
		return formats.Group{}, err
	}
	defer func() { _ = in.Close() }()
	data, err := io.ReadAll(io.LimitReader(in, formats.MaxGroupFile+1))
	if err != nil {
		return formats.Group{}, err
	}
	return formats.ReadGroup(f.Path, data)
}

// withGroup reads the group of a group chat; it is released with the chat. A group without any of
// its chats is refused.
func (m *mover) withGroup(l *loaded) error {
	switch l.Role {
	case folder.Group:
		g := l.value.(formats.Group)
		if !slices.ContainsFunc(g.Chats, func(name string) bool { return m.grouped[l.UserDir+"\x00"+name] }) {
			return failure.Refusef("none of the chats of this group was found; groups are imported with their chats")
		}
	case folder.GroupChat:
		l.group = &formats.Group{}
		f, named := m.groups[groupOf(l.File)]
		if !named {
			l.noGroupFile = true
			return nil
		}
		g, err := m.readGroup(f)
		l.group = &g
		return err
	}
	return nil
}

// putGroup stores nothing: a group is kept with each of its chats.
func (m *mover) putGroup(_ *storage.Tx, l *loaded) (putResult, error) {
	return putResult{record: groupRecord(l.value.(formats.Group)), stamp: m.svc.core.Config.Now()}, nil
}

// groupRecord returns the record ID of a group that was imported with its chats.
func groupRecord(g formats.Group) string { return "group " + g.ID }

// putGroupChat stores a chat of a group, with the members of the group as its cast.
func (m *mover) putGroupChat(tx *storage.Tx, l *loaded) (putResult, error) {
	f, u, name := l.value.(formats.ChatFile), m.user(l.UserDir), baseName(l.File)
	in := library.ChatImport{Name: name, File: f, Group: l.group, CharactersByFile: u.charactersByFile,
		PersonasByFile: u.personas, Books: u.books, KeepDates: true, KeepIDs: true,
		Persona: u.groupPersona(l.group, name, &f)}
	var remarks []string
	if l.noGroupFile {
		remarks = append(remarks, "no group file names this chat: its members are taken from its messages")
	}
	if l.newer {
		remarks = append(remarks, "the newer version was added as a separate chat")
	}
	title := strings.TrimSpace(name)
	own := movedTitle(f.Metadata, title)
	switch group := strings.TrimSpace(l.group.Name); {
	case own != "":
		title = own
	case group != "" && len(l.group.Chats) > 1 && title != "":
		title = group + " - " + title
	case group != "":
		title = group
	}
	in.Title = m.index.title(l, title)
	got, err := m.addChat(tx, l, in)
	return chatResult(got, remarks), err
}

// groupPersona returns the persona that a group chat is bound to, else the persona of its group;
// "" if only the messages of the chat say who the user is.
func (u *user) groupPersona(g *formats.Group, name string, f *formats.ChatFile) storage.PersonaID {
	raw := f.Metadata
	if len(raw) <= len("{}") {
		raw = g.Metadata[name]
	}
	var meta struct {
		Persona string `json:"persona"`
	}
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, &meta) // an unreadable value binds nothing
	}
	if id := u.personas[path.Base(meta.Persona)]; id != "" {
		return id
	}
	for _, p := range u.settings.Personas {
		if id := u.personas[p.File]; id != "" && g.ID != "" && slices.Contains(p.Groups, g.ID) {
			return id
		}
	}
	return ""
}
