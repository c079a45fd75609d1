package ecosystem

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
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
		return Group{}, fault(ErrTooLarge, "the file has %s; the limit is %s", size(len(data)), size(MaxGroupFile))
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
	g := Group{Source: packed}
	var n notes
	groupFields.read(&o, &g, func(key, odd string) { n.add("the field %s %s", key, odd) })
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

// groupFields are what a group file says. What is odd in them is said in words.
var groupFields = fields[Group]{
	newField("id", func(g *Group) *string { return &g.ID }, asLoose),
	newField("name", func(g *Group) *string { return &g.Name }, asGroupName),
	newField("members", func(g *Group) *[]string { return &g.Members }, asNames(maxGroupMembers)),
	newField("allow_self_responses", func(g *Group) *bool { return &g.Self }, asTruth),
	newField("activation_strategy", func(g *Group) *Strategy { return &g.Strategy }, asStrategy),
	newField("generation_mode", func(g *Group) *bool { return &g.Joined }, asJoined),
	newField("disabled_members", func(g *Group) *[]string { return &g.Muted }, asNames(maxGroupMembers)),
	newField("chat_id", func(g *Group) *string { return &g.Current }, asLoose),
	newField("chats", func(g *Group) *[]string { return &g.Chats }, asNames(maxGroupChats)),
}

var asGroupName = codec[string]{func(raw json.RawMessage, to *string) string {
	s, _ := loose(raw)
	*to = cutText(strings.TrimSpace(s), maxName)
	return ""
}, appendText}

var asStrategy = codec[Strategy]{func(raw json.RawMessage, to *Strategy) string {
	v, ok := whole(raw)
	if !ok || v < int(Natural) || v > int(Pooled) {
		return "is none of 0, 1, 2 and 3; it was read as 0, natural"
	}
	*to = Strategy(v)
	return ""
}, appendInt[Strategy]}

var asJoined = codec[bool]{func(raw json.RawMessage, to *bool) string {
	mode, _ := whole(raw)
	*to = mode != 0
	return ""
}, func(dst []byte, joined bool) []byte {
	if joined {
		return append(dst, '1')
	}
	return append(dst, '0')
}}

// asNames is a list of names, each of them once.
func asNames(most int) codec[[]string] {
	return codec[[]string]{func(raw json.RawMessage, to *[]string) (odd string) {
		list, ok := elements(raw, most)
		if !ok && !isNull(raw) {
			return fmt.Sprintf("is no list of at most %d names; what it holds was left out", most)
		}
		seen := map[string]bool{}
		for _, one := range list {
			s, is := loose(one)
			if s = strings.TrimSpace(s); s == "" || is != "" && is != "number" || len(s) > maxName {
				odd = "has entries that are no names; they were left out"
			} else if !seen[s] {
				seen[s] = true
				*to = append(*to, s)
			}
		}
		return odd
	}, appendTexts}
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
	groupFields.merge(&o, &g, &old, fresh)
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
