package library

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func sprint(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// quoteName returns an outside name for a message to the user: short and on one line.
func quoteName(name string) string {
	return strconv.Quote(failure.FirstRunes(strings.Join(strings.Fields(name), " "), 60))
}

// speakerIndex finds the speaker of a line by the avatar file, else by the name.
type speakerIndex struct {
	byFile, byName map[string]storage.CharacterID
}

func (k *speakerIndex) speaker(m *formats.ChatMessage) storage.CharacterID {
	if k.byFile == nil {
		return ""
	}
	if id, ok := k.byFile[m.Avatar()]; ok {
		return id
	}
	return k.byName[strings.ToLower(m.Name)]
}

// isGroupChat reports whether the chat has more than one character.
func (a *chatImporter) isGroupChat() bool {
	return a.in.Group != nil || a.in.Character == "" && len(a.gist.Speakers) > 1
}

// addCast sets the cast of a chat: the members of its group in their order, the first of them as
// the main character, and everybody who speaks in it. A speaker who is no member has left.
func (a *chatImporter) addCast(c *storage.Chat) error {
	speak := a.gist.Speakers
	g := a.in.Group
	if g == nil {
		g = &formats.Group{Strategy: formats.Natural}
		for _, v := range speak {
			g.Members = append(g.Members, avatarFileOf(v))
		}
		if at := slices.IndexFunc(speak, func(v formats.Speaker) bool {
			return strings.EqualFold(v.Name, a.in.File.CharacterName)
		}); at > 0 {
			main := g.Members[at] // it is a chat with this one, whoever speaks first
			g.Members = slices.Insert(slices.Delete(g.Members, at, at+1), 0, main)
		}
	}
	if len(g.Members) == 0 && len(speak) == 0 {
		return failure.Refusef("the group has no members and the chat has no characters")
	}
	a.speakers = speakerIndex{map[string]storage.CharacterID{}, map[string]storage.CharacterID{}}
	left, made := []string{}, []string{}
	var order []storage.CharacterID
	add := func(face, name string, gone bool) error {
		ch, fresh, err := a.characterByAvatar(face, name)
		if err != nil || slices.Contains(order, ch.ID) {
			return err
		}
		if fresh {
			made = append(made, quoteName(ch.Card.Name))
		}
		order = append(order, ch.ID)
		c.Play.Cast = append(c.Play.Cast,
			storage.CastMember{Character: ch.ID, Left: gone, Away: !gone && slices.Contains(g.Muted, face)})
		if gone {
			left = append(left, quoteName(ch.Card.Name))
		}
		return nil
	}
	for i, face := range g.Members {
		if err := add(face, memberName(face, speak), i > chats.MaxCharacters); err != nil {
			return err
		}
	}
	for _, v := range speak {
		if _, known := a.speakers.byFile[avatarFileOf(v)]; known {
			continue
		}
		if _, known := a.speakers.byName[strings.ToLower(v.Name)]; known && v.Avatar == "" {
			continue
		}
		if err := add(avatarFileOf(v), v.Name, len(g.Members) > 0); err != nil {
			return err
		}
	}
	return a.setMainCharacter(c, g, made, left)
}

// setMainCharacter makes the first of a cast the main character, and adds warnings about the
// group.
func (a *chatImporter) setMainCharacter(c *storage.Chat, g *formats.Group, made, left []string) error {
	main := c.Play.Cast[0]
	c.Character, c.Play.MainAway = main.Character, main.Away
	c.Play.Cast = slices.Clone(c.Play.Cast[1:])
	if len(chats.Present(*c)) == 0 {
		c.Play.MainAway = false
		a.warn("all group members are muted: the first one was unmuted, because one character has to answer")
	}
	var err error
	if a.result.Character, err = storage.Characters.Get(a.tx, c.Character); err != nil {
		return err
	}
	c.Play.Order = turnOrderOf(g.Strategy)
	c.From.Group, c.From.Faces = g.Source, a.speakers.byFile
	if len(made) > 0 {
		a.warn("empty characters created because no card was found: %s; edit them, or import their cards and then "+
			"the chat again", firstNames(made))
	}
	if len(left) > 0 {
		a.warn("these characters speak in the chat but are no longer in the group: %s", firstNames(left))
	}
	if g.Source == nil {
		return nil
	}
	if g.Strategy == formats.List && len(g.Members) > 1 {
		a.warn("in SillyTavern every member answers each message; here one character does")
	}
	if g.Joined {
		a.warn("SillyTavern joins the cards of the group into one; here each character uses its own card")
	}
	if g.Self {
		a.warn("the group allows self-responses; here use the speak command instead")
	}
	return nil
}

// firstNames joins the first names of a list.
func firstNames(list []string) string {
	const most = 12
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}

// turnOrderOf returns the turn order nearest to a group's strategy.
func turnOrderOf(s formats.Strategy) storage.TurnOrder {
	switch s {
	case formats.List:
		return storage.OrderRoundRobin
	case formats.Manual:
		return storage.OrderUser
	case formats.Pooled:
		return storage.OrderPooled
	}
	return storage.OrderNatural
}

// strategyOf returns the strategy nearest to a turn order.
func strategyOf(o storage.TurnOrder) formats.Strategy {
	switch o {
	case storage.OrderUser:
		return formats.Manual
	case storage.OrderPooled:
		return formats.Pooled
	case storage.OrderNatural, storage.OrderMention, storage.OrderDirector:
		return formats.Natural
	}
	return formats.List
}

// avatarFileOf returns the avatar file of a speaker, or the name if there is none.
func avatarFileOf(v formats.Speaker) string {
	if v.Avatar != "" {
		return v.Avatar
	}
	return v.Name + avatarEnding
}

// avatarEnding is the extension of card pictures.
const avatarEnding = ".png"

// memberName returns the name of the member with an avatar file: the one in the chat, else the
// name of the file.
func memberName(face string, speak []formats.Speaker) string {
	for _, v := range speak {
		if v.Avatar == face {
			return v.Name
		}
	}
	stem := strings.TrimSuffix(face, filepath.Ext(face))
	for _, v := range speak {
		if v.Avatar == "" && (strings.EqualFold(v.Name, stem) || strings.EqualFold(v.Name, withoutNumber(stem))) {
			return v.Name
		}
	}
	return stem
}

// withoutNumber returns the name of a file without the number that distinguishes files of the same
// name.
func withoutNumber(stem string) string {
	if s := strings.TrimRight(stem, "0123456789"); s != "" {
		return s
	}
	return stem
}

// characterByAvatar returns the character with an avatar file and a name. If there is none it
// creates a stand-in. Two files are never the same character.
func (a *chatImporter) characterByAvatar(face, name string) (storage.Character, bool, error) {
	keep := func(c storage.Character, fresh bool) (storage.Character, bool, error) {
		a.speakers.byFile[face] = c.ID
		for _, n := range []string{name, c.Card.Name, c.Card.CharName()} {
			if n = strings.ToLower(n); n != "" && a.speakers.byName[n] == "" {
				a.speakers.byName[n] = c.ID
			}
		}
		return c, fresh, nil
	}
	if id, ok := a.in.CharactersByFile[face]; ok {
		if c, err := storage.Characters.Get(a.tx, id); err == nil {
			return keep(c, false)
		}
	}
	taken := slices.Collect(maps.Values(a.speakers.byFile))
	for _, want := range []string{name, strings.TrimSuffix(face, filepath.Ext(face)),
		withoutNumber(strings.TrimSuffix(face, filepath.Ext(face)))} {
		for _, c := range storage.Characters.All(a.tx) {
			if strings.EqualFold(c.Card.Name, want) && !slices.Contains(taken, c.ID) {
				return keep(c, false)
			}
		}
	}
	c, err := a.makeStandIn(failure.FirstRunes(name, 200))
	if err != nil {
		return c, false, err
	}
	return keep(c, true)
}

// avatarFilesOf returns the avatar files of the characters of a group chat: those it was imported
// with, and others derived from names. It returns nil for a chat with one character.
func avatarFilesOf(tx *storage.Tx, c storage.Chat) map[storage.CharacterID]string {
	group := c.From != nil && len(c.From.Faces) > 0
	if !chats.IsGroup(c) && !group {
		return nil
	}
	out, taken := map[storage.CharacterID]string{}, map[string]bool{}
	if group {
		for _, face := range slices.Sorted(maps.Keys(c.From.Faces)) {
			if id := c.From.Faces[face]; out[id] == "" {
				out[id], taken[strings.ToLower(face)] = face, true
			}
		}
	}
	all := []storage.CharacterID{c.Character}
	for _, m := range c.Play.Cast {
		all = append(all, m.Character)
	}
	for _, id := range all {
		if out[id] != "" {
			continue
		}
		stem := plainName(chats.NameOf(tx, id))
		face := stem + avatarEnding
		for n := 1; taken[strings.ToLower(face)]; n++ {
			face = stem + strconv.Itoa(n) + avatarEnding
		}
		out[id], taken[strings.ToLower(face)] = face, true
	}
	return out
}

// plainName makes a file name of a name.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return -1
		}
		return r
	}, name)
	if name = strings.Trim(failure.FirstRunes(name, 100), ". "); name == "" {
		return "character"
	}
	return name
}

