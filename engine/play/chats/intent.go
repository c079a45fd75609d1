package chats

// Requested tells whether a message shows a picture that somebody asked for.
// Such a picture is shown as the character's own message; it is stored as
// pictures are, so that no language model is told of it.
func (m Message) Requested() bool { return m.Picture != nil && m.Picture.Requested != "" }
