package chats

const (
	// PassLook is how many messages the director is shown.
	PassLook = 6
	// PassSays is about what the instruction of a pass takes, in tokens.
	PassSays = 300
	// PassAttempts is how often a server that does not answer is asked.
	PassAttempts = 3
	// UsualReply is how long a reply may be, in tokens, for the prompt of its turn
	// to have left room for the pass.
	UsualReply = 400
)
