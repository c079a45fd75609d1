// Package folder finds what is worth taking in a data folder of SillyTavern, in a backup
// of one, or in any folder of cards, chats and lorebooks. It reads no contents but those
// of settings.json, and decides by place: what a file really is, its reader says.
//
// A folder of a user is told by the folders in it, as src/constants.js of SillyTavern
// lists them (characters, chats, group chats, groups, worlds, User Avatars ...), beside
// settings.json. It is data/<user> today and was public before 1.12; the backup that a
// user can download is a zip of it.
package folder

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Role is what the place of a file says that it is.
type Role string

// The roles of files that may be taken.
const (
	Character      Role = "character"
	Chat           Role = "chat"
	GroupChat      Role = "group chat"
	Group          Role = "group"
	World          Role = "lorebook"
	Persona        Role = "persona"
	PersonaPicture Role = "persona picture"
	// OwnFile is a file of the user's own: a workflow, a prompt, a theme, a list of phrases.
	// Owner is the folder in which such files lie here.
	OwnFile      Role = "own file"
	Settings     Role = "settings"
	Preset       Role = "preset"
	QuickReplies Role = "quick replies"
	Regex        Role = "regex scripts"
	Sprite       Role = "expression picture"
	Note         Role = "author's note"
	Loose        Role = "file" // its content has to say
)

// Entry is a file of a folder or an archive, by its path from the root, with slashes.
type Entry struct {
	Path string
	Size int64
}

// File is one that is worth reading. House is the user's folder in which it stands, and
// Place its path there; Owner is, of a chat, the folder of its character.
type File struct {
	Entry
	House, Place string
	Role         Role
	Owner        string
}

// Left are files that nobody takes, and why. A path that ends in a slash is a folder.
type Left struct {
	Path  string
	Files int
	Why   string
}

// Found is what was found.
type Found struct {
	Houses []string // the users' folders; none where the files are told by content alone
	Files  []File
	Left   []Left
}

// place says what the files of a folder in a user's folder are.
type place struct {
	role   Role
	strong bool   // it marks a user's folder
	why    string // nothing is taken from there
}

// places go by the names of folders in lower case.
var places = map[string]place{
	"characters":        {role: Character, strong: true},
	"chats":             {role: Chat, strong: true},
	"group chats":       {role: GroupChat, strong: true},
	"groups":            {role: Group, strong: true},
	"worlds":            {role: World, strong: true},
	"user avatars":      {role: PersonaPicture, strong: true},
	"openai settings":   {role: Preset, strong: true},
	"koboldai settings": {role: Preset, strong: true},
	"novelai settings":  {role: Preset, strong: true},
	"textgen settings":  {role: Preset, strong: true},
	"instruct":          {role: Preset},
	"context":           {role: Preset},
	"sysprompt":         {role: Preset},
	"reasoning":         {role: Preset},
	"quickreplies":      {role: QuickReplies, strong: true},
	"backgrounds":       {why: "backgrounds of SillyTavern's window"},
	"thumbnails":        {why: "thumbnails of pictures that are imported themselves"},
	"themes":            {why: "themes of SillyTavern"},
	"movingui":          {why: "window positions of SillyTavern"},
	"assets":            {why: "files of SillyTavern extensions"},
	"extensions":        {why: "SillyTavern extensions"},
	"vectors":           {why: "made by another embedding model: created again here"},
	"backups":           {why: "older copies of imported files: import this folder separately to get them"},
	"ghostlight":        {why: "files of Ghostlight: scene import reads recaps, storyboard import reads storyboards"},
	"user":              {why: "pictures, files and workflows of SillyTavern itself"},
}

// skipped are folders in which no user's folder is looked for.
var skipped = []string{"backups", "_migration", "_uploads", "_cache", "_storage", "node_modules", ".git", "__macosx"}

