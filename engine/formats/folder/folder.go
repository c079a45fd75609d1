// Package folder lists what can be imported from a data folder of SillyTavern, from a backup of
// one, or from any folder of cards, chats and lorebooks. It decides by the path of a file and
// reads no contents except those of settings.json; the importer checks what a file really is.
//
// A user folder is recognised by the folders in it, as src/constants.js of SillyTavern lists them
// (characters, chats, group chats, groups, worlds, User Avatars ...), beside settings.json. It is
// data/<user> today and was public before 1.12; the backup that a user can download is a zip of
// it.
package folder

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Role is the kind of a file, judged by its path.
type Role string

// The roles of files that can be imported.
const (
	Character      Role = "character"
	Chat           Role = "chat"
	GroupChat      Role = "group chat"
	Group          Role = "group"
	World          Role = "lorebook"
	Persona        Role = "persona"
	PersonaPicture Role = "persona picture"
	// OwnFile is a file that the user made: a workflow, a prompt, a theme, a list of phrases.
	// File.Owner is this program's folder for such files.
	OwnFile      Role = "own file"
	Settings     Role = "settings"
	Preset       Role = "preset"
	QuickReplies Role = "quick replies"
	Regex        Role = "regex scripts"
	Sprite       Role = "expression picture"
	Note         Role = "author's note"
	Loose        Role = "file" // its content decides
)

// Entry is a file of a folder or an archive. Path is relative to the root, with slashes.
type Entry struct {
	Path string
	Size int64
}

// File is an importable file. UserDir is the user folder that holds it and Place its path there.
// Owner is the folder of the character for a chat or an expression picture.
type File struct {
	Entry
	UserDir, Place string
	Role           Role
	Owner          string
}

// Skipped is a file or a folder that is not imported, with the reason. The path of a folder ends
// in a slash.
type Skipped struct {
	Path   string
	Files  int
	Reason string
}

// Contents is the result of Find.
type Contents struct {
	UserDirs []string // the user folders; none if the files are recognised by content only
	Files    []File
	Skipped  []Skipped
}

// place describes a folder inside a user folder.
type place struct {
	role         Role
	marksUserDir bool   // its presence identifies a user folder
	reason       string // reason nothing is imported from there, "" if something is
}

// The keys of places are folder names in lower case.
var places = map[string]place{
	"characters":        {role: Character, marksUserDir: true},
	"chats":             {role: Chat, marksUserDir: true},
	"group chats":       {role: GroupChat, marksUserDir: true},
	"groups":            {role: Group, marksUserDir: true},
	"worlds":            {role: World, marksUserDir: true},
	"user avatars":      {role: PersonaPicture, marksUserDir: true},
	"openai settings":   {role: Preset, marksUserDir: true},
	"koboldai settings": {role: Preset, marksUserDir: true},
	"novelai settings":  {role: Preset, marksUserDir: true},
	"textgen settings":  {role: Preset, marksUserDir: true},
	"instruct":          {role: Preset},
	"context":           {role: Preset},
	"sysprompt":         {role: Preset},
	"reasoning":         {role: Preset},
	"quickreplies":      {role: QuickReplies, marksUserDir: true},
	"backgrounds":       {reason: "backgrounds of SillyTavern's window"},
	"thumbnails":        {reason: "thumbnails of pictures that are imported themselves"},
	"themes":            {reason: "themes of SillyTavern"},
	"movingui":          {reason: "window positions of SillyTavern"},
	"assets":            {reason: "files of SillyTavern extensions"},
	"extensions":        {reason: "SillyTavern extensions"},
	"vectors":           {reason: "made by another embedding model: created again here"},
	"backups":           {reason: "older copies of imported files: import this folder separately to get them"},
	"ghostlight": {
		reason: "files of Ghostlight: scene import reads recaps, storyboard import reads storyboards"},
	"user": {reason: "pictures, files and workflows of SillyTavern itself"},
}

// skippedDirs are not searched for user folders.
var skippedDirs = []string{"backups", "_migration", "_uploads", "_cache", "_storage", "node_modules", ".git",
	"__macosx"}

// Find returns what the files of a folder or an archive are.
func Find(entries []Entry) Contents {
	var found Contents
	found.UserDirs = findUserDirs(entries)
	g := skippedGroups{at: map[string]int{}}
	for _, e := range entries {
		userDir, in := userDirOf(found.UserDirs, e.Path)
		base := strings.ToLower(path.Base(e.Path))
		switch {
		case base == ".ds_store" || base == "thumbs.db" || base == "desktop.ini" || strings.HasPrefix(base, "._") ||
			strings.HasPrefix(e.Path, "__MACOSX/"):
			g.add(path.Dir(e.Path)+"/"+base, e.Path, "made by the operating system")
		case len(found.UserDirs) == 0:
			f := File{Entry: e, Place: e.Path, Role: Loose}
			if dir := path.Dir(e.Path); dir != "." {
				f.Owner = path.Base(dir)
			}
			found.Files = append(found.Files, f)
		case !in:
			top, _, inside := strings.Cut(e.Path, "/")
			if inside {
				top += "/"
			}
			g.add(top, top, "it is not in the folder of a user")
		default:
			found.addFile(e, userDir, &g)
		}
	}
	found.Skipped = g.list
	return found
}

// OwnSettings is the path, within a user folder, where a moved-out library keeps its bindings, in
// the form of settings.json.
const OwnSettings = "ghostlight/settings.json"

