package queue

import "strings"

// kindWords are the names of the kinds of operations for display.
var kindWords = map[string]string{
	"capture_prompt":        "writing a picture's prompt",
	"capture_send":          "generating a picture",
	"detect_scene_break":    "looking for a scene break",
	"detect_scenes":         "finding scenes",
	"generate_scene_recap":  "scene recap",
	"combine_running_recap": "running recap",
	"recap_message":         "message recap",
	"join_scene_recaps":     "joining scenes",
	"recap_open_scene":      "interim recap",
	"examine_recap":         "recall test",
	"after_turn":            "checking the last turn",
	"move_in":               "importing",
	"embed_facts":           "embedding facts",
	"index_story":           "reading the story",
	"lore_lookup":           "searching the lorebook",
	"lore_resolve":          "matching lorebook entries",
	"lore_merge":            "updating the lorebook",
	"lore_compact":          "shortening a lorebook entry",
	"storyboard_plan":       "planning the storyboard",
	"storyboard_steer":      "changing the storyboard",
	"taste_harvest":         "learning from a scene",
	"taste_aggregate":       "building the taste profile",
}

// TypeText returns what an operation of a type is called.
func TypeText(typ string) string {
	if words := kindWords[typ]; words != "" {
		return words
	}
	return strings.ReplaceAll(typ, "_", " ")
}
