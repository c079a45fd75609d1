package enginetest

// Worked lets the queue come to its end.
func (s *Stage) Worked() {
	s.T.Helper()
	if _, err := s.Queue.Drain(s.Context()); err != nil {
		s.T.Fatal(err)
	}
}
