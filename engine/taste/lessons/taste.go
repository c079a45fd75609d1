// Package lessons derives from the user's changes how the user directs: the events of a scene's
// edits, its lessons, the profile of a story, and the text about it for prompts. It is pure.
package lessons
