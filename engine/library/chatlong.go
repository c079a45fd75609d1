package library

import (
	"context"
	"errors"
	"maps"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of the messages of a long chat that are stored in one transaction. While it runs, other
// writers wait.
const (
	batchMessages = 4096
	batchBytes    = 4 << 20
)

// StagedMessages are the stored messages of a chat that is too long for one transaction.
type StagedMessages struct {
	staging  *storage.Staging
	chat     storage.ChatID
	head     storage.NodeID
	speakers speakerIndex        // finds the speakers of messages
	standIns []storage.Character // stand-in characters that may be among the speakers
	scenes   []importedScene
}

// importedScene is a scene that ends with a message.
type importedScene struct {
	node storage.Node // without its text
	mark *formats.SceneMark
}

// errIncompleteRead is the error of a file that was not read to its end.
var errIncompleteRead = errors.New("the chat was not read to its end")

// errDryRun rolls back a transaction that must not change anything.
var errDryRun = errors.New("nothing is to be stored")

// addLong is AddChat for a chat that is too long for one transaction. The messages are stored
// first, invisible to the user; then one transaction makes the chat.
func (svc *Service) addLong(in ChatImport) (got ImportResult, err error) {
	if in.Staged, err = svc.Stage(svc.core.Ctx, in); err != nil {
		return got, err
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) (err error) { got, err = svc.AddChatWithin(tx, in); return err })
	if err != nil {
		return ImportResult{}, errors.Join(err, in.Staged.Drop())
	}
	return got, nil
}

// Stage stores the messages of a chat that is too long for one transaction, in batches. They stay
// invisible until AddChatWithin makes a chat of them. Drop removes them; those of a killed program
// are removed when the store is opened.
func (svc *Service) Stage(ctx context.Context, in ChatImport) (*StagedMessages, error) {
	a := svc.newChatImporter(nil, &in, in.File.Summary())
	if a.isGroupChat() {
		err := svc.core.Store.Update(func(tx *storage.Tx) error {
			look := svc.newChatImporter(tx, &in, a.gist)
			if err := look.addCast(&storage.Chat{From: &storage.ChatSource{}}); err != nil {
				return err
			}
			a.speakers, a.standIns = look.speakers, look.standIns
			return errDryRun
		})
		if !errors.Is(err, errDryRun) {
			return nil, err
		}
	}
	chat := a.ownChat
	if chat == "" {
		chat = storage.ChatID(storage.NewID())
	}
	long := &StagedMessages{chat: chat, speakers: a.speakers, standIns: a.standIns}
	long.staging = svc.core.Store.Stage(long.chat)
	if err := long.storeMessages(ctx, a); err != nil {
		return nil, errors.Join(err, long.Drop())
	}
	return long, nil
}

// Chat returns the ID of the chat that they will belong to.
func (l *StagedMessages) Chat() storage.ChatID { return l.chat }

// Drop removes the messages.
func (l *StagedMessages) Drop() error { return l.staging.Drop() }

// storeMessages stores a batch while the next one is read.
func (l *StagedMessages) storeMessages(ctx context.Context, a *chatImporter) error {
	portions, stop := make(chan []storage.Node, 1), make(chan struct{})
	failed := errIncompleteRead // until the read has ended: after a panic nothing may be attached
	crash.Go("reading a chat", func() {
		defer close(portions)
		failed = l.batches(a, func(list []storage.Node) bool {
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
				err = l.staging.Append(list)
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

// batches makes messages of the lines, until take returns false.
func (l *StagedMessages) batches(a *chatImporter, take func([]storage.Node) bool) error {
	var list []storage.Node
	size := 0
	met := map[storage.NodeID]bool{} // of a chat that keeps its IDs
	for m, err := range a.in.File.All() {
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
			l.scenes = append(l.scenes, importedScene{storage.Node{ID: l.head}, m.Scene})
		}
		if len(list) >= batchMessages || size >= batchBytes {
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

// attach makes the messages part of the chat, within the transaction that stores it.
func (l *StagedMessages) attach(a *chatImporter, chat storage.ChatID) (storage.NodeID, error) {
	if !maps.Equal(l.speakers.byFile, a.speakers.byFile) || !maps.Equal(l.speakers.byName, a.speakers.byName) {
		return "", failure.Refusef(
			"characters were changed during the import, so the speakers are uncertain: import the chat again")
	}
	if err := a.tx.CommitStaged(chat); err != nil {
		return "", err
	}
	for _, s := range l.scenes {
		place, err := a.tx.NodeInfo(chat, s.node.ID)
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

func (a *chatImporter) chatID() storage.ChatID {
	if a.staged != nil {
		return a.staged.chat
	}
	if a.ownChat != "" {
		return a.ownChat
	}
	return storage.ChatID(storage.NewID())
}
