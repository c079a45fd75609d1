package enginetest

// Unloads counts the requests that took a model out of memory.
func (s *Harness) Unloads() (n int) {
	for _, call := range s.Servers.Calls() {
		if call.Path == "/api/chat" && len(call.Messages) == 0 {
			n++
		}
	}
	return n
}