// OwnPresets is the path, within a user folder, of presets that hold several kinds in one file.
const OwnPresets = "ghostlight/presets"

// ownFiles maps folders within a user folder to folders of this program, for files that the user
// made for this program or for ComfyUI.
var ownFiles = map[string]string{"user/workflows": "workflows", "ghostlight/workflows": "workflows",
	"ghostlight/prompts": "prompts",
	"ghostlight/phrases": "phrases", "ghostlight/themes": "themes"}

// ownFile returns the folder of this program for a file that the user made, and the path in it; ""
// for any other file.
func ownFile(place string) (in, rel string) {
	for dir, in := range ownFiles {
		if rel, ok := strings.CutPrefix(place, dir+"/"); ok {
			return in, rel
		}
	}
	return "", ""
}

// OwnPath returns the path of an OwnFile below the settings folder of this program. It returns
// false for a path that must not be written.
func OwnPath(f File) (string, bool) {
	in, rel := ownFile(f.Place)
	ext := strings.ToLower(path.Ext(rel))
	ok := in != "" && filepath.IsLocal(rel) && strings.Count(rel, "/") < 4 && !strings.Contains("/"+rel, "/.") &&
		slices.Contains([]string{".json", ".toml", ".md", ".txt"}, ext)
	return in + "/" + rel, ok
}

// addFile adds a file of a user folder according to its path there.
func (found *Contents) addFile(e Entry, userDir string, g *skippedGroups) {
	f := File{Entry: e, UserDir: userDir, Place: strings.TrimPrefix(strings.TrimPrefix(e.Path, userDir), "/")}
	top, rest, inside := strings.Cut(f.Place, "/")
	p, known := places[strings.ToLower(top)]
	at := strings.TrimSuffix(e.Path, rest)
	inOwn, _ := ownFile(f.Place)
	switch {
	case !inside && (strings.EqualFold(f.Place, "settings.json") || personasBackup(f.Place)), f.Place == OwnSettings:
		f.Role = Settings
	case inOwn != "":
		f.Role, f.Owner = OwnFile, inOwn
		found.Files = append(found.Files, f)
		return
	case strings.HasPrefix(f.Place, OwnPresets+"/"):
		f.Role, rest = Preset, strings.TrimPrefix(f.Place, OwnPresets+"/")
	case !inside && strings.HasPrefix(strings.ToLower(f.Place), "secrets"):
		g.add(e.Path, e.Path, "keys of servers are not read")
		return
	case !inside:
		g.add(e.Path, e.Path, "it contains nothing to import")
		return
	case !known:
		g.add(at, at, "unknown folder")
		return
	case p.reason != "":
		g.add(at, at, p.reason)
		return
	default:
		f.Role = p.role
	}
	sub, name, deeper := strings.Cut(rest, "/")
	switch {
	case f.Role == Chat && deeper && strings.Contains(name, "/"), f.Role != Chat && f.Role != Character && deeper,
		f.Role == Character && strings.Contains(name, "/"):
		dir := path.Dir(e.Path) + "/"
		g.add(dir, dir, "it is in a deeper folder than expected")
		return
	case f.Role == Chat && deeper:
		f.Owner = sub
	case f.Role == Character && deeper:
		f.Role, f.Owner = Sprite, sub
	}
	found.Files = append(found.Files, f)
}

// personasBackup reports whether a file beside the settings is a backup of personas, which
// SillyTavern names personas_DATE.json.
func personasBackup(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "personas") && path.Ext(name) == ".json"
}

// findUserDirs returns the user folders: those with two of the marking folders, or, if there are
// none, those with one.
func findUserDirs(entries []Entry) []string {
	marks := map[string]map[string]bool{}
	for _, e := range entries {
		parts := strings.Split(e.Path, "/")
		for i, part := range parts {
			name := strings.ToLower(part)
			if slices.Contains(skippedDirs, name) {
				break
			}
			file := i == len(parts)-1
			if strong := places[name].marksUserDir && !file || name == "settings.json" && file; !strong {
				continue
			}
			dir := strings.Join(parts[:i], "/")
			if marks[dir] == nil {
				marks[dir] = map[string]bool{}
			}
			marks[dir][name] = true
		}
	}
	var list []string
	for _, enough := range []int{2, 1} {
		for dir, m := range marks {
			if len(m) >= enough && !(len(m) == 1 && m["settings.json"]) {
				list = append(list, dir)
			}
		}
		if len(list) > 0 {
			break
		}
	}
	slices.Sort(list)
	var out []string
	for _, dir := range list { // folders within a user folder belong to that user
		if _, in := userDirOf(out, dir+"/x"); !in {
			out = append(out, dir)
		}
	}
	return out
}

// userDirOf returns the user folder that contains a path.
func userDirOf(userDirs []string, name string) (string, bool) {
	for _, dir := range userDirs {
		if dir == "" || strings.HasPrefix(name, dir+"/") {
			return dir, true
		}
	}
	return "", false
}

// skippedGroups joins files that are skipped for the same reason.
type skippedGroups struct {
	list []Skipped
	at   map[string]int
}

func (g *skippedGroups) add(key, shown, why string) {
	if i, met := g.at[key]; met {
		g.list[i].Files++
		return
	}
	g.at[key] = len(g.list)
	g.list = append(g.list, Skipped{Path: shown, Files: 1, Reason: why})
}
