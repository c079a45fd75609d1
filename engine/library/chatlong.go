package library

import (
	"context"
	"errors"
	"maps"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A portion is what of a long chat is stored at a time: for so long everything else that is
// to be stored waits, and so much memory it takes.
const (
	portionMessages = 4096
	portionBytes    = 4 << 20
)

// Staged are the messages of a chat that is too long for one transaction, on its way in.
type Staged struct {
	at     *storage.Staging
	chat   storage.ChatID
	head   storage.NodeID
	cast   casting             // by which the messages have their speakers
	made   []storage.Character // stand-ins that these speakers may be
	scenes []sceneIn
}

// sceneIn is a scene that ends with a message.
type sceneIn struct {
	node storage.Node // without what it says
	mark *ecosystem.SceneMark
}

// errNotRead is of a file whose reading has not come to its end.
var errNotRead = errors.New("the chat was not read to its end")

// errOnlyLooked ends a transaction that is not to change anything.
var errOnlyLooked = errors.New("nothing is to be stored")

// addLong is AddChat for a chat that is too long for one transaction. Its messages go in
// first, where nobody sees them; all that makes it a chat is one transaction.
func (svc *Service) addLong(in ChatImport) (got Imported, err error) {
	if in.Staged, err = svc.Stage(svc.core.Ctx, in); err != nil {
		return got, err
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) (err error) { got, err = svc.AddChatWithin(tx, in); return err })
	if err != nil {
		return Imported{}, errors.Join(err, in.Staged.Drop())
	}
	return got, nil
}

// Stage takes in the messages of a chat that is too long for one transaction, portion by
// portion, where nobody sees them until AddChatWithin makes a chat of them. Where that is
// not to come, Drop removes them; what a killed program leaves goes when the store is
// opened.
func (svc *Service) Stage(ctx context.Context, in ChatImport) (*Staged, error) {
	a := svc.adding(nil, &in, in.File.Gist())
	if a.several() {
		err := svc.core.Store.Update(func(tx *storage.Tx) error {
			look := svc.adding(tx, &in, a.gist)
			if err := look.castGroup(&storage.Chat{From: &storage.ChatSource{}}); err != nil {
				return err
			}
			a.cast, a.made = look.cast, look.made
			return errOnlyLooked
		})
		if !errors.Is(err, errOnlyLooked) {
			return nil, err
		}
	}
	chat := a.own
	if chat == "" {
		chat = storage.ChatID(storage.NewID())
	}
	long := &Staged{chat: chat, cast: a.cast, made: a.made}
	long.at = svc.core.Store.Stage(long.chat)
	if err := long.read(ctx, a); err != nil {
		return nil, errors.Join(err, long.Drop())
	}
	return long, nil
}

// Chat is the chat that they are to be of.
func (l *Staged) Chat() storage.ChatID { return l.chat }

// Drop removes what was taken in.
func (l *Staged) Drop() error { return l.at.Drop() }

// read takes the messages in, while the next ones are read.
func (l *Staged) read(ctx context.Context, a *adding) error {
	portions, stop := make(chan []storage.Node, 1), make(chan struct{})
	failed := errNotRead // until it ended: what panics ends the program, and nothing is settled before
	crash.Go("reading a chat", func() {
		defer close(portions)
		failed = l.portions(a, func(list []storage.Node) bool {
			select {
			case portions <- list:
				return true
			case <-stop:
				return false
			}
		})
	})
	var err error
	for list := range portions {
		if err == nil {
			if err = context.Cause(ctx); err == nil {
				err = l.at.Append(list)
			}
			if err != nil {
				close(stop)
			}
		}
	}
	if err == nil {
		err = failed
	}
	return err
}

// portions makes messages of the lines, until take returns false.
func (l *Staged) portions(a *adding, take func([]storage.Node) bool) error {
	var list []storage.Node
	size := 0
	met := map[storage.NodeID]bool{} // of a chat that keeps its IDs
	for m, err := range a.in.File.Each() {
		if err != nil {
			return err
		}
		variants, chosen := a.variants(m)
		for i := range variants {
			n := &variants[i]
			if n.Parent = l.head; !storage.IsID(string(n.ID)) || met[n.ID] {
				n.ID = storage.NodeID(storage.NewID())
			} else {
				met[n.ID] = true
			}
			size += len(n.Content) + len(n.Thinking) + len(n.Extra)
		}
		list = append(list, variants...)
		l.head = variants[chosen].ID
		if m.Scene != nil {
			l.scenes = append(l.scenes, sceneIn{storage.Node{ID: l.head}, m.Scene})
		}
		if len(list) >= portionMessages || size >= portionBytes {
			if !take(list) {
				return nil
			}
			list, size = nil, 0
		}
	}
	if len(list) > 0 {
		take(list)
	}
	return nil
}

// settle makes the messages those of the chat, within the transaction that stores it.
func (l *Staged) settle(a *adding, chat storage.ChatID) (storage.NodeID, error) {
	if !maps.Equal(l.cast.faces, a.cast.faces) || !maps.Equal(l.cast.names, a.cast.names) {
		return "", failure.Refuse("characters were changed during the import, so the speakers are uncertain: import the chat again")
	}
	if err := a.tx.CommitStaged(chat); err != nil {
		return "", err
	}
	for _, s := range l.scenes {
		place, err := a.tx.Place(chat, s.node.ID)
		if err != nil {
			return "", err
		}
		s.node.Chat, s.node.Depth = chat, place.Depth
		if err := a.svc.scenes.ImportScene(a.tx, chat, s.node, s.mark); err != nil {
			return "", err
		}
	}
	return l.head, nil
}

func (a *adding) chatID() storage.ChatID {
	if a.long != nil {
		return a.long.chat
	}
	if a.own != "" {
		return a.own
	}
	return storage.ChatID(storage.NewID())
}
