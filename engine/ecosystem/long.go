package ecosystem

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

// HeldChat is how large a file is whose messages are held, in bytes: they take ten
// times as much in memory.
const HeldChat = 8 << 20

// LongChat is a chat of which only the gist is held.
type LongChat struct {
	name string // for what is said of it
	open func() (io.ReadCloser, error)
	gist Gist
}

// ReadLongChat is ReadChat for what has more than HeldChat bytes: messages are read anew
// whenever they are asked for. A file of another program is held all the same.
func ReadLongChat(name string, open func() (io.ReadCloser, error)) (ChatFile, error) {
	in, err := open()
	if err != nil {
		return ChatFile{}, err
	}
	defer func() { _ = in.Close() }() // was only read
	f, err := chatFrom(in, &LongChat{name: name, open: open})
	if err != nil {
		return f, fmt.Errorf("read chat: %w", err)
	}
	return f, nil
}

// Gist is what can be said of a chat once all of its messages were read.
type Gist struct {
	Count       int
	First, Last time.Time // of the first and the last message, zero where they have none
	// Voices are all who speak, in the order in which they begin to.
	Voices []Voice
	// Users are under whose names and pictures the user has spoken at last, up to the
	// first with a name.
	Users []Voice

	faces, names map[string]bool // of the voices; names in lower case
	last         Voice           // who spoke last
}

// Voice is somebody who speaks in a chat's file. Face is the avatar file, "" where lines
// have names alone.
type Voice struct{ Face, Name string }

// Gist sums up the messages.
func (f *ChatFile) Gist() Gist {
	if f.Long != nil {
		return f.Long.gist
	}
	var g Gist
	for i := range f.Messages {
		g.add(&f.Messages[i], f.Messages[i].Avatar())
	}
	return g
}

// Each gives the messages in their order. Those of a long file are read anew, and what a message
// aliases then is its own.
func (f *ChatFile) Each() iter.Seq2[*ChatMessage, error] {
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
		if !ended && err == nil && n != f.Long.gist.Count {
			err = fault(ErrDamaged, "the file has changed while it was read: import it again")
		}
		if !ended && err != nil {
			yield(nil, fmt.Errorf("read chat %s: %w", shown(f.Long.name), err))
		}
	}
}

// read goes through the file until each returns false, and counts.
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
	return p.gist.Count, err
}

// add takes a message in. Lines without an avatar belong to the voice of their name.
func (g *Gist) add(m *ChatMessage, face string) {
	if g.Count++; g.Count == 1 {
		g.First = m.CreatedAt
		g.faces, g.names = map[string]bool{}, map[string]bool{}
	}
	g.Last = m.CreatedAt
	switch v := (Voice{face, m.Name}); {
	case m.Hidden:
	case m.Role == storage.User && v.Name != "":
		g.Users = append(g.Users[:0], v)
	case m.Role == storage.User && !slices.Contains(g.Users, v):
		g.Users = append(g.Users, v)
	case m.Role == storage.Assistant && v != g.last:
		g.last = v
		g.speak(v)
	}
}

func (g *Gist) speak(v Voice) {
	if v.Face != "" && g.faces[v.Face] {
		return
	}
	name := strings.ToLower(v.Name)
	if v.Face == "" && (g.names[name] || strings.TrimSpace(name) == "") {
		return
	}
	for i := range g.Voices {
		if o := &g.Voices[i]; o.Face == "" && strings.EqualFold(o.Name, v.Name) {
			o.Face = v.Face // it had none so far
			g.names[name], g.faces[v.Face] = true, true
			return
		}
	}
	g.Voices = append(g.Voices, v)
	g.names[name], g.faces[v.Face] = true, true
}
