package formats

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

// ErrNotGroup is the error of a valid file that is not a group file.
var ErrNotGroup = errors.New("not a group file")

// Limits of group files.
const (
	MaxGroupFile    = 64 << 20 // bytes: old ones hold the metadata of all their chats
	maxGroupMembers = 1_000
	maxGroupChats   = 10_000
)

// Strategy selects how a group chooses the next speaker, with SillyTavern's numbers.
type Strategy int

// Natural chooses who is named, and at random by talkativeness. List chooses all, in the order of
// the members. Manual chooses nobody. Pooled chooses at random among those who have not spoken
// since the user.
const (
	Natural Strategy = iota
	List
	Manual
	Pooled
)

// Group is a group file of SillyTavern (groups/*.json). Members are the avatar files of its
// characters in order, in very old files their names; Muted are the members who do not speak by
// themselves. Chats are the names of its chats without extension, and Current is the open one.
// Metadata are those of chats whose own files have none: until the end of 2025 the metadata of
// group chats were in the group file (chat_metadata, past_metadata), since then they are in the
// header of each chat. Source is the whole file, into which WriteGroup merges.
//
// The fields follow what SillyTavern's src/endpoints/groups.js and public/scripts/group-chats.js
// read and write, in the versions 1.12 and 1.14.
type Group struct {
	ID, Name string
	Members  []string
	Muted    []string
	Strategy Strategy
	Self     bool // a member may answer itself
	Joined   bool // the cards of all members are joined
	Chats    []string
	Current  string
	Metadata map[string]json.RawMessage
	Source   json.RawMessage
	Warnings []string
}

// ReadGroup reads a group file. name is only used in errors. They wrap ErrNotGroup, ErrTooLarge or
// ErrDamaged.
func ReadGroup(name string, data []byte) (Group, error) {
	g, err := readGroup(name, data)
	if err != nil {
		return Group{}, fmt.Errorf("read group %s: %w", quotePath(name), err)
	}
	return g, nil
}

func readGroup(name string, data []byte) (Group, error) {
	if len(data) > MaxGroupFile {
		return Group{}, wrapf(ErrTooLarge, "the file has %s; the limit is %s", formatSize(len(data)),
			formatSize(MaxGroupFile))
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return Group{}, wrapf(ErrDamaged, "the file is empty: copy it again")
	}
	if sniff(data) != "" {
		return Group{}, wrongKind(ErrNotGroup, name, data, "choose a file of the folder groups (.json)")
	}
	if kind := Detect(name, data); kind != KindGroup && kindAdvice[kind] != "" {
		return Group{}, wrapf(ErrNotGroup, "%s", kindAdvice[kind])
	}
	packed, err := compact(data)
	if err != nil {
		return Group{}, err
	}
	o, ok := parseObject(packed)
	if !ok || o.traits().kind() != KindGroup {
		return Group{}, wrapf(ErrNotGroup,
			"the document has no members and chats of a group: choose a file of the folder groups")
	}
	g := Group{Source: packed}
	var n warningList
	groupFields.read(&o, &g, func(key, odd string) { n.add("the field %s %s", key, odd) })
	g.metadata(&o)
	g.Warnings = n.lines()
	return g, nil
}

// metadata reads the metadata of chats in the file.
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

// groupFields are the fields of a group file. Each codec returns what was wrong with a value.
var groupFields = fields[Group]{
	newField("id", func(g *Group) *string { return &g.ID }, looseCodec),
	newField("name", func(g *Group) *string { return &g.Name }, groupNameCodec),
	newField("members", func(g *Group) *[]string { return &g.Members }, namesCodec(maxGroupMembers)),
	newField("allow_self_responses", func(g *Group) *bool { return &g.Self }, truthCodec),
	newField("activation_strategy", func(g *Group) *Strategy { return &g.Strategy }, strategyCodec),
	newField("generation_mode", func(g *Group) *bool { return &g.Joined }, joinedCodec),
	newField("disabled_members", func(g *Group) *[]string { return &g.Muted }, namesCodec(maxGroupMembers)),
	newField("chat_id", func(g *Group) *string { return &g.Current }, looseCodec),
	newField("chats", func(g *Group) *[]string { return &g.Chats }, namesCodec(maxGroupChats)),
}

var groupNameCodec = codec[string]{func(raw json.RawMessage, to *string) string {
	s, _ := looseString(raw)
	*to = cutText(strings.TrimSpace(s), maxName)
	return ""
}, appendText}

var strategyCodec = codec[Strategy]{func(raw json.RawMessage, to *Strategy) string {
	v, ok := wholeNumber(raw)
	if !ok || v < int(Natural) || v > int(Pooled) {
		return "is none of 0, 1, 2 and 3; it was read as 0, natural"
	}
	*to = Strategy(v)
	return ""
}, appendInt[Strategy]}

var joinedCodec = codec[bool]{func(raw json.RawMessage, to *bool) string {
	mode, _ := wholeNumber(raw)
	*to = mode != 0
	return ""
}, func(dst []byte, joined bool) []byte {
	if joined {
		return append(dst, '1')
	}
	return append(dst, '0')
}}

// namesCodec returns a list of distinct names.
func namesCodec(most int) codec[[]string] {
	return codec[[]string]{func(raw json.RawMessage, to *[]string) (odd string) {
		list, ok := elements(raw, most)
		if !ok && !isNull(raw) {
			return fmt.Sprintf("is no list of at most %d names; what it holds was left out", most)
		}
		seen := map[string]bool{}
		for _, one := range list {
			s, is := looseString(one)
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

// WriteGroup writes a group file: the changes of g since its Source was read, merged into it.
func WriteGroup(g Group) ([]byte, error) {
	o, err := parseKept(g.Source)
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
	return indentJSON(o.encode(), "    "), nil
}

// Avatar returns the file name of the speaker's picture, as group chats keep it; "" if the line
// has none. It is a name and never a path.
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

// fileName returns the last part of a path of any operating system.
func fileName(s string) string {
	s = path.Base(strings.ReplaceAll(strings.TrimSpace(s), `\`, "/"))
	if s == "." || s == "/" || s == ".." || s == "none" || len(s) > maxName {
		return ""
	}
	return s
}

// SetAvatar sets the picture of a new line, as group chats keep it.
func (m *ChatMessage) SetAvatar(file string) {
	if file == "" || len(m.Extra) > 0 {
		return
	}
	var o object
	o.set("name", quote(m.Name))
	o.set("is_user", json.RawMessage("false"))
	o.set("is_system", json.RawMessage("false"))
	o.set("original_avatar", quote(file))
	o.set("force_avatar", quote("/thumbnail?type=avatar&file="+url.QueryEscape(file)))
	o.set("extra", json.RawMessage("{}"))
	m.Extra = o.encode()
}
