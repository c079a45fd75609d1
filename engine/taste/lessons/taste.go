// Package lessons learns from what the user changes how this user directs: what a
// scene's edits come to, what the scenes of a story have in common, and what of
// that is told to a model that plans. It is pure.
package lessons
