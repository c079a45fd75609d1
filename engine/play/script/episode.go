package script

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of an episode's list of endings.
const maxResolutions = 12

// sceneNotes returns where an episode plays. The situation always comes first: everything
// that is played stands on it.
func sceneNotes(e *storage.Episode) []note {
	return []note{
		{what: "situation", file: "episode-situation", key: "situation", text: e.Situation, main: true},
		{what: "frame", file: "episode-frame", key: "frame", text: e.Frame, main: true},
	}
}

// questionNotes returns what an episode turns on until it has ended.
func questionNotes(e *storage.Episode) []note {
	return []note{
		{what: "dramatic question", file: "episode-question", key: "question", text: e.Question},
		{what: "resolution types", file: "episode-resolutions", key: "resolutions", text: endings(e.Resolutions)},
	}
}

// endings returns how an episode may end.
func endings(resolutions []string) string {
	var told []string
	for _, r := range resolutions {
		if r = label(r); r != "" && len(told) < maxResolutions {
			told = append(told, r)
		}
	}
	return strings.Join(told, ", ")
}

// motivationNotes returns what moves the character in an episode.
func motivationNotes(e *storage.Episode) []note {
	return []note{
		{what: "objective", file: "episode-objective", key: "objective", text: e.Objective},
		{what: "obstacle", file: "episode-obstacle", key: "obstacle", text: e.Obstacle},
		{what: "tactic", file: "episode-tactic", key: "tactic", text: e.Tactic},
	}
}

// usesEpisodeSituation reports whether the episode's situation is told in the place of the card's
// scenario. A scenario that the user has set for this chat is told beside it.
func (c *compiler) usesEpisodeSituation() bool {
	return c.s.Episode != nil && strings.TrimSpace(c.s.Episode.Situation) != "" && c.s.Over.Scenario == ""
}

// episode compiles the director's notes for the play. What is empty leaves no
// trace; a genre may come from the series alone. Of an episode that has ended it tells
// where it plays, and nothing that presses towards its end.
func (c *compiler) episode() []piece {
	const whole = "in force for the whole episode"
	var pieces []piece
	source := "series"
	if e := c.s.Episode; e != nil {
		source = "episode: " + label(e.Title)
		pieces = c.notes(LayerEpisode, source, whole, sceneNotes(e))
		if c.s.EpisodeOver {
			for _, n := range append(questionNotes(e), motivationNotes(e)...) {
				c.leaveOut(LayerEpisode, fmt.Sprintf("%s (%s)", source, n.what), "the episode has ended", n.text)
			}
		} else {
			pieces = append(pieces, c.notes(LayerEpisode, source, whole, questionNotes(e))...)
			pieces = append(pieces, c.motivation(e, source, whole)...)
		}
	}
	genre := note{what: "genre", file: "episode-genre", key: "genre", text: c.s.Genre}
	return c.headed("The episode", append(pieces, c.notes(LayerEpisode, source, whole, []note{genre})...))
}

// motivation compiles what moves the character in an episode, one line for each
// of it that there is.
func (c *compiler) motivation(e *storage.Episode, source, reason string) []piece {
	var lines []string
	for _, n := range motivationNotes(e) {
		if line := c.noteText(LayerEpisode, fmt.Sprintf("%s (%s)", source, n.what), n); line != "" {
			lines = append(lines, line)
		}
	}
	return c.notes(LayerEpisode, source, reason, []note{
		{what: "scene motivation", file: "episode-motivation", key: "motivation", text: strings.Join(lines, "\n"),
			asIs: true}})
}

// lastTurns says that an episode nears its end. It changes with every turn.
func (c *compiler) lastTurns() (piece, bool) {
	const name = "chat/episode-last-turns"
	if c.s.Episode == nil || c.s.EpisodeOver || c.s.TurnsLeft <= 0 {
		return piece{}, false
	}
	text := c.moving(LayerEpisode, c.set.Fill(name, map[string]string{"left": plural(c.s.TurnsLeft, "turn")}))
	return c.piece(LayerEpisode, c.promptSource(name), "the last turns of the episode have begun", text)
}
