package prompt

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxResolutions is the most endings of an episode in a prompt.
const maxResolutions = 12

// sceneNotes returns the notes about an episode's setting. The situation always comes first:
// everything else builds on it.
func sceneNotes(e *storage.Episode) []note {
	return []note{
		{what: "situation", file: "episode-situation", key: "situation", text: e.Situation, main: true},
		{what: "frame", file: "episode-frame", key: "frame", text: e.Frame, main: true},
	}
}

// questionNotes returns the notes about an episode's question, which apply until it has ended.
func questionNotes(e *storage.Episode) []note {
	return []note{
		{what: "dramatic question", file: "episode-question", key: "question", text: e.Question},
		{what: "resolution types", file: "episode-resolutions", key: "resolutions", text: endings(e.Resolutions)},
	}
}

// endings returns the possible endings of an episode as text.
func endings(resolutions []string) string {
	var told []string
	for _, r := range resolutions {
		if r = label(r); r != "" && len(told) < maxResolutions {
			told = append(told, r)
		}
	}
	return strings.Join(told, ", ")
}

// motivationNotes returns the notes about the character's motivation in an episode.
func motivationNotes(e *storage.Episode) []note {
	return []note{
		{what: "objective", file: "episode-objective", key: "objective", text: e.Objective},
		{what: "obstacle", file: "episode-obstacle", key: "obstacle", text: e.Obstacle},
		{what: "tactic", file: "episode-tactic", key: "tactic", text: e.Tactic},
	}
}

// usesEpisodeSituation reports whether the episode's situation replaces the card's scenario. A
// scenario that the user has set for this chat is kept in addition to it.
func (c *compiler) usesEpisodeSituation() bool {
	return c.s.Episode != nil && strings.TrimSpace(c.s.Episode.Situation) != "" && c.s.Overrides.Scenario == ""
}

// episode compiles the director's notes for the play. Empty ones are left out; a genre may come
// from the series alone. For an episode that has ended it includes the setting, but nothing that
// pushes towards the end.
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

// motivation compiles the character's motivation in an episode, one line per note.
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

// lastTurns compiles a note that the episode is about to end. It changes with every turn.
func (c *compiler) lastTurns() (piece, bool) {
	const name = "chat/episode-last-turns"
	if c.s.Episode == nil || c.s.EpisodeOver || c.s.TurnsLeft <= 0 {
		return piece{}, false
	}
	text := c.moving(LayerEpisode, c.set.Fill(name, map[string]string{"left": plural(c.s.TurnsLeft, "turn")}))
	return c.piece(LayerEpisode, c.promptSource(name), "the last turns of the episode have begun", text)
}
