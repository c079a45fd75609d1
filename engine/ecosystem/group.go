package ecosystem

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ErrNotGroup is a sound file that is something else than a group file.
var ErrNotGroup = errors.New("not a group file")

// The limits of what is read of a group file.
const (
	MaxGroupFile    = 64 << 20 // bytes: old ones hold the metadata of all their chats
	maxGroupMembers = 1_000
	maxGroupChats   = 10_000
)

// Strategy is how a group finds who speaks next, by the ecosystem's numbers.
type Strategy int

// Natural: who is named, and by chance whoever likes to talk. List: all, in the order of
// the members. Manual: nobody by themselves. Pooled: by chance, who has not spoken since
// the user.
const (
	Natural Strategy = iota
	List
	Manual
	Pooled
)

// Group is a group file of SillyTavern (groups/*.json). Members are the avatar files of
// its characters in their order, in very old files their names; Muted are those of them
// who do not speak by themselves. Chats are the names of its chats, without an ending,
// and Current the one that is open. Metadata is what the file holds of chats whose own
// files do not: until the end of 2025 the metadata of group chats stood here
// (chat_metadata, past_metadata), since then in the header of each chat, like everywhere.
// Source is the whole file, on which WriteGroup merges.
//
// The fields follow what SillyTavern's src/endpoints/groups.js and
// public/scripts/group-chats.js read and write, in the versions 1.12 and 1.14.
type Group struct {
	ID, Name string
	Members  []string
	Muted    []string
	Strategy Strategy
	Self     bool // one may answer itself
	Joined   bool // the cards of all are joined into one
	Chats    []string
	Current  string
	Metadata map[string]json.RawMessage
	Source   json.RawMessage
	Warnings []string
}

// ReadGroup reads a group file. name only serves the words of errors. They wrap
// ErrNotGroup, ErrTooLarge or ErrDamaged.
func ReadGroup(name string, data []byte) (Group, error) {
	g, err := readGroup(name, data)
	if err != nil {
		return Group{}, fmt.Errorf("read group %s: %w", shown(name), err)
	}
	return g, nil
}

func readGroup(name string, data []byte) (Group, error) {
	if len(data) > MaxGroupFile {
		return Group{}, fault(ErrTooLarge, "the file has %s, and %s are the limit", size(len(data)), size(MaxGroupFile))
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return Group{}, fault(ErrDamaged, "the file is empty: copy it again")
	}
	if sniff(data) != "" {
		return Group{}, refuse(ErrNotGroup, name, data, "choose a file of the folder groups (.json)")
	}
	if kind := Detect(name, data); kind != KindGroup && kindWords[kind] != "" {
		return Group{}, fault(ErrNotGroup, "%s", kindWords[kind])
	}
	packed, err := compact(data)
	if err != nil {
		return Group{}, err
	}
	o, ok := parseObject(packed)
	if !ok || o.traits().kind() != KindGroup {
		return Group{}, fault(ErrNotGroup, "the document has no members and chats of a group: choose a file of the folder groups")
	}
	g := Group{Source: packed, Self: truth(o.get("allow_self_responses"))}
	var n notes
	g.ID, _ = loose(o.get("id"))
	g.Name, _ = loose(o.get("name"))
	g.Name = cutText(strings.TrimSpace(g.Name), maxName)
	g.Current, _ = loose(o.get("chat_id"))
	g.Members = nameList(&n, &o, "members", maxGroupMembers)
	g.Muted = nameList(&n, &o, "disabled_members", maxGroupMembers)
	g.Chats = nameList(&n, &o, "chats", maxGroupChats)
	if v, ok := whole(o.get("activation_strategy")); ok && v >= int(Natural) && v <= int(Pooled) {
		g.Strategy = Strategy(v)
	} else if o.has("activation_strategy") {
		n.add("the field activation_strategy is none of 0, 1, 2 and 3; it was read as 0, natural")
	}
	mode, _ := whole(o.get("generation_mode"))
	g.Joined = mode != 0
	g.metadata(&o)
	g.Warnings = n.lines()
	return g, nil
}

