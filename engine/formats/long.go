package formats

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MaxChatInMemory is the size up to which the messages of a chat file are kept in memory, in
// bytes. They need ten times as much.
const MaxChatInMemory = 8 << 20

// LongChat is a chat whose messages are not kept in memory.
type LongChat struct {
	name    string // for warnings
	open    func() (io.ReadCloser, error)
	summary ChatSummary
}

// ReadLongChat is ReadChat for a file of more than MaxChatInMemory bytes: messages are read again
// by each call of All. A file of another program is read into memory all the same.
func ReadLongChat(name string, open func() (io.ReadCloser, error)) (ChatFile, error) {
	in, err := open()
	if err != nil {
		return ChatFile{}, err
	}
	defer func() { _ = in.Close() }() // was only read
	f, err := readChatFrom(in, &LongChat{name: name, open: open})
	if err != nil {
		return f, fmt.Errorf("read chat: %w", err)
	}
	return f, nil
}

// ChatSummary describes a chat once all of its messages were read.
type ChatSummary struct {
	Count       int
	First, Last time.Time // of the first and the last message, zero if they have none
	// Speakers are in the order of their first messages.
	Speakers []Speaker
	// Users are the names and pictures of the user in the latest messages, up to the first with a
	// name.
	Users []Speaker

	seenAvatars, seenNames map[string]bool // of the speakers; names in lower case
	last                   Speaker         // who spoke last
}

// Speaker is somebody who speaks in a chat file. Avatar is the avatar file, "" if lines only have
// names.
type Speaker struct{ Avatar, Name string }

// Summary summarises the messages.
func (f *ChatFile) Summary() ChatSummary {
	if f.Long != nil {
		return f.Long.summary
	}
	var g ChatSummary
	for i := range f.Messages {
		g.add(&f.Messages[i], f.Messages[i].Avatar())
	}
	return g
}

// All yields the messages in order. Those of a long file are read again; each message then has its
// own memory.
func (f *ChatFile) All() iter.Seq2[*ChatMessage, error] {
	return func(yield func(*ChatMessage, error) bool) {
		for i := range f.Messages {
			if !yield(&f.Messages[i], nil) {
				return
			}
		}
		if f.Long == nil {
			return
		}
		ended := false
		n, err := f.Long.read(func(m *ChatMessage) bool { ended = !yield(m, nil); return !ended })
		if !ended && err == nil && n != f.Long.summary.Count {
			err = wrapf(ErrDamaged, "the file has changed while it was read: import it again")
		}
		if !ended && err != nil {
			yield(nil, fmt.Errorf("read chat %s: %w", quotePath(f.Long.name), err))
		}
	}
}

// read reads the file until each returns false, and returns the number of messages.
func (l *LongChat) read(each func(*ChatMessage) bool) (int, error) {
	in, err := l.open()
	if err != nil {
		return 0, err
	}
	defer func() { _ = in.Close() }() // was only read
	p := chatReader{in: bufio.NewReaderSize(in, detectHead), each: each}
	head, err := p.in.Peek(detectHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	err = p.read(head)
	return p.summary.Count, err
}

// add adds a message. A line without an avatar belongs to the speaker with its name.
func (g *ChatSummary) add(m *ChatMessage, face string) {
	if g.Count++; g.Count == 1 {
		g.First = m.CreatedAt
		g.seenAvatars, g.seenNames = map[string]bool{}, map[string]bool{}
	}
	g.Last = m.CreatedAt
	switch v := (Speaker{face, m.Name}); {
	case m.Hidden:
	case m.Role == storage.User && v.Name != "":
		g.Users = append(g.Users[:0], v)
	case m.Role == storage.User && !slices.Contains(g.Users, v):
		g.Users = append(g.Users, v)
	case m.Role == storage.Assistant && v != g.last:
		g.last = v
		g.addSpeaker(v)
	}
}

func (g *ChatSummary) addSpeaker(v Speaker) {
	if v.Avatar != "" && g.seenAvatars[v.Avatar] {
		return
	}
	name := strings.ToLower(v.Name)
	if v.Avatar == "" && (g.seenNames[name] || strings.TrimSpace(name) == "") {
		return
	}
	for i := range g.Speakers {
		if o := &g.Speakers[i]; o.Avatar == "" && strings.EqualFold(o.Name, v.Name) {
			o.Avatar = v.Avatar // it had none so far
			g.seenNames[name], g.seenAvatars[v.Avatar] = true, true
			return
		}
	}
	g.Speakers = append(g.Speakers, v)
	g.seenNames[name], g.seenAvatars[v.Avatar] = true, true
}
