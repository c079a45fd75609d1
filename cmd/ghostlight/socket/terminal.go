package socket

// Terminal is what a client with a screen does on its own terminal for the program.
type Terminal interface {
	// Edit has the user edit a text, and returns what they left.
	Edit(text []byte) ([]byte, error)
	// Suspend gives the terminal to its shell until that brings the client back.
	Suspend() error
}

// outside does what only the process at the terminal can do.
func (c *Client) outside(t Terminal, k kind, payload []byte) {
}
