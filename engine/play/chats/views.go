package chats

import (
	"ghostlight/storage"
)

// Message is a node as a front end shows it: with its place among its
// siblings (At counts from 0, Siblings from 1) and the picture it stands for.
type Message struct {
	storage.Node
	Siblings int
	At       int
	Picture  *storage.Capture
}

// View is an open chat: the newest messages of the head's path, oldest first,
// and all that is needed to show them. It is a copy; the caller owns it.
type View struct {
	Chat      storage.Chat
	Character storage.Character
	Persona   storage.Persona
	Messages  []Message
	Total     int  // messages from root to head, deleted ones included
	More      bool // there are messages before the first one here
	Draft     string
	Model     string // that the next turn will ask
	Running   storage.NodeID
}

// ChatInfo is a line of the list of chats.
type ChatInfo struct {
	storage.Chat
	CharacterName string
	Messages      int    // from root to head
	Preview       string // how the newest message begins
}
