package library

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func sprint(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// quote is an outside name for a line of words: short, on one line.
func quote(name string) string {
	return strconv.Quote(failure.FirstRunes(strings.Join(strings.Fields(name), " "), 60))
}

// casting finds who says a line: by the avatar file, else by the name.
type casting struct {
	faces, names map[string]storage.CharacterID
}

func (k *casting) speaker(m *ecosystem.ChatMessage) storage.CharacterID {
	if k.faces == nil {
		return ""
	}
	if id, ok := k.faces[m.Avatar()]; ok {
		return id
	}
	return k.names[strings.ToLower(m.Name)]
}

// several reports whether more than one character is to play.
func (a *adding) several() bool {
	return a.in.Group != nil || a.in.Character == "" && len(a.gist.Voices) > 1
}

// castGroup makes the cast of a chat: the members of its group in their order, the first
// of them the main one, and those who speak in it. Who speaks and is no member has left.
func (a *adding) castGroup(c *storage.Chat) error {
	speak := a.gist.Voices
	g := a.in.Group
	if g == nil {
		g = &ecosystem.Group{Strategy: ecosystem.Natural}
		for _, v := range speak {
			g.Members = append(g.Members, faceOf(v))
		}
		if at := slices.IndexFunc(speak, func(v ecosystem.Voice) bool { return strings.EqualFold(v.Name, a.in.File.CharacterName) }); at > 0 {
			main := g.Members[at] // it is a chat with this one, whoever speaks first
			g.Members = slices.Insert(slices.Delete(g.Members, at, at+1), 0, main)
		}
	}
	if len(g.Members) == 0 && len(speak) == 0 {
		return failure.Refuse("the group has no members and the chat has no characters")
	}
	a.cast = casting{map[string]storage.CharacterID{}, map[string]storage.CharacterID{}}
	left, made := []string{}, []string{}
	var order []storage.CharacterID
	add := func(face, name string, gone bool) error {
		ch, fresh, err := a.played(face, name)
		if err != nil || slices.Contains(order, ch.ID) {
			return err
		}
		if fresh {
			made = append(made, quote(ch.Card.Name))
		}
		order = append(order, ch.ID)
		c.Play.Cast = append(c.Play.Cast, storage.CastMember{Character: ch.ID, Left: gone, Away: !gone && slices.Contains(g.Muted, face)})
		if gone {
			left = append(left, quote(ch.Card.Name))
		}
		return nil
	}
	for i, face := range g.Members {
		if err := add(face, nameOf(face, speak), i > chats.MaxCharacters); err != nil {
			return err
		}
	}
	for _, v := range speak {
		if _, known := a.cast.faces[faceOf(v)]; known {
			continue
		}
		if _, known := a.cast.names[strings.ToLower(v.Name)]; known && v.Face == "" {
			continue
		}
		if err := add(faceOf(v), v.Name, len(g.Members) > 0); err != nil {
			return err
		}
	}
	return a.settle(c, g, made, left)
}

// settle makes the first of a cast the main one, and says what became of the group.
func (a *adding) settle(c *storage.Chat, g *ecosystem.Group, made, left []string) error {
	main := c.Play.Cast[0]
	c.Character, c.Play.MainAway = main.Character, main.Away
	c.Play.Cast = slices.Clone(c.Play.Cast[1:])
	if len(chats.Present(*c)) == 0 {
		c.Play.MainAway = false
		a.warn("all group members are muted: the first one was unmuted, because one character has to answer")
	}
	var err error
	if a.got.Character, err = storage.Characters.Get(a.tx, c.Character); err != nil {
		return err
	}
	c.Play.Order = orderOf(g.Strategy)
	c.From.Group, c.From.Faces = g.Source, a.cast.faces
	if len(made) > 0 {
		a.warn("empty characters created because no card was found: %s; edit them, or import their cards and then the chat again", some(made))
	}
	if len(left) > 0 {
		a.warn("these speak in the chat but are no longer in the group: %s", some(left))
	}
	if g.Source == nil {
		return nil
	}
	if g.Strategy == ecosystem.List && len(g.Members) > 1 {
		a.warn("in the group every member answers each message; here one character answers each message")
	}
	if g.Joined {
		a.warn("the group joins all cards into one; here each character uses its own card")
	}
	if g.Self {
		a.warn("the group allows self-responses; here use the speak command instead")
	}
	return nil
}

// some names the first of a list.
func some(list []string) string {
	const most = 12
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}

// orderOf is the turn order that comes nearest to a group's strategy, strategyOf the
// other way.
func orderOf(s ecosystem.Strategy) storage.TurnOrder {
	switch s {
	case ecosystem.List:
		return storage.OrderRobin
	case ecosystem.Manual:
		return storage.OrderUser
	case ecosystem.Pooled:
		return storage.OrderPooled
	}
	return storage.OrderNatural
}

func strategyOf(o storage.TurnOrder) ecosystem.Strategy {
	switch o {
	case storage.OrderUser:
		return ecosystem.Manual
	case storage.OrderPooled:
		return ecosystem.Pooled
	case storage.OrderNatural, storage.OrderMention, storage.OrderDirector:
		return ecosystem.Natural
	}
	return ecosystem.List
}

// faceOf is a voice's avatar file, or a name in its place.
func faceOf(v ecosystem.Voice) string {
	if v.Face != "" {
		return v.Face
	}
	return v.Name + facePicture
}

// facePicture is the ending of the pictures of cards.
const facePicture = ".png"

// nameOf is what the one with an avatar file is called: as in the chat, else as the file.
func nameOf(face string, speak []ecosystem.Voice) string {
	for _, v := range speak {
		if v.Face == face {
			return v.Name
		}
	}
	stem := strings.TrimSuffix(face, filepath.Ext(face))
	for _, v := range speak {
		if v.Face == "" && (strings.EqualFold(v.Name, stem) || strings.EqualFold(v.Name, bare(stem))) {
			return v.Name
		}
	}
	return stem
}

// bare is a file's name without the number that tells it from others of the same name.
func bare(stem string) string {
	if s := strings.TrimRight(stem, "0123456789"); s != "" {
		return s
	}
	return stem
}

// played finds who plays somebody with this avatar file and name, or makes a stand-in.
// Two files are never the same character.
func (a *adding) played(face, name string) (storage.Character, bool, error) {
	keep := func(c storage.Character, fresh bool) (storage.Character, bool, error) {
		a.cast.faces[face] = c.ID
		for _, n := range []string{name, c.Card.Name, c.Card.CharName()} {
			if n = strings.ToLower(n); n != "" && a.cast.names[n] == "" {
				a.cast.names[n] = c.ID
			}
		}
		return c, fresh, nil
	}
	if id, ok := a.in.Faces[face]; ok {
		if c, err := storage.Characters.Get(a.tx, id); err == nil {
			return keep(c, false)
		}
	}
	taken := slices.Collect(maps.Values(a.cast.faces))
	for _, want := range []string{name, strings.TrimSuffix(face, filepath.Ext(face)), bare(strings.TrimSuffix(face, filepath.Ext(face)))} {
		for _, c := range storage.Characters.All(a.tx) {
			if strings.EqualFold(c.Card.Name, want) && !slices.Contains(taken, c.ID) {
				return keep(c, false)
			}
		}
	}
	c, err := a.standIn(failure.FirstRunes(name, 200))
	if err != nil {
		return c, false, err
	}
	return keep(c, true)
}

// facesOf are the avatar files of those who play in a chat of several, nil for one of one
// character alone: those that it came with, and others made of their names.
func facesOf(tx *storage.Tx, c storage.Chat) map[storage.CharacterID]string {
	group := c.From != nil && len(c.From.Faces) > 0
	if !chats.Several(c) && !group {
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
		face := stem + facePicture
		for n := 1; taken[strings.ToLower(face)]; n++ {
			face = stem + strconv.Itoa(n) + facePicture
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

// GroupFile is what stands beside a group chat: the group's file. Name and Chat are the
// names of both files, without a folder.
type GroupFile struct {
	Name string
	Chat string
	Data []byte
}

// ExportGroup is the group file of a chat that several play in. What the chat came with
// stays as it was, as far as it still holds.
func (svc *Service) ExportGroup(chat storage.ChatID) (GroupFile, error) {
	var out GroupFile
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		faces := facesOf(tx, c)
		if faces == nil {
			return failure.Refuse("this chat has one character: only group chats have a group file")
		}
		g := ecosystem.Group{ID: string(c.ID), Name: c.Title, Current: string(c.ID), Chats: []string{string(c.ID)}, Strategy: strategyOf(c.Play.Order)}
		if c.From != nil && len(c.From.Group) > 0 {
			if g, err = ecosystem.ReadGroup("", c.From.Group); err != nil {
				return err
			}
			if orderOf(g.Strategy) != c.Play.Order {
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
		g.Members, g.Muted = members(c, g, faces)
		out.Name, out.Chat = plainName(g.ID)+".json", plainName(name)+".jsonl"
		out.Data, err = ecosystem.WriteGroup(g)
		return err
	})
	if err != nil {
		return out, failure.Fail("export", err)
	}
	return out, nil
}

// members are the avatar files of those who play in a chat, and of those who are away, in
// the order that the group had and then that of the cast.
func members(c storage.Chat, g ecosystem.Group, faces map[storage.CharacterID]string) (all, muted []string) {
	here, present := chats.Company(c), chats.Present(c)
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
			away = append(away, face) // of nobody who is known
		}
	}
	return inOrder(g.Members, now), inOrder(g.Muted, away)
}
