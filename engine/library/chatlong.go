package library

import (
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

// longIn is a chat that is too long for one transaction, on its way in.
type longIn struct {
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
	gist := in.File.Gist()
	a := svc.adding(nil, &in, gist)
	if a.several() {
		err = svc.core.Store.Update(func(tx *storage.Tx) error {
			a.tx = tx
			if err := a.castGroup(&storage.Chat{From: &storage.ChatSource{}}); err != nil {
				return err
			}
			return errOnlyLooked
		})
		if !errors.Is(err, errOnlyLooked) {
			return got, err
		}
	}
	long := &longIn{chat: storage.ChatID(storage.NewID()), cast: a.cast, made: a.made}
	staging := svc.core.Store.Stage(long.chat)
	if err = long.read(a, staging); err == nil {
		err = svc.core.Store.Update(func(tx *storage.Tx) error {
			a := svc.adding(tx, &in, gist)
			a.long = long
			err := a.run()
			got = *a.got
			return err
		})
	}
	if err != nil {
		return Imported{}, errors.Join(err, staging.Drop())
	}
	return got, nil
}

// read takes the messages in, while the next ones are read.
func (l *longIn) read(a *adding, to *storage.Staging) error {
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
			if err = a.svc.core.Ctx.Err(); err == nil {
				err = to.Append(list)
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
func (l *longIn) portions(a *adding, take func([]storage.Node) bool) error {
	var list []storage.Node
	size := 0
	for m, err := range a.in.File.Each() {
		if err != nil {
			return err
		}
		variants, chosen := a.variants(m)
		for i := range variants {
			n := &variants[i]
			n.ID, n.Parent = storage.NodeID(storage.NewID()), l.head
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
func (l *longIn) settle(a *adding, chat storage.ChatID) (storage.NodeID, error) {
	if !maps.Equal(l.cast.faces, a.cast.faces) || !maps.Equal(l.cast.names, a.cast.names) {
		return "", failure.Refuse("characters were changed while the chat came in, so that it is not sure who speaks: import it again")
	}
	if err := a.tx.Settle(chat); err != nil {
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
	return storage.ChatID(storage.NewID())
}