// metadata reads that of the chats which the file holds.
func (g *Group) metadata(o *object) {
	keep := func(chat string, raw json.RawMessage) {
		if m, ok := parseObject(raw); !ok || len(m.members) == 0 || chat == "" {
			return
		}
		if g.Metadata == nil {
			g.Metadata = map[string]json.RawMessage{}
		}
		g.Metadata[chat] = bytes.Clone(raw)
	}
	past, _ := parseObject(o.get("past_metadata"))
	for _, m := range past.members {
		keep(m.key, m.raw)
	}
	keep(g.Current, o.get("chat_metadata"))
}

// nameList reads a list of names, each of them once.
func nameList(n *notes, o *object, key string, most int) (names []string) {
	list, ok := elements(o.get(key), most)
	if raw := o.get(key); !ok && raw != nil && string(raw) != "null" {
		n.add("the field %s is no list of at most %d names; what it holds was left out", key, most)
	}
	seen := map[string]bool{}
	for _, raw := range list {
		s, odd := loose(raw)
		if s = strings.TrimSpace(s); s == "" || odd != "" && odd != "number" || len(s) > maxName {
			n.add("an entry of the field %s is no name; it was left out", key)
			continue
		}
		if !seen[s] {
			seen[s] = true
			names = append(names, s)
		}
	}
	return names
}

// WriteGroup writes a group file: what of g its Source, read again, does not say, merged
// over that.
func WriteGroup(g Group) ([]byte, error) {
	o, err := kept(g.Source)
	if err != nil {
		return nil, err
	}
	var old Group
	fresh := len(o.members) == 0
	if !fresh {
		if old, err = readGroup("", g.Source); err != nil {
			return nil, err
		}
	}
	list := func(key string, now, was []string) {
		if fresh || !slices.Equal(now, was) {
			o.set(key, quotedList(now))
		}
	}
	word := func(key, now, was string) {
		if fresh || now != was {
			o.set(key, quoted(now))
		}
	}
	word("id", g.ID, old.ID)
	word("name", g.Name, old.Name)
	list("members", g.Members, old.Members)
	if fresh || g.Self != old.Self {
		o.set("allow_self_responses", json.RawMessage(strconv.FormatBool(g.Self)))
	}
	if fresh || g.Strategy != old.Strategy {
		o.set("activation_strategy", json.RawMessage(strconv.Itoa(int(g.Strategy))))
	}
	if fresh {
		o.set("generation_mode", json.RawMessage("0"))
	}
	list("disabled_members", g.Muted, old.Muted)
	word("chat_id", g.Current, old.Current)
	list("chats", g.Chats, old.Chats)
	return indented(o.encode(), "    "), nil
}

// Avatar is the file name of the picture of whoever says the line, as group chats keep
// it; "" where the line does not say. It is a name and never a path.
func (m ChatMessage) Avatar() string {
	o, _ := parseObject(m.Extra)
	return avatarOf(&o, m.Role)
}

func avatarOf(o *object, role storage.Role) string {
	if s, ok := text(o.get("original_avatar")); ok && role != storage.User {
		if s = fileName(s); s != "" {
			return s
		}
	}
	s, _ := text(o.get("force_avatar"))
	if s == "" {
		return ""
	}
	if strings.HasPrefix(s, "img/") { // a picture of the program, which many share
		return ""
	}
	if u, err := url.Parse(s); err == nil && u.Query().Get("file") != "" {
		return fileName(u.Query().Get("file"))
	} else if err == nil && u.Path != "" {
		s = u.Path
	}
	return fileName(s)
}

// fileName is the last part of a path of any system.
func fileName(s string) string {
	s = path.Base(strings.ReplaceAll(strings.TrimSpace(s), `\`, "/"))
	if s == "." || s == "/" || s == ".." || s == "none" || len(s) > maxName {
		return ""
	}
	return s
}

// SetAvatar says whose picture a new line shows, as group chats keep it.
func (m *ChatMessage) SetAvatar(file string) {
	if file == "" || len(m.Extra) > 0 {
		return
	}
	var o object
	o.set("name", quoted(m.Name))
	o.set("is_user", json.RawMessage("false"))
	o.set("is_system", json.RawMessage("false"))
	o.set("original_avatar", quoted(file))
	o.set("force_avatar", quoted("/thumbnail?type=avatar&file="+url.QueryEscape(file)))
	o.set("extra", json.RawMessage("{}"))
	m.Extra = o.encode()
}