// GroupFile is the file of a group, which is written beside its chat. Name and Chat are the names
// of both files, without a folder.
type GroupFile struct {
	Name string
	Chat string
	Data []byte
}

// ExportGroup returns the group file of a group chat. What the chat was imported with is kept as
// far as it is still true.
func (svc *Service) ExportGroup(chat storage.ChatID) (GroupFile, error) {
	var out GroupFile
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		faces := avatarFilesOf(tx, c)
		if faces == nil {
			return failure.Refusef("this chat has one character: only group chats have a group file")
		}
		g := formats.Group{ID: string(c.ID), Name: c.Title, Current: string(c.ID), Chats: []string{string(c.ID)},
			Strategy: strategyOf(c.Play.Order)}
		if c.From != nil && len(c.From.Group) > 0 {
			if g, err = formats.ReadGroup("", c.From.Group); err != nil {
				return err
			}
			if turnOrderOf(g.Strategy) != c.Play.Order {
				g.Strategy = strategyOf(c.Play.Order)
			}
		}
		name := g.Current
		if c.From != nil && c.From.File != "" {
			name = c.From.File
		}
		if !slices.Contains(g.Chats, name) {
			g.Chats = append(g.Chats, name)
		}
		g.Members, g.Muted = memberFiles(c, g, faces)
		out.Name, out.Chat = plainName(g.ID)+".json", plainName(name)+".jsonl"
		out.Data, err = formats.WriteGroup(g)
		return err
	})
	if err != nil {
		return out, failure.Wrap("export", err)
	}
	return out, nil
}

// memberFiles returns the avatar files of the members of a chat and of the muted ones, in the order
// of the group and then of the cast.
func memberFiles(c storage.Chat, g formats.Group, faces map[storage.CharacterID]string) (all, muted []string) {
	here, present := chats.Members(c), chats.Present(c)
	var now, away []string
	for _, id := range here {
		now = append(now, faces[id])
		if !slices.Contains(present, id) {
			away = append(away, faces[id])
		}
	}
	inOrder := func(old, now []string) (out []string) {
		for _, face := range append(slices.Clone(old), now...) {
			if slices.Contains(now, face) && !slices.Contains(out, face) {
				out = append(out, face)
			}
		}
		return out
	}
	if len(g.Muted) > 0 && len(away)+1 == len(g.Muted) && len(here) == len(g.Muted) {
		away = g.Muted // all were muted, and one had to stay
	}
	for _, face := range g.Muted {
		if !slices.Contains(now, face) {
			away = append(away, face) // of an unknown character
		}
	}
	return inOrder(g.Members, now), inOrder(g.Muted, away)
}