// Find tells what the files of a folder or an archive are.
func Find(entries []Entry) Found {
	var found Found
	found.Houses = houses(entries)
	g := groups{at: map[string]int{}}
	for _, e := range entries {
		house, in := houseOf(found.Houses, e.Path)
		base := strings.ToLower(path.Base(e.Path))
		switch {
		case base == ".ds_store" || base == "thumbs.db" || base == "desktop.ini" || strings.HasPrefix(base, "._") || strings.HasPrefix(e.Path, "__MACOSX/"):
			g.add(path.Dir(e.Path)+"/"+base, e.Path, "made by the operating system")
		case len(found.Houses) == 0:
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
			found.sort(e, house, &g)
		}
	}
	found.Left = g.list
	return found
}

// OwnSettings is where in a user's folder a house that has moved out keeps what is bound
// where, in the form of settings.json.
const OwnSettings = "ghostlight/settings.json"

// OwnPresets is where it keeps presets that hold several kinds in one file.
const OwnPresets = "ghostlight/presets"

// ownFiles are the folders, by their place in a user's folder, whose files the user has made
// for this program or for ComfyUI, with the folders in which such files lie here.
var ownFiles = map[string]string{"user/workflows": "workflows", "ghostlight/workflows": "workflows", "ghostlight/prompts": "prompts",
	"ghostlight/phrases": "phrases", "ghostlight/themes": "themes"}

// ownFile is the folder here of a file of the user's own, and its path there; "" for any other.
func ownFile(place string) (in, rel string) {
	for dir, in := range ownFiles {
		if rel, ok := strings.CutPrefix(place, dir+"/"); ok {
			return in, rel
		}
	}
	return "", ""
}

// OwnPath is where an OwnFile lies here, below the folder of the user's settings; false for
// one that must not be written.
func OwnPath(f File) (string, bool) {
	in, rel := ownFile(f.Place)
	ext := strings.ToLower(path.Ext(rel))
	ok := in != "" && filepath.IsLocal(rel) && strings.Count(rel, "/") < 4 && !strings.Contains("/"+rel, "/.") &&
		slices.Contains([]string{".json", ".toml", ".md", ".txt"}, ext)
	return in + "/" + rel, ok
}

// sort takes a file of a user's folder by its place there.
func (found *Found) sort(e Entry, house string, g *groups) {
	f := File{Entry: e, House: house, Place: strings.TrimPrefix(strings.TrimPrefix(e.Path, house), "/")}
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
	case p.why != "":
		g.add(at, at, p.why)
		return
	default:
		f.Role = p.role
	}
	sub, name, deeper := strings.Cut(rest, "/")
	switch {
	case f.Role == Chat && deeper && strings.Contains(name, "/"), f.Role != Chat && f.Role != Character && deeper, f.Role == Character && strings.Contains(name, "/"):
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
// the program itself calls personas_DATE.json.
func personasBackup(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "personas") && path.Ext(name) == ".json"
}

// houses are the folders of users: those with two of the folders that only they have, or
// with one where none has more.
func houses(entries []Entry) []string {
	marks := map[string]map[string]bool{}
	for _, e := range entries {
		parts := strings.Split(e.Path, "/")
		for i, part := range parts {
			name := strings.ToLower(part)
			if slices.Contains(skipped, name) {
				break
			}
			file := i == len(parts)-1
			if strong := places[name].strong && !file || name == "settings.json" && file; !strong {
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
	for _, dir := range list { // what lies in a user's folder is that user's
		if _, in := houseOf(out, dir+"/x"); !in {
			out = append(out, dir)
		}
	}
	return out
}

// houseOf is the user's folder that a path lies in.
func houseOf(houses []string, name string) (string, bool) {
	for _, h := range houses {
		if h == "" || strings.HasPrefix(name, h+"/") {
			return h, true
		}
	}
	return "", false
}

// groups joins files that are left out for one reason.
type groups struct {
	list []Left
	at   map[string]int
}

func (g *groups) add(key, shown, why string) {
	if i, met := g.at[key]; met {
		g.list[i].Files++
		return
	}
	g.at[key] = len(g.list)
	g.list = append(g.list, Left{Path: shown, Files: 1, Why: why})
}
