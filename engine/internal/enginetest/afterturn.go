package enginetest

// Worked lets the queue come to its end.
func (s *Harness) Worked() {
	s.T.Helper()
	if _, err := s.Queue.Drain(s.Context()); err != nil {
		s.T.Fatal(err)
	}
}
