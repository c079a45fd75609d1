package enginetest

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Series makes a series with its episodes.
func (s *Harness) Series(title string, who []storage.CharacterID,
	episodes ...storage.Episode) (storage.Series, []storage.Episode) {
	s.T.Helper()
	made, err := s.Director.SaveSeries(storage.Series{Title: title, Characters: who})
	Must(s.T, err)
	for i := range episodes {
		episodes[i].Series = made.ID
		episodes[i], err = s.Director.SaveEpisode(episodes[i])
		Must(s.T, err)
	}
	return made, episodes
}

// Actor makes a character.
func (s *Harness) Actor(name, greeting string) storage.CharacterID {
	s.T.Helper()
	c, err := s.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: name, FirstMessage: greeting}})
	Must(s.T, err)
	return c.ID
}

func (s *Harness) Main() storage.CharacterID {
	s.T.Helper()
	c, err := s.Chats.Find(string(s.Chat))
	Must(s.T, err)
	return c.Character
}
