package script

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of an episode's list of endings.
const mostResolutions = 12

// sceneNotes are what the actor is told of an episode. The situation always
// comes first: everything that is played stands on it.
func sceneNotes(e *storage.Episode) []note {
	return []note{
		{what: "situation", file: "episode-situation", key: "situation", text: e.Situation},
		{what: "frame", file: "episode-frame", key: "frame", text: e.Frame},
		{what: "dramatic question", file: "episode-question", key: "question", text: e.Question},
		{what: "resolution types", file: "episode-resolutions", key: "resolutions", text: endings(e.Resolutions)},
	}
}

// endings tells how an episode may end.
func endings(resolutions []string) string {
	var told []string
	for _, r := range resolutions {
		if r = label(r); r != "" && len(told) < mostResolutions {
			told = append(told, r)
		}
	}
	return strings.Join(told, ", ")
}

// motivationNotes are what moves the character in an episode.
func motivationNotes(e *storage.Episode) []note {
	return []note{
		{what: "objective", file: "episode-objective", key: "objective", text: e.Objective},
		{what: "obstacle", file: "episode-obstacle", key: "obstacle", text: e.Obstacle},
		{what: "tactic", file: "episode-tactic", key: "tactic", text: e.Tactic},
	}
}

// episode compiles the director's notes for the play. What is empty leaves no
// trace; a genre may come from the series alone.
func (c *compiler) episode() []piece {
	const whole = "in force for the whole episode"
	var pieces []piece
	source := "series"
	if e := c.s.Episode; e != nil {
		source = "episode: " + label(e.Title)
		pieces = append(c.notes(LayerEpisode, source, whole, sceneNotes(e)), c.motivation(e, source, whole)...)
	}
	genre := note{what: "genre", file: "episode-genre", key: "genre", text: c.s.Genre}
	return c.headed("The episode", append(pieces, c.notes(LayerEpisode, source, whole, []note{genre})...))
}

// motivation compiles what moves the character in an episode, one line for each
// of it that there is.
func (c *compiler) motivation(e *storage.Episode, source, reason string) []piece {
	var lines []string
	for _, n := range motivationNotes(e) {
		if line := c.told(LayerEpisode, fmt.Sprintf("%s (%s)", source, n.what), n); line != "" {
			lines = append(lines, line)
		}
	}
	return c.notes(LayerEpisode, source, reason, []note{
		{what: "scene motivation", file: "episode-motivation", key: "motivation", text: strings.Join(lines, "\n"), asIs: true}})
}
