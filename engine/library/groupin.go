package library

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// groupChatsFolder is SillyTavern's folder for the chats of groups.
const groupChatsFolder = "group chats"

// chatEnding is the extension of chat files.
const chatEnding = ".jsonl"

// IsGroup reports whether the file at path is a group file.
func IsGroup(path string) bool {
	path = core.ExpandHome(path)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, headBytes)
	n, _ := io.ReadFull(f, head)
	return formats.Detect(path, head[:n]) == formats.KindGroup
}

// ImportGroup imports the chats of a group, each in a transaction. named are chat files, or
// folders that are searched, together with their folder "group chats", for the chats that the
// group names. Nothing else is read.
func (svc *Service) ImportGroup(path string, named []string) ([]ImportResult, error) {
	path = core.ExpandHome(path)
	g, err := formats.ReadGroupFile(path)
	if err != nil {
		return nil, failure.Wrap("import", err)
	}
	if len(named) == 0 {
		return nil, failure.Wrap("import",
			failure.Refusef("this is the group file of %s and has no messages: also give its chats or their "+
				"folder, as in ghostlight chat import GROUP.json CHAT.jsonl", quoteName(g.Name)))
	}
	var files []groupChat
	var missing []string
	for _, p := range named {
		found, lacks, err := readChats(core.ExpandHome(p), g)
		if err != nil {
			return nil, failure.Wrap("import", err)
		}
		files, missing = append(files, found...), append(missing, lacks...)
	}
	var out []ImportResult
	var faces map[string]storage.CharacterID
	for _, c := range files { // all are read before any is stored
		got, err := svc.AddChat(ChatImport{Name: c.name, File: c.file, Group: &g, CharactersByFile: faces})
		if err != nil {
			return out, err
		}
		faces = got.Chat.From.Faces
		out = append(out, got)
	}
	if len(missing) > 0 {
		out[0].Warnings = append(out[0].Warnings, sprint("the group has chats that are not in the folder: %s",
			firstNames(missing)))
	}
	return out, nil
}

// groupChat is a chat of a group that was read.
type groupChat struct {
	name string
	file formats.ChatFile
}

// readChats reads the chat at a path, or the chats of a group in a folder. missing are those that
// were not found.
func readChats(path string, g formats.Group) (out []groupChat, missing []string, err error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		f, err := formats.ReadChatFile(path)
		return []groupChat{{fileStem(path), f}}, nil, err
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = dir.Close() }()
	for _, name := range g.Chats {
		if name != filepath.Base(name) || strings.ContainsAny(name, `/\`) || name == ".." {
			continue // a path and not a name
		}
		found := false
		for _, at := range []string{name + chatEnding, filepath.Join(groupChatsFolder, name+chatEnding)} {
			f, err := readChatFile(dir, at)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			out, found = append(out, groupChat{name, f}), true
			break
		}
		if !found {
			missing = append(missing, quoteName(name))
		}
	}
	if len(out) == 0 {
		return nil, nil, failure.Refusef("none of the %d chats of the group %s is in the folder %s", len(g.Chats),
			quoteName(g.Name), quoteName(filepath.Base(path)))
	}
	return out, missing, nil
}

// readChatFile reads a chat in a folder. It does not follow a link that leads out of the folder.
func readChatFile(dir *os.Root, name string) (formats.ChatFile, error) {
	info, err := dir.Stat(name)
	if err != nil {
		if _, there := dir.Lstat(name); there == nil {
			err = failure.Refusef("%s is a broken link: give the file itself instead", quoteName(name))
		}
		return formats.ChatFile{}, err
	}
	if !info.Mode().IsRegular() {
		return formats.ChatFile{}, failure.Refusef("%s is not a regular file", quoteName(name))
	}
	f, err := dir.Open(name)
	if err != nil {
		return formats.ChatFile{}, err
	}
	defer func() { _ = f.Close() }()
	return formats.ReadChat(f)
}
