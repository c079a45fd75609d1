package chats

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MessageAdded reports that a message was added at the end of the chat's path.
type MessageAdded struct {
	Chat    storage.ChatID
	Message Message
}

// ChatChanged reports that a chat must be read again.
type ChatChanged struct{ Chat storage.ChatID }

// ChatsChanged reports that the list of chats must be read again.
type ChatsChanged struct{}

// CharactersChanged reports that characters or personas must be read again.
type CharactersChanged struct{}

// ChangedChat implements event.ChatChanger.
func (e MessageAdded) ChangedChat() storage.ChatID { return e.Chat }

// ChangedChat implements event.ChatChanger.
func (e ChatChanged) ChangedChat() storage.ChatID { return e.Chat }
